/**
 * Brings the managed values of one scope to the customer's cloud, and removes there what is no longer
 * used. A job names the scope alone; environments and services may be gone by then, so all that is
 * needed lies in the rows of runs and managed values.
 *
 * One step is one batch: the calls that are due of all names, or the removals when no write is due. Different names go
 * to the cloud at the same time; one name has one writer, because a scope has one job at a time.
 *
 * That a worker was overtaken (it stood still while another took its job over) must not leave an older
 * value behind. Four things see to it: right before each call one statement makes sure that the item
 * still waits and is the newest (`claim`); a call carries a token by which the store recognizes it, so
 * that a repetition changes nothing; an attempt of unknown outcome is repeated before a newer value is put in the same
 * place (`settle`), or waited out where that is refused (`STRAGGLER_MS`); and calls of unknown outcome are waited out
 * around a removal, which has the store forget its tokens: it is repeated when none can arrive any more, and
 * nothing is put there before. What is left is a process that freezes for longer than that between the claim
 * and the call, or than its lease where the store holds no tokens at all. To write the newest value once more
 * after that, one would have to keep it, which is what sealed values are deleted to avoid.
 */
import { announceChange } from "../../../db/changes.ts";
import type { Reconcile } from "../../../jobs/jobs.ts";
import { type Batch, endAbsences, hadNoTurn, inLanes, type VariableScopeDeps } from "./batch.ts";
import { decideRemovals, decideWrites, storeOfPlan } from "./decide-scope.ts";
import { managedValues } from "./managed-value-store.ts";
import { createPacing } from "./put/pacing.ts";
import { putValues } from "./put/put-value.ts";
import { removeValue } from "./remove/remove-value.ts";
import { variableRuns } from "./run-store.ts";

/** A step begins no call after this; what is left is the next step's. */
const BATCH_MS = 3_000;
/** Other scopes of the account have all turns of the next seconds. */
const NO_TURN_MS = 1_000;

export function reconcileVariableScope(deps: VariableScopeDeps): Reconcile {
  const { db, clock } = deps;
  const pacing = createPacing();
  return async ({ organizationId, id: scopeId }, signal) => {
    const batch: Batch = {
      deps,
      organizationId,
      scopeId,
      signal,
      pacing,
      deadlineMs: performance.now() + BATCH_MS,
      absences: [],
      wasAnswered: false,
      lackedTurn: false,
    };
    const waiting = await variableRuns.listWaiting(db, organizationId, scopeId);
    const writes = decideWrites(waiting, clock.now());
    if (writes.now.length > 0) {
      await inLanes(batch, writes.now, storeOfPlan, putValues);
    } else {
      const unused = await managedValues.listUnused(db, organizationId, scopeId);
      const removals = decideRemovals(unused, clock.now());
      if (removals.now.length === 0) return restOf(writes.nextMs, removals.nextMs);
      await inLanes(batch, removals.now, ({ value }) => value.kind, removeValue);
    }
    announceChange(db, scopeId);
    await endAbsences(batch);
    return { runAfterMs: hadNoTurn(batch) ? NO_TURN_MS : 0 };
  };
}

function restOf(...nextMs: readonly (number | null)[]): { runAfterMs: number } | "done" {
  const known = nextMs.filter((ms) => ms !== null);
  return known.length === 0 ? "done" : { runAfterMs: Math.min(...known) };
}
