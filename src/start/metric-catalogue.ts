/**
 * The metrics of Slipway: the one place that names them. Labels are route patterns, kinds and states, never ids, so that
 * their number stays bounded. The rules and the dashboard of `deploy/` take the names from here.
 */
export const METRICS = {
  requests: metric(
    "slipway_http_requests_total",
    "Requests answered, by route, method and status.",
    "route",
    "method",
    "status",
  ),
  requestDuration: metric(
    "slipway_http_request_duration_seconds",
    "Time from a request's arrival to its answer, including waiting (Prefer: wait).",
    "route",
    "method",
  ),
  shedRequests: metric(
    "slipway_http_requests_shed_total",
    "Requests refused with 503 because too many were waiting; not counted as answered.",
  ),
  refusedSignIns: metric(
    "slipway_sign_ins_refused_total",
    "Requests refused with 401: without an API key, with a malformed one, or with an unknown one.",
    "reason",
  ),
  waitingReads: metric("slipway_waiting_reads", "Reads held open by Prefer: wait."),
  steps: metric(
    "slipway_reconciliation_steps_total",
    "Steps that this process took, by kind and outcome: done, to be repeated, or failed.",
    "kind",
    "outcome",
  ),
  dueWork: metric("slipway_reconciliations_due", "Entities whose next step is due, by kind.", "kind"),
  workLag: metric(
    "slipway_reconciliation_lag_seconds",
    "How long the longest-waiting entity has been due, by kind.",
    "kind",
  ),
  dnsChecks: metric(
    "slipway_dns_looks_total",
    "DNS checks by this process, by result: OK, or an error code.",
    "result",
  ),
  dnsLag: metric(
    "slipway_dns_look_lag_seconds",
    "How late the DNS record is that is to be checked next; 0 in a process without a worker.",
  ),
  certificateLife: metric(
    "slipway_certificate_expiry_seconds",
    "Time until the first certificate expires; no value without certificates.",
  ),
  edges: metric(
    "slipway_edges",
    "Edges of an own server, by state: current, behind (serves an older state or none) or silent (has not reported for a minute, or does not answer).",
    "state",
  ),
  certificateLifeLeft: metric(
    "slipway_certificate_life_left_ratio",
    "The smallest share of its life that a certificate of an own server has left. Not counted are names whose owners have to set records. No value in another cloud.",
  ),
  certificateOrders: metric(
    "slipway_certificate_orders",
    "Names of an own server that wait for a certificate or its renewal, by the party that has to act: order (it is under way), ca, operator or customer.",
    "waits_for",
  ),
  caFailures: metric(
    "slipway_ca_failures",
    "Failed requests in a row to a CA of an own server; `ca` is first or second.",
    "ca",
  ),
  caBudgetLeft: metric(
    "slipway_ca_budget_left_ratio",
    "The smallest share that is left of a rate limit of a CA: of the account's orders, or of a domain or name with less than half left.",
    "ca",
    "limit",
  ),
  eventLag: metric(
    "slipway_event_numbering_lag_seconds",
    "How long the oldest event without a number has been waiting; 0 if there is none.",
  ),
  webhookAttempts: metric(
    "slipway_webhook_attempts_total",
    "Attempts of this process to deliver an event to a webhook endpoint, by result.",
    "result",
  ),
  webhookEndpoints: metric("slipway_webhook_endpoints", "Webhook endpoints, by status.", "status"),
  webhookBacklog: metric(
    "slipway_webhook_backlog_events",
    "Events that webhook endpoints have not come to yet, by the status of the endpoint.",
    "status",
  ),
  connections: metric(
    "slipway_database_connections",
    "Connections of the pool by state; `waiting` counts requests for a connection.",
    "state",
  ),
  replicas: metric(
    "slipway_database_replicas",
    "Standbys that receive from the database; no value on the embedded database.",
  ),
  replicationLag: metric(
    "slipway_database_replication_lag_seconds",
    "How far the last standby is behind; no value without standbys, or if Slipway's user may not see them.",
  ),
};

export type Metric = { readonly name: string; readonly help: string; readonly labelNames: string[] };

function metric(name: string, help: string, ...labelNames: string[]): Metric {
  return { name, help, labelNames };
}
