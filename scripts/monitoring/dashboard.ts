/** The rows and panels of the Grafana dashboard in `deploy/grafana/`. */
import { METRICS } from "../../src/start/metric-catalogue.ts";

/** `unit` as Grafana names it; `legend` with the labels of a series. */
export type Panel = {
  readonly title: string;
  readonly says: string;
  readonly unit: "short" | "reqps" | "ops" | "s" | "bytes" | "percentunit";
  readonly queries: readonly { readonly expr: string; readonly legend: string }[];
};

const HERE = 'instance=~"$instance"';
const RATE = "[$__rate_interval]";
const m = METRICS;

const quantile = (q: number): { expr: string; legend: string } => ({
  // Reads that wait for a change (Prefer: wait) are as long as clients want.
  expr: `histogram_quantile(${q}, sum by (le) (rate(${m.requestDuration.name}_bucket{${HERE}, method!="GET"}${RATE})))`,
  legend: `p${q * 100}`,
});

export const DASHBOARD: readonly { readonly title: string; readonly panels: readonly Panel[] }[] = [
  {
    title: "Requests",
    panels: [
      {
        title: "Requests by status",
        says: "500 is a defect; 503 is the database.",
        unit: "reqps",
        queries: [
          { expr: `sum by (status) (rate(${m.requests.name}{${HERE}}${RATE}))`, legend: "{{status}}" },
        ],
      },
      {
        title: "Duration of writes",
        says: "From a request's arrival to its answer.",
        unit: "s",
        queries: [quantile(0.5), quantile(0.95), quantile(0.99)],
      },
      {
        title: "Refused",
        says: "Because too many waited, or without a valid key.",
        unit: "reqps",
        queries: [
          { expr: `sum(rate(${m.shedRequests.name}{${HERE}}${RATE}))`, legend: "too many waited" },
          {
            expr: `sum by (reason) (rate(${m.refusedSignIns.name}{${HERE}}${RATE}))`,
            legend: "key {{reason}}",
          },
        ],
      },
      {
        title: "Waiting reads",
        says: "Held open by Prefer: wait, and event streams.",
        unit: "short",
        queries: [{ expr: `sum by (instance) (${m.waitingReads.name}{${HERE}})`, legend: "{{instance}}" }],
      },
    ],
  },
  {
    title: "Work",
    panels: [
      {
        title: "How long work has been due",
        says: "Above a minute: too few workers, or a slow database.",
        unit: "s",
        queries: [{ expr: `max by (kind) (${m.workLag.name}{${HERE}})`, legend: "{{kind}}" }],
      },
      {
        title: "Work that is due",
        says: "Entities whose next step is due.",
        unit: "short",
        queries: [{ expr: `max by (kind) (${m.dueWork.name}{${HERE}})`, legend: "{{kind}}" }],
      },
      {
        title: "Steps",
        says: "By kind.",
        unit: "ops",
        queries: [{ expr: `sum by (kind) (rate(${m.steps.name}{${HERE}}${RATE}))`, legend: "{{kind}}" }],
      },
      {
        title: "Failed steps",
        says: "They are tried again. Many mean that a cloud account refuses calls or does not answer.",
        unit: "ops",
        queries: [
          {
            expr: `sum by (kind) (rate(${m.steps.name}{${HERE}, outcome="failed"}${RATE}))`,
            legend: "{{kind}}",
          },
        ],
      },
    ],
  },
  {
    title: "Domains",
    panels: [
      {
        title: "DNS checks by result",
        says: "OK, or what is wrong.",
        unit: "ops",
        queries: [
          { expr: `sum by (result) (rate(${m.dnsChecks.name}{${HERE}}${RATE}))`, legend: "{{result}}" },
        ],
      },
      {
        title: "Lateness of DNS checks",
        says: "How late the next record is.",
        unit: "s",
        queries: [{ expr: `max by (instance) (${m.dnsLag.name}{${HERE}})`, legend: "{{instance}}" }],
      },
      {
        title: "First certificate to expire",
        says: "The time until then.",
        unit: "s",
        queries: [{ expr: `min(${m.certificateLife.name}{${HERE}})`, legend: "left" }],
      },
      {
        title: "Least life of a certificate",
        says: "Of an own server. A renewal is due at a third.",
        unit: "percentunit",
        queries: [{ expr: `min(${m.certificateLifeLeft.name}{${HERE}})`, legend: "left" }],
      },
    ],
  },
  {
    title: "Own server",
    panels: [
      {
        title: "Edges by state",
        says: "Of an own server, like the others of this row.",
        unit: "short",
        queries: [{ expr: `max by (state) (${m.edges.name}{${HERE}})`, legend: "{{state}}" }],
      },
      {
        title: "Names that wait for a certificate",
        says: "By the party that has to act.",
        unit: "short",
        queries: [
          { expr: `max by (waits_for) (${m.certificateOrders.name}{${HERE}})`, legend: "{{waits_for}}" },
        ],
      },
      {
        title: "Budgets of the CA",
        says: "The least that is left of each limit.",
        unit: "percentunit",
        queries: [
          { expr: `min by (ca, limit) (${m.caBudgetLeft.name}{${HERE}})`, legend: "{{ca}} {{limit}}" },
        ],
      },
      {
        title: "Failures of the CA",
        says: "In a row.",
        unit: "short",
        queries: [{ expr: `max by (ca) (${m.caFailures.name}{${HERE}})`, legend: "{{ca}}" }],
      },
    ],
  },
  {
    title: "Events and webhooks",
    panels: [
      {
        title: "Events without a number",
        says: "How long the oldest has been waiting.",
        unit: "s",
        queries: [{ expr: `max(${m.eventLag.name}{${HERE}})`, legend: "oldest" }],
      },
      {
        title: "Deliveries",
        says: "Attempts by result.",
        unit: "ops",
        queries: [
          { expr: `sum by (result) (rate(${m.webhookAttempts.name}{${HERE}}${RATE}))`, legend: "{{result}}" },
        ],
      },
      {
        title: "Events that endpoints have not come to",
        says: "By the endpoint's status.",
        unit: "short",
        queries: [{ expr: `max by (status) (${m.webhookBacklog.name}{${HERE}})`, legend: "{{status}}" }],
      },
      {
        title: "Webhook endpoints",
        says: "By status.",
        unit: "short",
        queries: [{ expr: `max by (status) (${m.webhookEndpoints.name}{${HERE}})`, legend: "{{status}}" }],
      },
    ],
  },
  {
    title: "Database",
    panels: [
      {
        title: "Connections",
        says: "`waiting` counts statements without one.",
        unit: "short",
        queries: [{ expr: `sum by (state) (${m.connections.name}{${HERE}})`, legend: "{{state}}" }],
      },
      {
        title: "Lag of the last standby",
        says: "Empty without standbys, or if Slipway's user may not see them (pg_monitor).",
        unit: "s",
        queries: [{ expr: `max(${m.replicationLag.name}{${HERE}})`, legend: "lag" }],
      },
      {
        title: "Standbys",
        says: "That receive from the database.",
        unit: "short",
        queries: [{ expr: `max(${m.replicas.name}{${HERE}})`, legend: "standbys" }],
      },
    ],
  },
  {
    title: "Processes",
    panels: [
      {
        title: "Processor",
        says: "Cores in use.",
        unit: "short",
        queries: [{ expr: `rate(process_cpu_seconds_total{${HERE}}${RATE})`, legend: "{{instance}}" }],
      },
      {
        title: "Memory",
        says: "Resident.",
        unit: "bytes",
        queries: [{ expr: `process_resident_memory_bytes{${HERE}}`, legend: "{{instance}}" }],
      },
      {
        title: "Heap",
        says: "Used.",
        unit: "bytes",
        queries: [{ expr: `nodejs_heap_size_used_bytes{${HERE}}`, legend: "{{instance}}" }],
      },
      {
        title: "Lag of the event loop",
        says: "The 99th percentile.",
        unit: "s",
        queries: [{ expr: `nodejs_eventloop_lag_p99_seconds{${HERE}}`, legend: "{{instance}}" }],
      },
    ],
  },
];
