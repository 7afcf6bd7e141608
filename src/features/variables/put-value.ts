/** Puts the waiting values of one name into the cloud, each under a claim. */
import { type Cloud, type CloudAccount, CloudError, isAbsence } from "../../cloud/cloud.ts";
import { SealingError } from "../../sealing/sealing-error.ts";
import type { Secret } from "../../sealing/secret.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import type { WaitingItem } from "./env-variable.ts";
import { EXPIRED, type Failure, KEY_DESTROYED, NOT_CONNECTED, SUPERSEDED, TAMPERED } from "./errors.ts";
import { type Context, isOver } from "./context.ts";
import { tokenOf } from "./cloud-name.ts";
import type { NamePlan } from "./decide-managed.ts";
import { type ClaimedItem, variableRuns } from "./run-store.ts";
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import { newId } from "../../lib/ids.ts";
import { backoffMs } from "../../jobs/backoff.ts";
import { reportDenial, suspectAwsAccount } from "../cloud-accounts/commands.ts";
import { emitFailed, emitVariables } from "./emit-variables.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { managedValues } from "./managed-value-store.ts";

/** Does what is due for one name. */
export async function putValues(context: Context, plan: NamePlan): Promise<void> {
  for (const step of plan) {
    switch (step.kind) {
      case "wait":
        break;
      case "supersede":
        if (!(await recordFailed(context, step.item, SUPERSEDED))) return;
        break;
      case "expire":
        if (!(await recordFailed(context, step.item, EXPIRED))) return;
        break;
      case "settle":
      case "put": {
        const hasEnded = await put(context, step.item, step.kind === "settle");
        // The next item must not arrive before this one.
        if (!hasEnded) return;
      }
    }
  }
}

/** True if the item has ended, with any result, and no call of it can still arrive. */
async function put(context: Context, item: WaitingItem, isSettling: boolean): Promise<boolean> {
  const { deps, organizationId } = context;
  const { db, clock } = deps;
  const account = await getConnectedAccount(db, organizationId, item.awsAccountId, item.runId);
  if (account === null) {
    return await recordFailed(context, item, NOT_CONNECTED);
  }
  const pacer = context.pacing(`${item.kind}/put/${item.awsAccountId}/${item.region}`);
  const slot = await pacer.slot(context.deadlineMs);
  if (slot === null) context.lackedSlot = true;
  if (slot === null || isOver(context)) return false;
  const startedAt = clock.now();
  const found = await variableRuns.claim(db, organizationId, item, startedAt, isSettling);
  if (found === null) return true;
  const claimed: Claimed = { ...found, startedAt };
  const opened = await open(context, item, claimed);
  if (!("value" in opened)) return await refuse(context, item, claimed, opened.failure);
  try {
    const { reference } = await callPut(deps.cloud, { ...account, startedAt }, item, opened.value);
    pacer.report(slot, "taken");
    context.wasAnswered = true;
    await recordStored(context, item, claimed, reference, isSettling);
    return true;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    pacer.report(slot, error.code === "THROTTLED" ? "throttled" : "taken");
    if (isAbsence(error)) {
      context.absences.push({ error, putOff: () => postpone(context, item, error) });
      return false;
    }
    context.wasAnswered = true;
    if (error.code === "THROTTLED") {
      // It stays due: the next step retries it, at the rate that the store allows.
      await retract(context, item, claimed);
      return false;
    }
    if (error.kind === "retryable" || leavesUnknown(error, item, isSettling)) {
      await postpone(context, item, error);
      return false;
    }
    return await refuse(context, item, claimed, error);
  }
}

/**
 * The newest value of a name was denied, but an earlier attempt may have succeeded, so it could be wrong to record a
 * failure. It is retried until an answer shows the state, at most for the life of its run. Other refusals are about
 * the request itself, which the earlier attempt sent too.
 */
function leavesUnknown({ kind }: CloudError, { attemptOpen }: WaitingItem, isSettling: boolean): boolean {
  return kind === "denied" && attemptOpen && !isSettling;
}

function callPut(
  cloud: Cloud,
  account: CloudAccount,
  { kind, runId, name, region, cloudName, environmentId }: WaitingItem,
  value: Secret,
): Promise<{ reference: string }> {
  const store = kind === "parameterStore" ? cloud.parameters : cloud.secrets;
  return store.put(
    { ...account, environmentId },
    { region, name: cloudName, value: value.reveal(), token: tokenOf(runId, name) },
  );
}

