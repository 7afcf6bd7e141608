import { AWS_ACCOUNT_EVENTS } from "../features/cloud-accounts/events.ts";
import { CUSTOM_DOMAIN_EVENTS } from "../features/custom-domains/events.ts";
import { DOMAIN_CONNECT_EVENTS } from "../features/domain-connect/events.ts";
import { DOMAIN_IMPORT_EVENTS } from "../features/domain-import/events.ts";
import { SHARE_EVENTS } from "../features/share-links/events.ts";
import { DEPLOYMENT_EVENTS } from "../features/deployments/events.ts";
import { SCHEDULED_JOB_EVENTS } from "../features/scheduled-jobs/events.ts";
import { EXECUTION_EVENTS } from "../features/executions/events.ts";
import { INVITATION_EVENTS } from "../features/invitations/events.ts";
import { DATA_STORE_EVENTS } from "../features/data-stores/events.ts";
import { INVALIDATION_EVENTS } from "../features/invalidations/events.ts";
import { SCALING_EVENTS } from "../features/scaling/events.ts";
import { PREVIEW_EVENTS } from "../features/previews/events.ts";
import { createEventCatalogue } from "../features/events/event-catalogue.ts";
import { EventSchema } from "../features/events/views.ts";
import { GIT_INTEGRATION_EVENTS } from "../features/git-integrations/events.ts";
import { API_KEY_EVENTS } from "../features/api-keys/events.ts";
import { SESSION_EVENTS } from "../features/sessions/events.ts";
import { BRANDING_EVENTS } from "../features/branding/events.ts";
import { USER_EVENTS } from "../features/users/events.ts";
import { ORGANIZATION_EVENTS } from "../features/organizations/events.ts";
import { PROJECT_EVENTS } from "../features/projects/events.ts";
import { VARIABLE_EVENTS } from "../features/variables/events.ts";
import { WORKLOAD_EVENTS } from "../features/workloads/events.ts";
import { NOTIFICATION_EVENTS } from "../features/notifications/events.ts";
import { WEBHOOK_EVENTS } from "../features/webhooks/events.ts";
import type { DescribedWebhook } from "../http/openapi/openapi-operation.ts";

/** Every type of events that Slipway emits. */
export const EVENT_CATALOGUE = createEventCatalogue([
  ORGANIZATION_EVENTS,
  BRANDING_EVENTS,
  USER_EVENTS,
  INVITATION_EVENTS,
  SESSION_EVENTS,
  API_KEY_EVENTS,
  WORKLOAD_EVENTS,
  AWS_ACCOUNT_EVENTS,
  GIT_INTEGRATION_EVENTS,
  PROJECT_EVENTS,
  DATA_STORE_EVENTS,
  VARIABLE_EVENTS,
  CUSTOM_DOMAIN_EVENTS,
  DOMAIN_CONNECT_EVENTS,
  DOMAIN_IMPORT_EVENTS,
  SHARE_EVENTS,
  DEPLOYMENT_EVENTS,
  EXECUTION_EVENTS,
  SCHEDULED_JOB_EVENTS,
  SCALING_EVENTS,
  INVALIDATION_EVENTS,
  PREVIEW_EVENTS,
  WEBHOOK_EVENTS,
  NOTIFICATION_EVENTS,
]);

/** Every event as a webhook sends it, for the reference. */
export const DESCRIBED_WEBHOOKS: readonly DescribedWebhook[] = EVENT_CATALOGUE.all.map(
  ({ type, description, data }) => ({ type, description, envelope: EventSchema, data }),
);
