/**
 * Brings the managed values of one scope to the customer's cloud, and removes there what is no longer
 * used. A job names the scope alone; environments and services may be gone by then, so all that is
 * needed lies in the rows of runs and managed values.
 *
 * A pass works a few seconds, then lets others have the worker. Different names go to the cloud at the
 * same time; one name has one writer, because a scope has one job at a time.
 *
 * That a worker was overtaken (it stood still while another took its job over) must not leave an older
 * value behind. Four things see to it: right before each call one statement makes sure that the item
 * still waits and is the newest (`claim`); a call carries a token by which the store recognizes it, so
 * that a repetition changes nothing; an attempt whose end nobody knows is repeated before a newer value
 * is put in the same place (`settle`); and around a removal, which has the store forget its tokens, calls of
 * which nobody knows the end are waited out (`STRAGGLER_MS`): it is repeated when none can arrive any more, and
 * nothing is put there before. What is left is a process that freezes for longer than that between the claim
 * and the call, or than its lease where the store holds no tokens at all. To write the newest value once more
 * after that, one would have to keep it, which is what sealed values are deleted to avoid.
 */
import type { Clock } from "../../../lib/clock.ts";
import { isAbsence } from "../../../cloud/absence.ts";
import { type Cloud, type CloudAccount, CloudError } from "../../../cloud/cloud.ts";
import { hasKnownEnd, type StartedCall } from "../../../cloud/calls/stragglers.ts";
import { getConnectedAccount, suspectAwsAccount } from "../../cloud-accounts/commands.ts";
import { announceChange } from "../../../db/changes.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import { backoffMs } from "../../../jobs/backoff.ts";
import type { Jobs, Reconcile, ReconcileResult } from "../../../jobs/jobs.ts";
import type { Logger } from "../../../lib/log.ts";
import type { RunSealing } from "../../../sealing/sealing.ts";
import { SealingError } from "../../../sealing/sealing-error.ts";
import type { Secret } from "../../../sealing/secret.ts";
import { tokenOf } from "./cloud-name.ts";
import { SUPERSEDED } from "../commands.ts";
import { decideRemoval, decideSecondRemoval } from "./decide-managed-value.ts";
import { decideVariableItems, type ItemStep } from "./decide-variable-item.ts";
import type { Failure, ManagedKind, ManagedValue, WaitingItem } from "../env-variable.ts";
import { createPacing, type Pacer } from "./pacing.ts";
import { managedValues } from "./managed-value-store.ts";
import { type ClaimedItem, variableRuns } from "./run-store.ts";

const PASS_MS = 3_000;
/** Calls of one store under way at once: at 100 ms a call enough for Secrets Manager's 50 a second. */
const LANES = 8;
/** Cloud accounts that are not connected are looked at again after this. */
const NOT_CONNECTED_MS = 60_000;

const EXPIRED: Failure = {
  code: "EXPIRED",
  message: "The cloud did not take the value within 24 hours. Send it again.",
};
const KEY_DESTROYED: Failure = {
  code: "KEY_DESTROYED",
  message: "The key that the value was sealed with no longer exists. Send it again.",
};
const TAMPERED: Failure = { code: "TAMPERED", message: "The sealed value does not open. Send it again." };
const NOT_CONNECTED: Failure = {
  code: "AWS_ACCOUNT_NOT_CONNECTED",
  message: "The cloud account is no longer connected. Mend its stack, then send the value again.",
};
const UNREACHABLE: Failure = {
  code: "AWS_ACCOUNT_NOT_CONNECTED",
  message: "The cloud account is not connected, so the value cannot be removed from it yet.",
};

export type VariableScopeDeps = {
  readonly db: Database;
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly sealing: RunSealing;
  readonly jobs: Jobs;
  readonly log: Logger;
  readonly random?: () => number;
};

export function reconcileVariableScope(deps: VariableScopeDeps): Reconcile {
  const { db, clock } = deps;
  const pacing = createPacing();
  return async ({ organizationId, id: scopeId }, signal) => {
    const deadlineMs = performance.now() + PASS_MS;
    const pass: Pass = {
      deps,
      organizationId,
      scopeId,
      signal,
      deadlineMs,
      absences: [],
      wasAnswered: false,
    };
    const waiting = await variableRuns.listWaiting(db, organizationId, scopeId);
    const names = Map.groupBy(waiting, ({ name }) => name);
    const plans = [...names.values()].map((items) => decideVariableItems(items, clock.now()));
    await inLanes(
      plans.map((steps) => async () => await takeSteps(pass, steps, pacing)),
      plans.map((steps) => laneOf(steps)),
      pass,
    );
    const unused = await managedValues.listUnused(db, organizationId, scopeId);
    await inLanes(
      unused.map((value) => async () => await remove(pass, value, pacing)),
      unused.map(({ kind }) => kind),
      pass,
    );
    if (plans.length + unused.length > 0) announceChange(db, scopeId);
    await endAbsences(pass);
    return await nextLook(pass);
  };
}

