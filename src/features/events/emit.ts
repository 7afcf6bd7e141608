import type { TSchema } from "typebox";
import type { Transaction } from "../../db/database.ts";
import { announceWork } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import type { NewEvent } from "./event.ts";
import { events } from "./store.ts";
import { outboxOf } from "./outbox.ts";

/**
 * Writes the events of a change, in this order, in the transaction of the change and after the statement that changed
 * the row: the row's lock is what keeps events of one subject in order. In a list, `eventOf` checks each event against
 * its type.
 */
export function emit<Data extends TSchema>(
  tx: Transaction,
  actor: Actor,
  changes: NewEvent<Data> | readonly NewEvent[],
): void {
  const all = [changes].flat();
  if (all.length === 0) return;
  events.insert(tx, actor.organizationId, outboxOf(actor, all));
  announceWork(tx);
}
