/** Puts the waiting values of one name into the cloud, each under a claim. */
import { type Cloud, type CloudAccount, CloudError, isAbsence } from "../../../../cloud/cloud.ts";
import { SealingError } from "../../../../sealing/sealing-error.ts";
import type { Secret } from "../../../../sealing/secret.ts";
import { getConnectedAccount } from "../../../cloud-accounts/commands.ts";
import type { WaitingItem } from "../../env-variable.ts";
import { EXPIRED, type Failure, KEY_DESTROYED, NOT_CONNECTED, SUPERSEDED, TAMPERED } from "../../errors.ts";
import { type Batch, isOver } from "../batch.ts";
import { tokenOf } from "../cloud-name.ts";
import type { NamePlan } from "../decide-scope.ts";
import { type Claimed, postpone, recordFailed, recordStored, refuse, retract } from "./record-put.ts";
import { type ClaimedItem, variableRuns } from "../run-store.ts";

/** Does what is due for one name. */
export async function putValues(batch: Batch, plan: NamePlan): Promise<void> {
  for (const step of plan) {
    switch (step.kind) {
      case "wait":
        break;
      case "supersede":
        if (!(await recordFailed(batch, step.item, SUPERSEDED))) return;
        break;
      case "expire":
        if (!(await recordFailed(batch, step.item, EXPIRED))) return;
        break;
      case "settle":
      case "put": {
        const hasEnded = await put(batch, step.item, step.kind === "settle");
        // The next item must not arrive before this one.
        if (!hasEnded) return;
      }
    }
  }
}

/** True if the item has ended, with any result, and no call of it can still arrive. */
async function put(batch: Batch, item: WaitingItem, isSettling: boolean): Promise<boolean> {
  const { deps, organizationId } = batch;
  const { db, clock } = deps;
  const account = await getConnectedAccount(db, organizationId, item.awsAccountId, item.runId);
  if (account === null) {
    return await recordFailed(batch, item, NOT_CONNECTED);
  }
  const pacer = batch.pacing(`${item.kind}/put/${item.awsAccountId}/${item.region}`);
  const turn = await pacer.turn(batch.deadlineMs);
  if (turn === null) batch.lackedTurn = true;
  if (turn === null || isOver(batch)) return false;
  const startedAt = clock.now();
  const found = await variableRuns.claim(db, organizationId, item, startedAt, isSettling);
  if (found === null) return true;
  const claimed: Claimed = { ...found, startedAt };
  const opened = await open(batch, item, claimed);
  if (!("value" in opened)) return await refuse(batch, item, claimed, opened.failure);
  try {
    const { reference } = await callPut(deps.cloud, { ...account, startedAt }, item, opened.value);
    pacer.report(turn, "taken");
    batch.wasAnswered = true;
    await recordStored(batch, item, claimed, reference, isSettling);
    return true;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    pacer.report(turn, error.code === "THROTTLED" ? "throttled" : "taken");
    if (isAbsence(error)) {
      batch.absences.push({ error, putOff: () => postpone(batch, item, error) });
      return false;
    }
    batch.wasAnswered = true;
    if (error.code === "THROTTLED") {
      // It stays due: the next step retries it, at the rate that the store allows.
      await retract(batch, item, claimed);
      return false;
    }
    if (error.kind === "retryable" || leavesUnknown(error, item, isSettling)) {
      await postpone(batch, item, error);
      return false;
    }
    return await refuse(batch, item, claimed, error);
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
  { kind, runId, name, region, cloudName }: WaitingItem,
  value: Secret,
): Promise<{ reference: string }> {
  const store = kind === "parameterStore" ? cloud.parameters : cloud.secrets;
  return store.put(account, { region, name: cloudName, value: value.reveal(), token: tokenOf(runId, name) });
}

/** @throws SealingError if only the operator can help */
async function open(
  { deps, organizationId, scopeId }: Batch,
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