type Pass = {
  readonly deps: VariableScopeDeps;
  readonly organizationId: string;
  readonly scopeId: string;
  readonly signal: AbortSignal;
  /** By `performance.now()`. */
  readonly deadlineMs: number;
  /** Calls that nobody answered, and what puts each off for itself. */
  readonly absences: { readonly error: CloudError; readonly putOff: () => Promise<void> }[];
  /** Whether any other call was, whatever the answer. */
  wasAnswered: boolean;
};

type Pacing = (key: string) => Pacer;

type Claimed = ClaimedItem & { readonly startedAt: Date };

/** A cloud that answered nothing yet is not asked for hundreds of values more. */
function isOver({ signal, deadlineMs, absences, wasAnswered }: Pass): boolean {
  const isAway = absences.length > 0 && !wasAnswered;
  return isAway || signal.aborted || performance.now() >= deadlineMs;
}

/**
 * What single calls suffer is waited out value by value. A cloud that answers none is away: then the whole
 * scope waits, and goes on with all other work of the account as soon as that answers again.
 * @throws CloudError
 */
async function endAbsences({ absences, wasAnswered }: Pass): Promise<void> {
  const [first] = absences;
  if (first !== undefined && !wasAnswered) throw first.error;
  for (const { putOff } of absences) await putOff();
}

