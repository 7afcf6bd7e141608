/**
 * The calls of one step of a scope, in lanes: several names at the same time. A lane belongs to one store
 * of the cloud, so that a slow store does not delay the other.
 */
import type { Cloud, CloudError } from "../../cloud/cloud.ts";
import type { WorkDeps } from "../../jobs/jobs.ts";
import type { Logger } from "../../lib/log.ts";
import type { RunSealing } from "../../sealing/sealing.ts";
import type { ManagedKind } from "./env-variable.ts";
import type { Pacer } from "./pacing.ts";

/** Concurrent calls of one store: at 100 ms per call, enough for Secrets Manager's 50 calls a second. */
const LANES = 8;

export type VariableScopeDeps = WorkDeps & {
  readonly cloud: Cloud;
  readonly sealing: RunSealing;
  readonly log: Logger;
  readonly random?: () => number;
};

export type Context = {
  readonly deps: VariableScopeDeps;
  readonly organizationId: string;
  readonly scopeId: string;
  readonly signal: AbortSignal;
  readonly pacing: (key: string) => Pacer;
  /** No call starts after this time, by `performance.now()`. */
  readonly deadlineMs: number;
  /** Calls without an answer, and what postpones each of them. */
  readonly absences: { readonly error: CloudError; readonly putOff: () => Promise<void> }[];
  /** Whether any call was answered, whatever the answer. */
  wasAnswered: boolean;
  /** Whether a call did not get its slot before the deadline. */
  lackedSlot: boolean;
};

/** A cloud that has answered nothing so far is not called for hundreds of other values. */
export function isOver({ signal, deadlineMs, absences, wasAnswered }: Context): boolean {
  const isAway = absences.length > 0 && !wasAnswered;
  return isAway || signal.aborted || performance.now() >= deadlineMs;
}

/** Whether other scopes use all slots at the moment, so that no call could be made. */
export function hadNoSlot({ lackedSlot, absences, wasAnswered }: Context): boolean {
  return lackedSlot && absences.length === 0 && !wasAnswered;
}

/**
 * Failures of single calls are retried value by value. If the cloud answers no call, it is unreachable: then the whole
 * scope waits, and continues with all other work of the account as soon as the account answers again.
 * @throws CloudError
 */
export async function endAbsences({ absences, wasAnswered }: Context): Promise<void> {
  const [first] = absences;
  if (first !== undefined && !wasAnswered) throw first.error;
  for (const { putOff } of absences) await putOff();
}

/** Works through what is due, with several lanes at a time. An error stops its own lane only. */
export async function inLanes<T>(
  context: Context,
  due: readonly T[],
  storeOf: (one: T) => ManagedKind | null,
  work: (context: Context, one: T) => Promise<void>,
): Promise<void> {
  const lanes = [...Map.groupBy(due, storeOf).values()].flatMap((ofStore) => {
    const queue = ofStore.values();
    return Array.from({ length: Math.min(LANES, ofStore.length) }, async () => {
      for (const one of queue) {
        if (isOver(context)) return;
        await work(context, one);
      }
    });
  });
  const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
