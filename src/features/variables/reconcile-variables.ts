/**
 * Stores the managed values of one scope in the customer's cloud, and removes there what is no longer
 * used. A job only names the scope. Environments and services may be deleted by then, so everything that is
 * needed is in the rows of runs and managed values.
 *
 * One step makes the calls that are due for all names; or, if no write is due, the removals. Different names
 * are sent in parallel; one name has one writer, because a scope has one job at a time.
 *
 * If a worker is overtaken (it stood still while another took over its job), it must not leave an older
 * value behind. Four measures prevent this. Right before each call, one statement checks that the item
 * still waits and is the newest (`claim`). Each call has a token by which the store recognizes a repetition, which
 * then changes nothing. An attempt of unknown outcome is repeated before a newer value is put in the same
 * place (`settle`); if the repetition is refused, it is waited out (`STRAGGLER_MS`). Calls of unknown outcome are also
 * waited out around a removal, after which the store forgets its tokens: the removal is repeated when no call can
 * arrive any longer, and nothing is put there before. One case remains: a process that freezes for longer than that
 * between the claim and the call (or for longer than its lease, if the store has no tokens at all). To repair this, we
 * would have to keep the newest value, which sealed values are deleted to avoid.
 */
import { announceChange } from "../../db/changes.ts";
import type { Reconcile } from "../../jobs/jobs.ts";
import { type Context, endAbsences, hadNoSlot, inLanes, type VariableScopeDeps } from "./context.ts";
import { decideRemovals, decideWrites, storeOfPlan } from "./decide-managed.ts";
import { managedValues } from "./managed-value-store.ts";
import { createPacing } from "./pacing.ts";
import { putValues } from "./put-value.ts";
import { removeValue } from "./remove-value.ts";
import { variableRuns } from "./run-store.ts";

/** A step starts no call after this time; the rest is left to the next step. */
const BATCH_MS = 3_000;
/** Other scopes of the account use all slots of the next seconds. */
const NO_SLOT_MS = 1_000;

export function reconcileVariableScope(deps: VariableScopeDeps): Reconcile {
  const { db, clock } = deps;
  const pacing = createPacing();
  return async ({ organizationId, id: scopeId }, signal) => {
    const context: Context = {
      deps,
      organizationId,
      scopeId,
      signal,
      pacing,
      deadlineMs: performance.now() + BATCH_MS,
      absences: [],
      wasAnswered: false,
      lackedSlot: false,
    };
    const waiting = await variableRuns.listWaiting(db, organizationId, scopeId);
    const writes = decideWrites(waiting, clock.now());
    if (writes.now.length > 0) {
      await inLanes(context, writes.now, storeOfPlan, putValues);
    } else {
      const unused = await managedValues.listUnused(db, organizationId, scopeId);
      const removals = decideRemovals(unused, clock.now());
      if (removals.now.length === 0) return restOf(writes.nextMs, removals.nextMs);
      await inLanes(context, removals.now, ({ value }) => value.kind, removeValue);
    }
    announceChange(db, scopeId);
    await endAbsences(context);
    return { runAfterMs: hadNoSlot(context) ? NO_SLOT_MS : 0 };
  };
}

function restOf(...nextMs: readonly (number | null)[]): { runAfterMs: number } | "done" {
  const known = nextMs.filter((ms) => ms !== null);
  return known.length === 0 ? "done" : { runAfterMs: Math.min(...known) };
}
