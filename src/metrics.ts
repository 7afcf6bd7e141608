import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { FastifyRequest } from "fastify";
import { type Database, statement } from "./db/database.ts";

export type Metrics = {
  readonly registry: Registry;
  readonly onServed: (request: FastifyRequest, status: number, seconds: number) => void;
};

/** What `/metrics` shows. Labels are route patterns and kinds, never ids: their number stays bounded. */
export function createMetrics(db: Database): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const served = new Counter({
    name: "slipway_http_requests_total",
    help: "Requests answered, by route, method and status.",
    labelNames: ["route", "method", "status"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "slipway_http_request_duration_seconds",
    help: "Time from a request's arrival to its answer.",
    labelNames: ["route", "method"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  registry.registerMetric(
    new Gauge({
      name: "slipway_reconciliations",
      help: "Entities with work ahead, by kind and by whether it is due.",
      labelNames: ["kind", "due"],
      registers: [],
      async collect() {
        this.reset();
        for (const { kind, due, count } of await db.query(COUNT_RECONCILIATIONS)) {
          this.set({ kind, due: String(due) }, count);
        }
      },
    }),
  );
  return {
    registry,
    onServed(request, status, seconds) {
      const route = request.routeOptions.url ?? "unknown";
      const { method } = request;
      served.inc({ route, method, status });
      duration.observe({ route, method }, seconds);
    },
  };
}

const COUNT_RECONCILIATIONS = statement<{ kind: string; due: boolean; count: number }>(
  "reconciliations_count",
  `SELECT kind, due_at <= now() AS due, count(organization_id)::int AS count
     FROM reconciliations GROUP BY kind, due_at <= now()`,
);
