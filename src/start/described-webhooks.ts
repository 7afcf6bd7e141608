import { EventSchema } from "../features/events/views.ts";
import type { DescribedWebhook } from "../http/openapi/openapi-webhooks.ts";
import { EVENT_CATALOGUE } from "./event-catalogue.ts";

/** Every event as a webhook sends it. */
export const DESCRIBED_WEBHOOKS: readonly DescribedWebhook[] = EVENT_CATALOGUE.all.map(
  ({ type, description, data }) => ({ type, description, envelope: EventSchema, data }),
);
