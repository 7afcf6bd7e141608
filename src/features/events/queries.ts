import type { Sql } from "../../db/database.ts";
import type { Event } from "./event.ts";
import { events } from "./store.ts";

/** How many events one read looks at, whatever its filter finds among them. */
const WINDOW = 10_000;

export type EventFilter = {
  /** Exact types; null for all. */
  readonly types: readonly string[] | null;
  readonly subjectId: string | null;
};

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
  { types, subjectId }: EventFilter,
): Promise<EventBatch> {
  const { after, last, limit } = range;
  const end = subjectId === null ? Math.min(after + WINDOW, last) : last;
  const within = { after, through: end, limit };
  const found =
    subjectId === null
      ? await events.list(sql, organizationId, within, types)
      : await events.listOfSubject(sql, organizationId, within, types, subjectId);
  const through = found.length < limit ? Math.max(end, after) : (found.at(-1)?.sequence ?? end);
  return { events: found, through, last };
}
