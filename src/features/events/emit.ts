import type { TSchema } from "typebox";
import type { Transaction } from "../../db/database.ts";
import { announceWork } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import type { NewEvent } from "./event.ts";
import { events } from "./store.ts";
import { outboxOf } from "./outbox.ts";

/**
 * Writes an event of a change, in the transaction of the change and after the statement that changed the row: the row's
 * lock is what keeps events of one subject in order.
 */
export function emit<Data extends TSchema>(tx: Transaction, actor: Actor, event: NewEvent<Data>): void {
  emitAll(tx, actor, [event]);
}

/** Writes several, in this order, with one statement. `eventOf` checks each against its type. */
export function emitAll(tx: Transaction, actor: Actor, all: readonly NewEvent[]): void {
  if (all.length === 0) return;
  events.insert(tx, actor.organizationId, outboxOf(actor, all));
  announceWork(tx);
}
