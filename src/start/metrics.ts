import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { FastifyRequest } from "fastify";
import type { OwnServerState } from "../../sandbox/src/host/server-state.ts";
import type { Changes } from "../db/changes.ts";
import type { Database } from "../db/database.ts";
import type { MetricsPage } from "../http/system-routes.ts";
import type { StepOutcome } from "../jobs/run-claim.ts";
import { type DatabaseMetrics, readDatabaseMetrics } from "./database-metrics.ts";
import { type Metric, METRICS } from "./metric-catalogue.ts";
import { createOwnServerGauges } from "./own-server-metrics.ts";

export type Metrics = ReturnType<typeof createMetrics>;

type Measured = {
  readonly db: Database;
  readonly changes: Changes;
  /** Null with another cloud. */
  readonly readOwnServer: (() => Promise<OwnServerState>) | null;
};

/** How often the event loop's lag is taken. At prom-client's 10 ms, an idle process would mostly do that. */
const EVENT_LOOP_PRECISION_MS = 100;

/** The content of `/metrics`. */
export function createMetrics({ db, changes, readOwnServer }: Measured) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  const registers = [registry];
  const counter = (metric: Metric) => new Counter({ ...metric, registers });
  const gauge = (metric: Metric) => new Gauge({ ...metric, registers });
  const served = counter(METRICS.requests);
  const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
  const duration = new Histogram({ ...METRICS.requestDuration, buckets, registers });
  const shed = counter(METRICS.shedRequests);
  const refused = counter(METRICS.refusedSignIns);
  const steps = counter(METRICS.steps);
  const dnsChecks = counter(METRICS.dnsChecks);
  const webhookAttempts = counter(METRICS.webhookAttempts);
  const late = createLateness();

  const dnsLag = gauge(METRICS.dnsLag);
  const waitingReads = gauge(METRICS.waitingReads);
  const connections = gauge(METRICS.connections);
  const showDatabase = createDatabaseGauges(gauge);
  const showOwnServer = createOwnServerGauges(gauge, readOwnServer);
  const render = async (): Promise<string> => {
    showDatabase(await readDatabaseMetrics(db));
    await showOwnServer();
    dnsLag.set(late.seconds());
    waitingReads.set(changes.count());
    for (const [state, count] of Object.entries(db.pool())) connections.set({ state }, count);
    return await registry.metrics();
  };

  return {
    page: { contentType: registry.contentType, render } satisfies MetricsPage,
    onServed(request: FastifyRequest, status: number, seconds: number): void {
      const route = request.routeOptions.url ?? "unknown";
      const { method } = request;
      served.inc({ route, method, status });
      duration.observe({ route, method }, seconds);
    },
    onRefusedSignIn: (reason: string) => refused.inc({ reason }),
    onShed: () => shed.inc(),
    onStep: (kind: string, outcome: StepOutcome) => steps.inc({ kind, outcome }),
    onCheck: (result: string) => dnsChecks.inc({ result }),
    onLate: (seconds: number) => late.report(seconds),
    onWebhookAttempt: (isDelivered: boolean) =>
      webhookAttempts.inc({ result: isDelivered ? "delivered" : "failed" }),
  };
}

/** The gauges of what the database knows. They have no values while it is down. */
function createDatabaseGauges(gauge: (metric: Metric) => Gauge): (found: DatabaseMetrics | null) => void {
  const workLag = gauge(METRICS.workLag);
  const dueWork = gauge(METRICS.dueWork);
  const certificateLife = gauge(METRICS.certificateLife);
  const eventLag = gauge(METRICS.eventLag);
  const webhookEndpoints = gauge(METRICS.webhookEndpoints);
  const webhookBacklog = gauge(METRICS.webhookBacklog);
  const replicas = gauge(METRICS.replicas);
  const replicationLag = gauge(METRICS.replicationLag);
  const labelled = [workLag, dueWork, webhookEndpoints, webhookBacklog];
  const single = [certificateLife, eventLag, replicas, replicationLag];
  return (found) => {
    for (const one of labelled) one.reset();
    // Their `reset` would set them to 0.
    for (const one of single) one.remove();
    if (found === null) return;
    const { due, certificateSecondsLeft, eventLagSeconds, webhooks, replication } = found;
    for (const { kind, count, lagSeconds } of due) {
      workLag.set({ kind }, lagSeconds);
      dueWork.set({ kind }, count);
    }
    if (certificateSecondsLeft !== null) certificateLife.set(certificateSecondsLeft);
    eventLag.set(eventLagSeconds);
    for (const { status, endpoints, backlog } of webhooks) {
      webhookEndpoints.set({ status }, endpoints);
      webhookBacklog.set({ status }, backlog);
    }
    if (replication === null) return;
    replicas.set(replication.replicas);
    if (replication.lagSeconds !== null) replicationLag.set(replication.lagSeconds);
  };
}

/** The last reported lateness plus the time since then, because a stopped sweep reports nothing. */
function createLateness() {
  let last: { readonly seconds: number; readonly atMs: number } | null = null;
  return {
    report(seconds: number): void {
      last = { seconds, atMs: performance.now() };
    },
    seconds: (): number => (last === null ? 0 : last.seconds + (performance.now() - last.atMs) / 1_000),
  };
}