/** Runs tasks of one lane name a few at a time, beside those of others. One that throws stops none but its own lane. */
async function inLanes(
  tasks: readonly (() => Promise<void>)[],
  laneNames: readonly string[],
  pass: Pass,
): Promise<void> {
  const byLane = Map.groupBy(tasks.entries(), ([index]) => laneNames[index] ?? "");
  const lanes = [...byLane.values()].flatMap((entries) => {
    const queue = entries.values();
    return Array.from({ length: Math.min(LANES, entries.length) }, async () => {
      for (const [, task] of queue) {
        if (isOver(pass)) return;
        await task();
      }
    });
  });
  const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

/** Steps without a call share a lane; a slow store does not hold up the other. */
function laneOf(steps: readonly ItemStep[]): string {
  const put = steps.find((step) => step.kind === "put");
  return put?.item.kind ?? "none";
}

async function takeSteps(pass: Pass, steps: readonly ItemStep[], pacing: Pacing): Promise<void> {
  for (const step of steps) {
    switch (step.kind) {
      case "wait":
        break;
      case "supersede":
        await recordFailed(pass, step.item, SUPERSEDED);
        break;
      case "expire":
        await recordFailed(pass, step.item, EXPIRED);
        break;
      case "settle":
      case "put": {
        const hasEnded = await put(pass, step.item, step.kind === "settle", pacing);
        // What comes after must not arrive before it.
        if (!hasEnded) return;
      }
    }
  }
}

/** True when the item has ended, one way or another. */
async function put(pass: Pass, item: WaitingItem, isSettling: boolean, pacing: Pacing): Promise<boolean> {
  const { deps, organizationId } = pass;
  const { db, clock } = deps;
  const account = await getConnectedAccount(db, organizationId, item.awsAccountId, item.runId);
  if (account === null) {
    await recordFailed(pass, item, NOT_CONNECTED);
    return true;
  }
  const pacer = pacing(`${item.kind}/put/${item.awsAccountId}/${item.region}`);
  for (;;) {
    const turn = await pacer.turn(pass.deadlineMs);
    if (turn === null || isOver(pass)) return false;
    const startedAt = clock.now();
    const found = await variableRuns.claim(db, organizationId, item, startedAt, isSettling);
    if (found === null) return true;
    const claimed = { ...found, startedAt };
    const opened = await open(pass, item, claimed);
    if (!("value" in opened)) return await refuse(pass, item, claimed, opened.failure);
    try {
      const { reference } = await callPut(deps.cloud, { ...account, startedAt }, item, opened.value);
      pacer.report(turn, "taken");
      pass.wasAnswered = true;
      await recordStored(pass, item, claimed, reference, isSettling);
      return true;
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      if (isAbsence(error)) {
        pacer.report(turn, "taken");
        pass.absences.push({ error, putOff: () => postpone(pass, item, error) });
        return false;
      }
      pass.wasAnswered = true;
      if (error.code === "THROTTLED") {
        pacer.report(turn, "throttled");
        await retract(pass, item, claimed);
        continue;
      }
      pacer.report(turn, "taken");
      if (error.kind === "retryable") {
        await postpone(pass, item, error);
        return false;
      }
      return await refuse(pass, item, claimed, error);
    }
  }
}

function callPut(
  cloud: Cloud,
  account: CloudAccount,
  { kind, runId, name, region, cloudName }: WaitingItem,
  value: Secret,
): Promise<{ reference: string }> {
  const write = { region, name: cloudName, value: value.reveal(), token: tokenOf(runId, name) };
  return storeOf(cloud, kind).put(account, write);
}

function storeOf(cloud: Cloud, kind: ManagedKind): Cloud["parameters"] {
  return kind === "parameterStore" ? cloud.parameters : cloud.secrets;
}

/** @throws SealingError when only the operator can help */
async function open(
  { deps, organizationId, scopeId }: Pass,
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

async function recordStored(
  pass: Pass,
  item: WaitingItem,
  claimed: Claimed,
  reference: string,
  isSettling: boolean,
): Promise<void> {
  const { deps, organizationId } = pass;
  await deps.db.transaction(async (tx) => {
    await endPut(tx, pass, item, claimed);
    // What was settled is stored, but a newer value follows at once, so that it never comes into force.
    const hasChanged = isSettling
      ? await variableRuns.recordFailed(tx, organizationId, item, SUPERSEDED)
      : (await variableRuns.recordStored(tx, organizationId, item, reference, SUPERSEDED)) !== null;
    if (hasChanged) announceChange(tx, item.runId);
  });
}

async function recordFailed({ deps, organizationId }: Pass, item: WaitingItem, failure: Failure) {
  await deps.db.transaction(async (tx) => {
    if (await variableRuns.recordFailed(tx, organizationId, item, failure)) announceChange(tx, item.runId);
  });
}

/**
 * What was begun is known to have ended; an earlier attempt may still be on its way.
 * @returns false when another worker has begun one since: what this one found says nothing any more
 */
async function endPut(
  tx: Transaction,
  { organizationId, scopeId }: Pass,
  item: WaitingItem,
  { startedAt, putStartedBefore: startedBefore }: Claimed,
): Promise<boolean> {
  return await managedValues.endPut(tx, organizationId, scopeId, item, { startedAt, startedBefore });
}

/** Ends an item whose last attempt changed nothing in the cloud, and never will. */
async function refuse(
  pass: Pass,
  item: WaitingItem,
  claimed: Claimed,
  failure: CloudError | Failure,
): Promise<boolean> {
  const { deps, organizationId, scopeId } = pass;
  const { code, message } = failure;
  await deps.db.transaction(async (tx) => {
    const isNewest = await endPut(tx, pass, item, claimed);
    if (await variableRuns.recordFailed(tx, organizationId, item, { code, message })) {
      if (isNewest && !claimed.didExist) await managedValues.retract(tx, organizationId, scopeId, item);
      announceChange(tx, item.runId);
    }
    if (failure instanceof CloudError && failure.kind === "denied")
      await suspectAwsAccount(tx, deps.jobs, organizationId, item.awsAccountId);
  });
  return true;
}

/** The last attempt changed nothing; it may be made again. */
async function retract(pass: Pass, item: WaitingItem, claimed: Claimed): Promise<void> {
  const { deps, organizationId, scopeId } = pass;
  await deps.db.transaction(async (tx) => {
    if (!(await endPut(tx, pass, item, claimed))) return;
    const isWaiting = await variableRuns.retractItem(tx, organizationId, item, item.attemptOpen);
    if (isWaiting && !claimed.didExist) await managedValues.retract(tx, organizationId, scopeId, item);
  });
}

/** Nobody knows what the last attempt did; the next one will find out. */
async function postpone({ deps, organizationId }: Pass, item: WaitingItem, error: CloudError): Promise<void> {
  const { db, clock, log, random = Math.random } = deps;
  const attempts = item.attempts + 1;
  const delayMs = backoffMs(attempts, random());
  const { runId, kind } = item;
  log.debug({ organizationId, runId, kind, attempts, delayMs, err: error }, "A managed value has to wait");
  await variableRuns.postpone(db, organizationId, item, attempts, new Date(clock.now().getTime() + delayMs));
}

async function remove(pass: Pass, value: ManagedValue, pacing: Pacing): Promise<void> {
  const { deps, organizationId } = pass;
  const { db, clock, cloud } = deps;
  const step = decideRemoval(value, clock.now());
  if (step.kind === "wait") return;
  if (step.kind === "forget") return void (await managedValues.forget(db, value));
  const account = await getConnectedAccount(db, organizationId, value.awsAccountId, pass.scopeId);
  if (account === null) return await putRemovalOff(pass, value, UNREACHABLE, NOT_CONNECTED_MS);
  const pacer = pacing(`${value.kind}/delete/${value.awsAccountId}/${value.region}`);
  for (;;) {
    const turn = await pacer.turn(pass.deadlineMs);
    if (turn === null || pass.signal.aborted) return;
    const startedAt = clock.now();
    const claimed = await managedValues.claimRemoval(db, value, startedAt);
    if (claimed === null) return;
    const removal = { startedAt, startedBefore: claimed.deleteStartedBefore };
    try {
      const where = { region: value.region, name: value.cloudName };
      await storeOf(cloud, value.kind).delete({ ...account, startedAt }, where);
      pacer.report(turn, "taken");
      pass.wasAnswered = true;
      return await recordRemoved(pass, value, removal);
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      const { random = Math.random } = deps;
      const putOff = () => putRemovalOff(pass, value, error, backoffMs(value.attempts + 1, random()));
      if (isAbsence(error)) {
        pacer.report(turn, "taken");
        pass.absences.push({ error, putOff });
        return;
      }
      pass.wasAnswered = true;
      pacer.report(turn, error.code === "THROTTLED" ? "throttled" : "taken");
      // What is there is gone, or was never ours to remove.
      if (error.kind === "gone" || error.code === "NOT_OURS")
        return await recordRemoved(pass, value, removal);
      if (hasKnownEnd(error)) await managedValues.endRemoval(db, value, removal);
      if (error.code === "THROTTLED") continue;
      await putOff();
      if (error.kind === "denied") {
        await db.transaction((tx: Transaction) =>
          suspectAwsAccount(tx, deps.jobs, organizationId, value.awsAccountId),
        );
      }
      return;
    }
  }
}

/** The removal has ended; an earlier one, of which nobody knows the end, may still be on its way. */
async function recordRemoved({ deps }: Pass, value: ManagedValue, removal: StartedCall): Promise<void> {
  const { db, clock } = deps;
  const removedAt = clock.now();
  const safeAt = decideSecondRemoval({ ...value, deleteStartedAt: removal.startedBefore }, removedAt);
  if (safeAt === null && (await managedValues.forget(db, value))) return;
  await managedValues.endRemoval(db, value, removal);
  if (safeAt !== null) await managedValues.recordRemoved(db, value, removedAt, safeAt);
}

async function putRemovalOff(
  { deps, organizationId, scopeId }: Pass,
  value: ManagedValue,
  { code, message }: CloudError | Failure,
  delayMs: number,
): Promise<void> {
  const { db, clock, log } = deps;
  const attempts = value.attempts + 1;
  log.debug({ organizationId, scopeId, attempts, code, delayMs }, "A managed value could not be removed yet");
  await managedValues.putRemovalOff(db, value, {
    attempts,
    nextAttemptAt: new Date(clock.now().getTime() + delayMs),
    error: { code, message },
  });
}

/** What is ahead now, decided as the next pass will decide it. */
async function nextLook({ deps, organizationId, scopeId }: Pass): Promise<ReconcileResult> {
  const { db, clock } = deps;
  const now = clock.now();
  const waiting = await variableRuns.listWaiting(db, organizationId, scopeId);
  const steps = [...Map.groupBy(waiting, ({ name }) => name).values()].flatMap((items) =>
    decideVariableItems(items, now),
  );
  const removals = (await managedValues.listUnused(db, organizationId, scopeId)).map((value) =>
    decideRemoval(value, now),
  );
  const dueMs = [...steps, ...removals].map((step) =>
    step.kind === "wait" ? step.untilMs - now.getTime() : 0,
  );
  return dueMs.length === 0 ? "done" : { runAfterMs: Math.max(0, Math.min(...dueMs)) };
}