/** @throws SealingError if only the operator can help */
async function open(
  { deps, organizationId, scopeId }: Context,
  { runId, name, kind, generation, epochId, wrappedKey }: WaitingItem,
  { sealed }: ClaimedItem,
): Promise<{ value: Secret } | { failure: Failure }> {
  const run = { organizationId, scopeId, runId };
  try {
    const item = { name, kind, generation };
    return { value: await deps.sealing.openItem(run, { epochId, wrappedKey }, item, sealed) };
  } catch (error) {
    if (!(error instanceof SealingError)) throw error;
    if (error.code === "KEY_DESTROYED") return { failure: KEY_DESTROYED };
    if (error.code === "TAMPERED") return { failure: TAMPERED };
    throw error;
  }
}

/*
 * The outcome of a put is recorded under the claim that the call was made under. Every transaction here locks the item
 * before its value, and the variable before both, as writes and deletions do: in another order, two of them would
 * deadlock.
 */

/** A put that was begun. */
type Claimed = ClaimedItem & { readonly startedAt: Date };

/** The value is in the cloud. */
async function recordStored(
  context: Context,
  item: WaitingItem,
  claimed: Claimed,
  reference: string,
  isSettling: boolean,
): Promise<void> {
  const { deps, organizationId, scopeId } = context;
  await deps.db.transaction(async (tx) => {
    // The settled value is stored, but a newer one follows at once, so it never takes effect.
    if (isSettling) {
      await endFailed(tx, context, item, SUPERSEDED);
      await managedValues.endPut(tx, organizationId, scopeId, item, claimed);
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
    await managedValues.endPut(tx, organizationId, scopeId, item, claimed);
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
async function recordFailed(context: Context, item: WaitingItem, failure: Failure): Promise<boolean> {
  await context.deps.db.transaction(async (tx) => {
    if (await endFailed(tx, context, item, failure)) await holdPutsAfter(tx, context, item);
  });
  return !item.attemptOpen;
}

/** @returns false if it has ended already */
async function endFailed(
  tx: Transaction,
  { organizationId }: Context,
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
  { organizationId, scopeId }: Context,
  { name, attemptOpen }: WaitingItem,
): Promise<void> {
  if (attemptOpen) await managedValues.holdPutsAfterOpenOnes(tx, organizationId, scopeId, [name]);
}

/**
 * Ends an item whose last attempt changed nothing in the cloud, and never will.
 * @returns false if an earlier attempt may still arrive, so that the next put of the name has to wait
 */
async function refuse(
  context: Context,
  item: WaitingItem,
  claimed: Claimed,
  failure: CloudError | Failure,
): Promise<boolean> {
  const { deps, organizationId, scopeId } = context;
  const { code, message } = failure;
  await deps.db.transaction(async (tx) => {
    const hasEnded = await endFailed(tx, context, item, { code, message });
    const isNewest = await managedValues.endPut(tx, organizationId, scopeId, item, claimed);
    if (hasEnded) {
      if (isNewest && !claimed.didExist) await managedValues.retract(tx, organizationId, scopeId, item);
      await holdPutsAfter(tx, context, item);
    }
    if (failure instanceof CloudError && failure.kind === "denied")
      await suspectAwsAccount(tx, deps.jobs, organizationId, item.awsAccountId);
  });
  return !item.attemptOpen;
}

/** The last attempt changed nothing; it may be repeated. */
async function retract(context: Context, item: WaitingItem, claimed: Claimed): Promise<void> {
  const { deps, organizationId, scopeId } = context;
  await deps.db.transaction(async (tx) => {
    await variableRuns.lockItem(tx, organizationId, item);
    if (!(await managedValues.endPut(tx, organizationId, scopeId, item, claimed))) return;
    const isWaiting = await variableRuns.retractItem(tx, organizationId, item, item.attemptOpen);
    if (isWaiting && !claimed.didExist) await managedValues.retract(tx, organizationId, scopeId, item);
  });
}

/** The outcome of the last attempt, or of an earlier one, is unknown; the next attempt will find out. */
async function postpone(
  { deps, organizationId }: Context,
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
