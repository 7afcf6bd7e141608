import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { FastifyRequest } from "fastify";
import type { Changes } from "../db/changes.ts";
import type { DnsThread } from "../dns/thread/thread.ts";
import { type Database, DatabaseUnavailableError, readStatement } from "../db/database.ts";
import type { MetricsPage } from "../http/system-routes.ts";
import type { StepOutcome } from "../jobs/take-steps.ts";

export type Metrics = {
  readonly page: MetricsPage;
  readonly onServed: (request: FastifyRequest, status: number, seconds: number) => void;
  readonly onShed: () => void;
  readonly onRefusedSignIn: (reason: string) => void;
  readonly onStep: (kind: string, outcome: StepOutcome) => void;
  readonly onCheck: (result: string) => void;
  readonly onWebhookAttempt: (isDelivered: boolean) => void;
};

type Measured = { readonly db: Database; readonly changes: Changes; readonly dns: DnsThread };

/** How often the event loop's lag is taken. At prom-client's 10 ms, an idle process would mostly do that. */
const EVENT_LOOP_PRECISION_MS = 100;

/** The content of `/metrics`. Labels are route patterns and kinds, never ids, so that their number stays bounded. */
export function createMetrics({ db, changes, dns }: Measured): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  const served = new Counter({
    name: "slipway_http_requests_total",
    help: "Requests answered, by route, method and status.",
    labelNames: ["route", "method", "status"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "slipway_http_request_duration_seconds",
    help: "Time from a request's arrival to its answer, including waiting (Prefer: wait).",
    labelNames: ["route", "method"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const shed = new Counter({
    name: "slipway_http_requests_shed_total",
    help: "Requests refused with 503 because too many were waiting; not counted as answered.",
    registers: [registry],
  });
  const refused = new Counter({
    name: "slipway_sign_ins_refused_total",
    help: "Requests refused with 401: without an API key, with a malformed one, or with an unknown one.",
    labelNames: ["reason"],
    registers: [registry],
  });
  const steps = new Counter({
    name: "slipway_reconciliation_steps_total",
    help: "Steps that this process took, by kind and outcome: done, to be repeated, or failed.",
    labelNames: ["kind", "outcome"],
    registers: [registry],
  });
  const dnsChecks = new Counter({
    name: "slipway_dns_looks_total",
    help: "DNS checks by this process, by result: OK, or an error code.",
    labelNames: ["result"],
    registers: [registry],
  });
  const webhookAttempts = new Counter({
    name: "slipway_webhook_attempts_total",
    help: "Attempts of this process to deliver an event to a webhook endpoint, by result.",
    labelNames: ["result"],
    registers: [registry],
  });
  registry.registerMetric(
    new Gauge({
      name: "slipway_dns_heap_size_used_bytes",
      help: "Heap used by the DNS thread, which nodejs_heap_size_used_bytes does not include.",
      registers: [],
      async collect() {
        this.set(await dns.heapUsedBytes());
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: "slipway_waiting_reads",
      help: "Reads held open by Prefer: wait.",
      registers: [],
      collect() {
        this.set(changes.count());
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: "slipway_database_connections",
      help: "Connections of the pool by state; `waiting` counts requests for a connection.",
      labelNames: ["state"],
      registers: [],
      collect() {
        for (const [state, count] of Object.entries(db.pool())) this.set({ state }, count);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: "slipway_reconciliation_lag_seconds",
      help: "How long the longest-waiting entity has been due, by kind.",
      labelNames: ["kind"],
      registers: [],
      async collect() {
        this.reset();
        for (const { kind, lagSeconds } of await countDue(db)) this.set({ kind }, lagSeconds);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: "slipway_reconciliations_due",
      help: "Entities whose next step is due, by kind.",
      labelNames: ["kind"],
      registers: [],
      async collect() {
        this.reset();
        for (const { kind, count } of await countDue(db)) this.set({ kind }, count);
      },
    }),
  );
  return {
    page: { contentType: registry.contentType, render: () => registry.metrics() },
    onServed(request, status, seconds) {
      const route = request.routeOptions.url ?? "unknown";
      const { method } = request;
      served.inc({ route, method, status });
      duration.observe({ route, method }, seconds);
    },
    onRefusedSignIn: (reason) => refused.inc({ reason }),
    onShed: () => shed.inc(),
    onStep: (kind, outcome) => steps.inc({ kind, outcome }),
    onCheck: (result) => dnsChecks.inc({ result }),
    onWebhookAttempt: (isDelivered) => webhookAttempts.inc({ result: isDelivered ? "delivered" : "failed" }),
  };
}

type Due = { kind: string; count: number; lagSeconds: number };

/** Left out while the database is down: the other figures matter just then. */
async function countDue(db: Database): Promise<readonly Due[]> {
  try {
    return await db.query(COUNT_DUE);
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return [];
    throw error;
  }
}

/** Counts only due work: millions of jobs may be waiting. */
const COUNT_DUE = readStatement<Due>(
  "reconciliations_count_due",
  `SELECT kind, count(organization_id)::int AS count,
          extract(epoch FROM now() - min(due_at))::float8 AS "lagSeconds"
     FROM reconciliations WHERE due_at <= now() GROUP BY kind`,
);
