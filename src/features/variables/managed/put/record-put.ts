/** Records the outcome of a put. Each record is guarded by the claim that the call was made under. */
import { CloudError } from "../../../../cloud/cloud.ts";
import { announceChange } from "../../../../db/changes.ts";
import type { Transaction } from "../../../../db/database.ts";
import { newId } from "../../../../lib/ids.ts";
import { backoffMs } from "../../../../jobs/backoff.ts";
import { reportDenial, suspectAwsAccount } from "../../../cloud-accounts/commands.ts";
import type { WaitingItem } from "../../env-variable.ts";
import { type Failure, SUPERSEDED } from "../../errors.ts";
import { emitFailed, emitVariables } from "../../emit-variables.ts";
import { slipwayOf } from "../../../audit/record-audit.ts";
import type { Batch } from "../batch.ts";
import { managedValues } from "../managed-value-store.ts";
import { type ClaimedItem, variableRuns } from "../run-store.ts";

/*
 * Every transaction here locks the item before its value, and the variable before both, as writes and deletions do:
 * in another order, two of them would deadlock.
 */

export type Claimed = ClaimedItem & { readonly startedAt: Date };

/** The value is in the cloud. */
export async function recordStored(
  batch: Batch,
  item: WaitingItem,
  claimed: Claimed,
  reference: string,
  isSettling: boolean,
): Promise<void> {
  const { deps, organizationId } = batch;
  await deps.db.transaction(async (tx) => {
    // The settled value is stored, but a newer one follows at once, so it never takes effect.
    if (isSettling) {
      await endFailed(tx, batch, item, SUPERSEDED);
      await endPut(tx, batch, item, claimed);
      return;
    }
    const state = await variableRuns.recordStored(
      tx,
      organizationId,
      item,
      reference,
      SUPERSEDED,
      newId("ver"),
    );
    await endPut(tx, batch, item, claimed);
    if (state === null) return;
    announceChange(tx, item.runId);
    const slipway = slipwayOf(organizationId);
    const scope = { ...item, organizationId };
    if (state === "STORED") emitVariables(tx, slipway, "env_variables.stored", scope, [item]);
    else emitFailed(tx, slipway, scope, [item], SUPERSEDED);
  });
}

/**
 * Ends an item for which no (further) call is made.
 * @returns false if an earlier attempt may still arrive, so that the next put of the name has to wait
 */
export async function recordFailed(batch: Batch, item: WaitingItem, failure: Failure): Promise<boolean> {
  await batch.deps.db.transaction(async (tx) => {
    if (await endFailed(tx, batch, item, failure)) await holdPutsAfter(tx, batch, item);
  });
  return !item.attemptOpen;
}

/** @returns false if it has ended already */
async function endFailed(
  tx: Transaction,
  { organizationId }: Batch,
  item: WaitingItem,
  failure: Failure,
): Promise<boolean> {
  if (!(await variableRuns.recordFailed(tx, organizationId, item, failure))) return false;
  announceChange(tx, item.runId);
  emitFailed(tx, slipwayOf(organizationId), { ...item, organizationId }, [item], failure);
  return true;
}

/** After its item has ended, an attempt of unknown outcome is never repeated. */
async function holdPutsAfter(
  tx: Transaction,
  { organizationId, scopeId }: Batch,
  { name, attemptOpen }: WaitingItem,
): Promise<void> {
  if (attemptOpen) await managedValues.holdPutsAfterOpenOnes(tx, organizationId, scopeId, [name]);
}

/**
 * The put has ended; an earlier attempt may still arrive.
 * @returns false if another worker has begun one since: then this result means nothing
 */
async function endPut(
  tx: Transaction,
  { organizationId, scopeId }: Batch,
  item: WaitingItem,
  { startedAt, putStartedBefore: startedBefore }: Claimed,
): Promise<boolean> {
  return await managedValues.endPut(tx, organizationId, scopeId, item, { startedAt, startedBefore });
}

/**
 * Ends an item whose last attempt changed nothing in the cloud, and never will.
 * @returns false if an earlier attempt may still arrive, so that the next put of the name has to wait
 */
export async function refuse(
  batch: Batch,
  item: WaitingItem,
  claimed: Claimed,
  failure: CloudError | Failure,
): Promise<boolean> {
  const { deps, organizationId, scopeId } = batch;
  const { code, message } = failure;
  await deps.db.transaction(async (tx) => {
    const hasEnded = await endFailed(tx, batch, item, { code, message });
    const isNewest = await endPut(tx, batch, item, claimed);
    if (hasEnded) {
      if (isNewest && !claimed.didExist) await managedValues.retract(tx, organizationId, scopeId, item);
      await holdPutsAfter(tx, batch, item);
    }
    if (failure instanceof CloudError && failure.kind === "denied")
      await suspectAwsAccount(tx, deps.jobs, organizationId, item.awsAccountId);
  });
  return !item.attemptOpen;
}

/** The last attempt changed nothing; it may be repeated. */
export async function retract(batch: Batch, item: WaitingItem, claimed: Claimed): Promise<void> {
  const { deps, organizationId, scopeId } = batch;
  await deps.db.transaction(async (tx) => {
    await variableRuns.lockItem(tx, organizationId, item);
    if (!(await endPut(tx, batch, item, claimed))) return;
    const isWaiting = await variableRuns.retractItem(tx, organizationId, item, item.attemptOpen);
    if (isWaiting && !claimed.didExist) await managedValues.retract(tx, organizationId, scopeId, item);
  });
}

/** The outcome of the last attempt, or of an earlier one, is unknown; the next attempt will find out. */
export async function postpone(
  { deps, organizationId }: Batch,
  item: WaitingItem,
  error: CloudError,
): Promise<void> {
  const { db, clock, log, random = Math.random } = deps;
  const attempts = item.attempts + 1;
  const delayMs = backoffMs(attempts, random());
  const { runId, kind } = item;
  await reportDenial(deps, error, organizationId, item.awsAccountId);
  log.debug({ organizationId, runId, kind, attempts, delayMs, err: error }, "A managed value has to wait");
  await variableRuns.postpone(db, organizationId, item, attempts, new Date(clock.now().getTime() + delayMs));
}
