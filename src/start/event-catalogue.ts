import { CUSTOM_DOMAIN_EVENTS } from "../features/custom-domains/events.ts";
import { createEventCatalogue } from "../features/events/event-catalogue.ts";
import { ORGANIZATION_EVENTS } from "../features/organizations/events.ts";
import { WEBHOOK_EVENTS } from "../features/webhooks/events.ts";

/** Every type of events that Slipway emits. */
export const EVENT_CATALOGUE = createEventCatalogue([
  ORGANIZATION_EVENTS,
  CUSTOM_DOMAIN_EVENTS,
  WEBHOOK_EVENTS,
]);
