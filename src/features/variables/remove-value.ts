/** Removes values from the cloud that no variable uses any longer. */
import { CloudError, isAbsence } from "../../cloud/cloud.ts";
import { isOutcomeKnown, type StartedCall } from "../../cloud/calls/stragglers.ts";
import { backoffMs } from "../../jobs/backoff.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { reportDenial } from "../cloud-accounts/commands.ts";
import type { ManagedValue } from "./env-variable.ts";
import { type Failure, UNREACHABLE } from "./errors.ts";
import { type Context, isOver } from "./context.ts";
import { decideSecondRemoval, type ValueRemoval } from "./decide-managed.ts";
import { managedValues } from "./managed-value-store.ts";

/** When to try again if the cloud account is not connected. */
const NOT_CONNECTED_MS = 60_000;

/** Deletes the row of a value that was never put into the cloud; removes any other value. */
export async function removeValue(context: Context, { value, step }: ValueRemoval): Promise<void> {
  if (step.kind === "forget") await managedValues.forget(context.deps.db, value);
  else await remove(context, value);
}

async function remove(context: Context, value: ManagedValue): Promise<void> {
  const { deps, organizationId } = context;
  const { db, clock, cloud } = deps;
  const { kind, awsAccountId, region, cloudName } = value;
  const account = await getConnectedAccount(db, organizationId, awsAccountId, context.scopeId);
  if (account === null) return await putRemovalOff(context, value, UNREACHABLE, NOT_CONNECTED_MS);
  const pacer = context.pacing(`${kind}/delete/${awsAccountId}/${region}`);
  const slot = await pacer.slot(context.deadlineMs);
  if (slot === null) context.lackedSlot = true;
  if (slot === null || isOver(context)) return;
  const startedAt = clock.now();
  const claimed = await managedValues.claimRemoval(db, value, startedAt);
  if (claimed === null) return;
  const removal = { startedAt, startedBefore: claimed.deleteStartedBefore };
  const store = kind === "parameterStore" ? cloud.parameters : cloud.secrets;
  try {
    await store.delete({ ...account, startedAt }, { region, name: cloudName });
    pacer.report(slot, "taken");
    context.wasAnswered = true;
    return await recordRemoved(context, value, removal);
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    pacer.report(slot, error.code === "THROTTLED" ? "throttled" : "taken");
    const { random = Math.random } = deps;
    const putOff = () => putRemovalOff(context, value, error, backoffMs(value.attempts + 1, random()));
    if (isAbsence(error)) {
      context.absences.push({ error, putOff });
      return;
    }
    context.wasAnswered = true;
    // The value no longer exists, or is not ours to remove.
    if (error.kind === "gone" || error.code === "NOT_OURS")
      return await recordRemoved(context, value, removal);
    if (isOutcomeKnown(error)) await managedValues.endRemoval(db, value, removal);
    // It stays due: the next step retries it, at the rate that the store allows.
    if (error.code === "THROTTLED") return;
    await putOff();
    await reportDenial(deps, error, organizationId, awsAccountId);
  }
}

/** The removal has ended; an earlier one of unknown outcome may still arrive. */
async function recordRemoved({ deps }: Context, value: ManagedValue, removal: StartedCall): Promise<void> {
  const { db, clock } = deps;
  const removedAt = clock.now();
  const safeAt = decideSecondRemoval({ ...value, deleteStartedAt: removal.startedBefore }, removedAt);
  if (safeAt === null && (await managedValues.forget(db, value))) return;
  await managedValues.endRemoval(db, value, removal);
  if (safeAt !== null) await managedValues.recordRemoved(db, value, removedAt, safeAt);
}

async function putRemovalOff(
  { deps, organizationId, scopeId }: Context,
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
