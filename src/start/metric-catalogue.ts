/**
 * The metrics of Slipway: the one place that names them. Labels are route patterns, kinds and states, never ids, so that
 * their number stays bounded. The rules and the dashboard of `deploy/` take the names from here.
 */
export const METRICS = {
  requests: {
    name: "slipway_http_requests_total",
    help: "Requests answered, by route, method and status.",
    labelNames: ["route", "method", "status"],
  },
  requestDuration: {
    name: "slipway_http_request_duration_seconds",
    help: "Time from a request's arrival to its answer, including waiting (Prefer: wait).",
    labelNames: ["route", "method"],
  },
  shedRequests: {
    name: "slipway_http_requests_shed_total",
    help: "Requests refused with 503 because too many were waiting; not counted as answered.",
    labelNames: [],
  },
  refusedSignIns: {
    name: "slipway_sign_ins_refused_total",
    help: "Requests refused with 401: without an API key, with a malformed one, or with an unknown one.",
    labelNames: ["reason"],
  },
  waitingReads: {
    name: "slipway_waiting_reads",
    help: "Reads held open by Prefer: wait.",
    labelNames: [],
  },
  steps: {
    name: "slipway_reconciliation_steps_total",
    help: "Steps that this process took, by kind and outcome: done, to be repeated, or failed.",
    labelNames: ["kind", "outcome"],
  },
  dueWork: {
    name: "slipway_reconciliations_due",
    help: "Entities whose next step is due, by kind.",
    labelNames: ["kind"],
  },
  workLag: {
    name: "slipway_reconciliation_lag_seconds",
    help: "How long the longest-waiting entity has been due, by kind.",
    labelNames: ["kind"],
  },
  dnsChecks: {
    name: "slipway_dns_looks_total",
    help: "DNS checks by this process, by result: OK, or an error code.",
    labelNames: ["result"],
  },
  dnsLag: {
    name: "slipway_dns_look_lag_seconds",
    help: "How late the DNS record is that is to be checked next; 0 in a process without a worker.",
    labelNames: [],
  },
  dnsHeap: {
    name: "slipway_dns_heap_size_used_bytes",
    help: "Heap used by the DNS thread, which nodejs_heap_size_used_bytes does not include.",
    labelNames: [],
  },
  certificateLife: {
    name: "slipway_certificate_expiry_seconds",
    help: "Time until the first certificate expires; no value without certificates.",
    labelNames: [],
  },
  eventLag: {
    name: "slipway_event_numbering_lag_seconds",
    help: "How long the oldest event without a number has been waiting; 0 if there is none.",
    labelNames: [],
  },
  webhookAttempts: {
    name: "slipway_webhook_attempts_total",
    help: "Attempts of this process to deliver an event to a webhook endpoint, by result.",
    labelNames: ["result"],
  },
  webhookEndpoints: {
    name: "slipway_webhook_endpoints",
    help: "Webhook endpoints, by status.",
    labelNames: ["status"],
  },
  webhookBacklog: {
    name: "slipway_webhook_backlog_events",
    help: "Events that webhook endpoints have not come to yet, by the status of the endpoint.",
    labelNames: ["status"],
  },
  connections: {
    name: "slipway_database_connections",
    help: "Connections of the pool by state; `waiting` counts requests for a connection.",
    labelNames: ["state"],
  },
  replicas: {
    name: "slipway_database_replicas",
    help: "Standbys that receive from the database; no value on the embedded database.",
    labelNames: [],
  },
  replicationLag: {
    name: "slipway_database_replication_lag_seconds",
    help: "How far the last standby is behind; no value without standbys, or if Slipway's user may not see them.",
    labelNames: [],
  },
} as const;
