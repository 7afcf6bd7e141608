import type { Transaction } from "../../db/database.ts";
import { announceWork } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { newId } from "../../lib/ids.ts";
import type { TSchema } from "typebox";
import type { EventActor, NewEvent } from "./event.ts";
import { events } from "./store.ts";

/**
 * Writes an event of a change, in the transaction of the change and after the statement that changed the row: the row's
 * lock is what keeps events of one subject in order.
 */
export function emit<Data extends TSchema>(tx: Transaction, actor: Actor, event: NewEvent<Data>): void {
  emitAll(tx, actor, [event]);
}

/** Writes several, in this order, with one statement. */
function emitAll(tx: Transaction, actor: Actor, all: readonly NewEvent[]): void {
  if (all.length === 0) return;
  const { kind, id } = actorOf(actor);
  const rows = all.map(({ type, subjectId, projectId, environmentId, serviceId, data }) => ({
    id: newId("evt"),
    type: type.type,
    subject_type: type.subject,
    subject_id: subjectId,
    project_id: projectId ?? null,
    environment_id: environmentId ?? null,
    service_id: serviceId ?? null,
    data,
  }));
  events.insert(tx, actor.organizationId, { kind, id, requestId: actor.requestId }, rows);
  announceWork(tx);
}

function actorOf({ userId }: Actor): EventActor {
  const kind = userId === "operator" || userId === "slipway" ? userId : "user";
  return { kind, id: userId };
}
