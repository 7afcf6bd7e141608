/**
 * The tables of the schema, and by which column Citus distributes each. Tables with one column are colocated: what has
 * one value there is on one node. A table of `null` stays on the coordinator, where every process connects.
 * `test/guards/tables.test.ts` holds it against the migrations.
 */
export const TABLES: Readonly<Record<string, "organization_id" | "key" | "parent" | null>> = {
  organizations: "organization_id",
  users: "organization_id",
  api_keys: "organization_id",
  sessions: "organization_id",
  identities: "organization_id",
  audit_entries: "organization_id",
  idempotency_keys: "organization_id",
  reconciliations: "organization_id",
  aws_accounts: "organization_id",
  aws_account_reports: "organization_id",
  git_integrations: "organization_id",
  git_hook_deliveries: "organization_id",
  projects: "organization_id",
  project_members: "organization_id",
  environments: "organization_id",
  services: "organization_id",
  deployments: "organization_id",
  deployment_runs: "organization_id",
  deployment_services: "organization_id",
  service_removals: "organization_id",
  environment_removals: "organization_id",
  env_variables: "organization_id",
  env_variable_versions: "organization_id",
  env_variable_runs: "organization_id",
  env_variable_run_items: "organization_id",
  env_variable_managed_values: "organization_id",
  distributions: "organization_id",
  domain_certificate_groups: "organization_id",
  certificates: "organization_id",
  domains: "organization_id",
  dns_records: "organization_id",
  domain_days: "organization_id",
  event_outbox: "organization_id",
  event_heads: "organization_id",
  events: "organization_id",
  webhook_endpoints: "organization_id",
  webhook_deliveries: "organization_id",
  webhook_attempts: "organization_id",
  // Searched without an organization.
  owners: "key",
  // Names overlap below one parent only, whoever they belong to.
  proven_names: "parent",
  // Small, written by all processes, and made again when they are lost.
  call_buckets: null,
  dns_lookers: null,
  installation_facts: null,
  schema_migrations: null,
};
