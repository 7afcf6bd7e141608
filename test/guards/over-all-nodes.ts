import type { NamedStatement } from "../helpers/statements.ts";

/**
 * Why a write names no organization, and so looks at all nodes of a distributed database. An exception that is no
 * longer needed has to go. Reads say it where they are named (`readAsOwner`).
 */
export const WRITES_OVER_ALL_NODES: Readonly<Record<string, string>> = {
  audit_entries_prune: "A sweep: entries of a certain age of all organizations.",
  dns_records_record_checks: "The sweep of DNS records.",
  dns_records_claim_requested: "The same, one statement without a transaction.",
  domain_connects_prune: "A sweep: expired ways to DNS providers of all organizations.",
  domain_days_prune: "A sweep: days of a certain age of all organizations.",
  env_variable_runs_prune: "A sweep: runs of a certain age of all organizations.",
  env_variable_versions_prune: "A sweep: versions of a certain age of all organizations.",
  events_prune: "A sweep: events of a certain age of all organizations.",
  executions_prune: "A sweep: executions of a certain age of all organizations.",
  git_hook_deliveries_prune: "A sweep: deliveries of a certain age of all organizations.",
  git_hook_receipts_prune: "A sweep: receipts of a certain age of all organizations.",
  idempotency_prune: "A sweep: answers of a certain age of all organizations.",
  invalidations_prune: "A sweep: invalidations of a certain age of all organizations.",
  invitations_prune: "A sweep: invitations of a certain age of all organizations.",
  notification_groups_prune: "A sweep: groups of a certain age of all organizations.",
  notification_topics_prune: "A sweep: topics of a certain age of all organizations.",
  share_links_prune: "A sweep: expired links of all organizations.",
  workload_tokens_prune: "A sweep: expired tokens of all organizations.",
  sessions_prune: "A sweep: expired sessions of all organizations.",
  reconciliations_take_over: "The start of the embedded database, which is on one machine.",
  webhook_attempts_prune: "A sweep: attempts of a certain age of all organizations.",
  webhook_attempts_prune_bodies: "The same, of the bodies of answers.",
  webhook_deliveries_prune: "A sweep: deliveries of a certain age of all organizations.",
};

/** Whether a statement may look at all nodes. `owners` is distributed by the key that it is searched by. */
export function isOverAllNodes({ name, text, runsAsOwner }: NamedStatement): boolean {
  const isOfAll = runsAsOwner && !/\borganization_id = \$\d/.test(text) && name !== "owners_list";
  return name in WRITES_OVER_ALL_NODES || isOfAll;
}
