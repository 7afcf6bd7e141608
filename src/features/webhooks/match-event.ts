/** Which events an endpoint gets. Pure. */
import type { Event } from "../events/event.ts";
import { WEBHOOK_EVENTS } from "./events.ts";
import type { EndpointFilter } from "./webhook-endpoint.ts";

/** A ping only goes to its own endpoint, as a delivery that its creation made. */
export const PING = WEBHOOK_EVENTS["webhook_endpoint.ping"].type;

/** @param types that the filter's patterns stand for */
export function matches(
  { projectId, environmentId }: EndpointFilter,
  types: ReadonlySet<string>,
  event: Event,
): boolean {
  return (
    event.type !== PING &&
    types.has(event.type) &&
    (projectId === null || projectId === event.projectId) &&
    (environmentId === null || environmentId === event.environmentId)
  );
}
