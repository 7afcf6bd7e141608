import type { Sql } from "../../db/database.ts";
import type { Event, EventFilter } from "./event.ts";
import { events } from "./store.ts";

/** How many events one read checks, whatever its filter finds among them. */
const WINDOW = 10_000;

/** The first number that is kept, and the last of all. They are 1 and 0 if there never was an event. */
export const boundsOfEvents = events.bounds;

/** Those of some numbers that are kept and that a reader sees, in any order. */
export const listEvents = events.listNumbered;

/** One page of the kept events of a subject, and of others that name it, and one event more. */
export const listEventsOfSubjects = events.listOfSubjects;

/** The number of the last kept event before another; null if there is none. */
export const findEventBefore = events.findBefore;

/** How many events there are in a range, `limit` at most. */
export const countEvents = events.count;

/**
 * Reads events after a number, in order. It checks a bounded number of them, so it may find none although there are
 * more.
 * @param last from `boundsOfEvents`
 * @returns the events, and the number up to which it checked
 */
export async function readEvents(
  sql: Sql,
  organizationId: string,
  { after, last, limit }: { readonly after: number; readonly last: number; readonly limit: number },
  filter: EventFilter,
): Promise<{ readonly events: readonly Event[]; readonly through: number }> {
  const end = filter.subjectId === null ? Math.min(after + WINDOW, last) : last;
  const found = await events.list(sql, organizationId, { after, through: end, limit }, filter);
  const through = found.length < limit ? Math.max(end, after) : (found.at(-1)?.sequence ?? end);
  return { events: found, through };
}

/** The number of the last event that was numbered before an instant, or what precedes the oldest that is kept. */
export async function findLastBefore(sql: Sql, organizationId: string, at: Date): Promise<number> {
  const { oldest, last } = await boundsOfEvents(sql, organizationId);
  // Numbers and their times rise together. Halving asks 20 times for a million events, and needs no index.
  let [low, high] = [oldest - 1, last];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const numberedAt = await events.findNumberedAt(sql, organizationId, middle);
    if (numberedAt !== null && numberedAt >= at) high = middle - 1;
    else low = middle;
  }
  return low;
}
