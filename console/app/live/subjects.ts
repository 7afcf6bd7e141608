/** Which reads an event makes old. */
import type { EventSubjectType } from "../../../sdk/src/generated/types.ts";
import type { ResourceName } from "../api/query.ts";

const CHANGED: Readonly<Record<EventSubjectType, readonly ResourceName[]>> = {
  domain: ["overview", "domains", "domainGroups"],
  certificate: ["overview", "domains", "domainGroups"],
  domain_group: ["overview", "domains", "domainGroups"],
  env_variables: ["overview", "variables", "services", "environments"],
  aws_account: ["overview", "awsAccounts"],
  // What the caller may do in a project is said by its members, its access and the protection of its environments.
  project: ["overview", "projects", "snapshots", "environments", "services", "me"],
  // A preview is deployed, and removed, as an environment.
  environment: ["overview", "environments", "services", "projects", "previews", "me"],
  service: ["executions", "jobs", "snapshots", "services", "environments", "deployments"],
  deployment: ["deployments", "overview", "environments", "services", "projects", "previews"],
  preview: ["previews", "environments", "overview"],
  organization: ["organization", "me"],
  // A user takes its workload trusts along.
  user: ["users", "me", "workloadTrusts"],
  // A user says what lets it in.
  api_key: ["apiKeys", "users"],
  session: ["sessions", "users"],
  workload_trust: ["workloadTrusts", "users"],
  git_integration: ["gitIntegrations"],
  webhook_endpoint: ["webhookEndpoints"],
  notification_channel: ["notificationChannels"],
};

/** Any event is sent to webhooks, and most are of changes that are audited. */
const ALWAYS: readonly ResourceName[] = ["webhookEndpoints", "auditEntries"];

/** The resources whose reads an event about this subject makes old. A newer server may have further subjects. */
export function resourcesOf(subject: string): readonly ResourceName[] {
  const own = (CHANGED as Readonly<Record<string, readonly ResourceName[]>>)[subject] ?? [];
  return [...new Set([...own, ...ALWAYS])];
}
