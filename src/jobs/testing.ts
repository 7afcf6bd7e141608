import type { EntityRef, Reconcile, ReconcileResult } from "./jobs.ts";

type AtRest = Exclude<ReconcileResult, { next: unknown }>;

const MOST_STEPS = 50;

/**
 * For tests without a worker: takes a reconciler's steps in a row, as the worker does. Ends with the first result that
 * is not due at once, or after `MOST_STEPS` steps.
 */
export function stepsInARow(reconcile: Reconcile): (ref: EntityRef, signal: AbortSignal) => Promise<AtRest> {
  return async (ref, signal) => {
    let result = await reconcile(ref, signal);
    for (let step = 1; step < MOST_STEPS && result !== "done"; step += 1) {
      if ("next" in result) result = await result.next(signal);
      else if (result.runAfterMs === 0) result = await reconcile(ref, signal);
      else return result;
    }
    return result !== "done" && "next" in result ? { runAfterMs: 0 } : result;
  };
}
