import type { Sql } from "../../db/database.ts";
import type { Event } from "./event.ts";
import { type EventPlace, type EventReader, events } from "./store.ts";

/** How many events one read looks at, whatever its filter finds among them. */
const WINDOW = 10_000;

/** @param reader who may not see all projects */
export type EventFilter = EventPlace & { readonly subjectId: string | null; readonly reader?: EventReader };

const SEES_ALL: EventReader = { visible: null, userId: null };

/** Events after a number, in order. `through`: all up to this number were looked at; `last` is the newest of all. */
export type EventBatch = {
  readonly events: readonly Event[];
  readonly through: number;
  readonly last: number;
};

/** The first number that is kept, and the last of all. They are 1 and 0 if there never was an event. */
export const boundsOfEvents = (
  sql: Sql,
  organizationId: string,
): Promise<{ readonly oldest: number; readonly last: number }> => events.bounds(sql, organizationId);

/**
 * Reads events after a number. It looks at a bounded number of them, so it may find none although there are more.
 * @param last from `boundsOfEvents`
 */
export async function readEvents(
  sql: Sql,
  organizationId: string,
  range: { readonly after: number; readonly last: number; readonly limit: number },
  { subjectId, reader = SEES_ALL, ...place }: EventFilter,
): Promise<EventBatch> {
  const { after, last, limit } = range;
  const end = subjectId === null ? Math.min(after + WINDOW, last) : last;
  const within = { after, through: end, limit };
  const found =
    subjectId === null
      ? await events.list(sql, organizationId, within, place, reader)
      : await events.listOfSubject(sql, organizationId, within, place, reader, subjectId);
  const through = found.length < limit ? Math.max(end, after) : (found.at(-1)?.sequence ?? end);
  return { events: found, through, last };
}

/** Those of some numbers that are kept, in any order. */
export const listEvents = (
  sql: Sql,
  organizationId: string,
  sequences: readonly number[],
): Promise<readonly Event[]> =>
  sequences.length === 0 ? Promise.resolve([]) : events.listNumbered(sql, organizationId, sequences);

/** The number of the last kept event before another; null if there is none. */
export const findEventBefore = (
  sql: Sql,
  organizationId: string,
  before: number,
  place: EventPlace,
): Promise<number | null> => events.findBefore(sql, organizationId, before, place);

/** How many events there are in a range, `limit` at most. */
export const countEvents = (
  sql: Sql,
  organizationId: string,
  range: { readonly after: number; readonly through: number; readonly limit: number },
  place: EventPlace,
): Promise<number> => events.count(sql, organizationId, range, place);

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
