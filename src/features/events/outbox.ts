/** The rows of events. */
import type { Actor } from "../../lib/actor.ts";
import { newId } from "../../lib/ids.ts";
import type { EventActor, NewEvent } from "./event.ts";

/**
 * Writes the events of `outboxOf`; `$1` is the organization. Fills in the environment and the project of a service, and
 * the project of an environment.
 * It is its own statement: then the node of the organization gives events their position. At the end of a WITH, Citus
 * would take the position from the coordinator, which counts separately, and two events of a subject might change places.
 */
export const INSERT_EVENTS = `INSERT INTO event_outbox (organization_id, id, type, subject_type, subject_id, project_id, environment_id,
                             service_id, actor_kind, actor_id, request_id, data)
   SELECT $1, e.id, e.type, e.subject_type, e.subject_id,
          coalesce(e.project_id,
            (SELECT s.project_id FROM services s WHERE s.organization_id = $1 AND s.id = e.service_id),
            (SELECT v.project_id FROM environments v WHERE v.organization_id = $1 AND v.id = e.environment_id)),
          coalesce(e.environment_id,
            (SELECT s.environment_id FROM services s WHERE s.organization_id = $1 AND s.id = e.service_id)),
          e.service_id, $2, $3, $4, e.data
     FROM ROWS FROM (jsonb_to_recordset($5::jsonb) AS (id text, type text, subject_type text,
            subject_id text, project_id text, environment_id text, service_id text, data jsonb)) WITH ORDINALITY AS e
    ORDER BY e.ordinality RETURNING id`;

/** The last four parameters of `INSERT_EVENTS`. */
export type OutboxParameters = readonly [kind: string, id: string, requestId: string, events: string];

/** Makes them, in the order of the events. `eventOf` checks each against its type. */
export function outboxOf(actor: Actor, events: readonly NewEvent[]): OutboxParameters {
  const { userId, requestId } = actor;
  const rows = events.map(({ type, subjectId, projectId, environmentId, serviceId, data }) => ({
    id: newId("evt"),
    type: type.type,
    subject_type: type.subject,
    subject_id: subjectId,
    project_id: projectId ?? null,
    environment_id: environmentId ?? null,
    service_id: serviceId ?? null,
    data,
  }));
  return [actorKindOf(userId), userId, requestId, JSON.stringify(rows)];
}

/** @param userId of an `Actor`, which is not always a user */
export function actorKindOf(userId: string): EventActor["kind"] {
  if (userId === "operator" || userId === "slipway") return userId;
  return userId.startsWith("git_") ? "git_integration" : "user";
}
