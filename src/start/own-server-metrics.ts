/** What `/metrics` has of an own server, without names. */
import type { Gauge } from "prom-client";
import type { OwnServerState } from "../../sandbox/src/host/server-state.ts";
import { AppError } from "../lib/errors.ts";
import { type Metric, METRICS } from "./metric-catalogue.ts";

/** The state has up to some 100,000 names to count, and anyone who reaches `/metrics` may ask for it. */
const KEPT_MS = 10_000;
const EDGE_STATES = ["CURRENT", "BEHIND", "SILENT"] as const;

/** @param read null with another cloud. @returns sets the gauges. While this server's edge does not answer, it is silent, and the others have no values */
export function createOwnServerGauges(
  gauge: (metric: Metric) => Gauge,
  read: (() => Promise<OwnServerState>) | null,
): () => Promise<void> {
  const edges = gauge(METRICS.edges);
  const lifeLeft = gauge(METRICS.certificateLifeLeft);
  const orders = gauge(METRICS.certificateOrders);
  const failures = gauge(METRICS.caFailures);
  const budgetLeft = gauge(METRICS.caBudgetLeft);
  // Without a label, it would be 0 and not absent.
  lifeLeft.remove();
  if (read === null) return async () => undefined;
  let shownAtMs = -Infinity;

  function show({ edges: found, certificates, orders: counts, authorities }: OwnServerState): void {
    for (const state of EDGE_STATES)
      edges.set({ state: state.toLowerCase() }, found.filter((edge) => edge.state === state).length);
    if (certificates.leastLifeLeft !== null) lifeLeft.set(certificates.leastLifeLeft);
    orders.set({ waits_for: "order" }, counts.ordering);
    orders.set({ waits_for: "ca" }, counts.waitingForCa);
    orders.set({ waits_for: "operator" }, counts.waitingForOperator);
    orders.set({ waits_for: "customer" }, counts.waitingForCustomer);
    for (const [index, authority] of authorities.entries()) {
      const ca = index === 0 ? "first" : "second";
      failures.set({ ca }, authority.failures);
      // The smallest share comes first, and must not be replaced.
      for (const { limit, left, count } of authority.budgets.toReversed())
        budgetLeft.set({ ca, limit }, left / count);
    }
  }

  return async () => {
    if (performance.now() - shownAtMs < KEPT_MS) return;
    shownAtMs = performance.now();
    const state = await read().catch((error: unknown) => {
      if (error instanceof AppError) return null;
      throw error;
    });
    for (const one of [edges, orders, failures, budgetLeft]) one.reset();
    lifeLeft.remove();
    if (state === null) edges.set({ state: "silent" }, 1);
    else show(state);
  };
}
