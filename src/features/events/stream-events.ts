import type { Changes } from "../../db/changes.ts";
import type { Database } from "../../db/database.ts";
import type { Event, EventFilter } from "./event.ts";
import { eventsOf } from "./sequence-events.ts";
import { boundsOfEvents, readEvents } from "./queries.ts";

/** A lost notification delays a follower by at most this time, in ms. */
const CHECK_EVERY_MS = 5_000;
const BATCH = 100;
/** After this number of events that do not match, a follower gets its position. */
const POSITION_EVERY = 1_000;

export type StreamedEvent = { readonly event: Event } | { readonly position: number };

/** Yields the position, then all events after it, then new events as they come, until the signal fires. */
export async function* streamEvents(
  deps: { readonly db: Database; readonly changes: Changes },
  organizationId: string,
  after: number,
  filter: EventFilter,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  const { db, changes } = deps;
  const subscription = changes.subscribe([eventsOf(organizationId)]);
  let [position, sent] = [after, after];
  try {
    yield { position };
    while (!signal.aborted) {
      const { last } = await boundsOfEvents(db, organizationId);
      const batch = await readEvents(db, organizationId, { after: position, last, limit: BATCH }, filter);
      for (const event of batch.events) yield { event };
      position = batch.through;
      sent = batch.events.at(-1)?.sequence ?? sent;
      if (position - sent >= POSITION_EVERY) {
        yield { position };
        sent = position;
      }
      if (position >= last) await subscription.next(CHECK_EVERY_MS, signal);
    }
  } finally {
    subscription.close();
  }
}
