/**
 * The calls that one step of a scope makes: of different names a few at the same time, in lanes. A lane is one store
 * of the cloud, so that a slow one does not hold up the other.
 */
import type { Cloud, CloudError } from "../../../cloud/cloud.ts";
import type { Database } from "../../../db/database.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Logger } from "../../../lib/log.ts";
import type { RunSealing } from "../../../sealing/sealing.ts";
import type { ManagedKind } from "../env-variable.ts";
import type { Pacer } from "./put/pacing.ts";

/** Calls of one store under way at once: at 100 ms a call enough for Secrets Manager's 50 a second. */
const LANES = 8;

export type VariableScopeDeps = {
  readonly db: Database;
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly sealing: RunSealing;
  readonly jobs: Jobs;
  readonly log: Logger;
  readonly random?: () => number;
};

export type Batch = {
  readonly deps: VariableScopeDeps;
  readonly organizationId: string;
  readonly scopeId: string;
  readonly signal: AbortSignal;
  readonly pacing: (key: string) => Pacer;
  /** No call begins after this, by `performance.now()`. */
  readonly deadlineMs: number;
  /** Calls that nobody answered, and what puts each off for itself. */
  readonly absences: { readonly error: CloudError; readonly putOff: () => Promise<void> }[];
  /** Whether any other call was, whatever the answer. */
  wasAnswered: boolean;
  /** Whether a call had no turn before the deadline. */
  lackedTurn: boolean;
};

/** A cloud that answered nothing yet is not asked for hundreds of values more. */
export function isOver({ signal, deadlineMs, absences, wasAnswered }: Batch): boolean {
  const isAway = absences.length > 0 && !wasAnswered;
  return isAway || signal.aborted || performance.now() >= deadlineMs;
}

/** Whether other scopes have all turns for now, so that not one call could be made. */
export function hadNoTurn({ lackedTurn, absences, wasAnswered }: Batch): boolean {
  return lackedTurn && absences.length === 0 && !wasAnswered;
}

/**
 * What single calls suffer is waited out value by value. A cloud that answers none is away: then the whole
 * scope waits, and goes on with all other work of the account as soon as that answers again.
 * @throws CloudError
 */
export async function endAbsences({ absences, wasAnswered }: Batch): Promise<void> {
  const [first] = absences;
  if (first !== undefined && !wasAnswered) throw first.error;
  for (const { putOff } of absences) await putOff();
}

/** Works through what is due, a few at a time in each lane. What throws stops its own lane and no other. */
export async function inLanes<T>(
  batch: Batch,
  due: readonly T[],
  storeOf: (one: T) => ManagedKind | null,
  work: (batch: Batch, one: T) => Promise<void>,
): Promise<void> {
  const lanes = [...Map.groupBy(due, storeOf).values()].flatMap((ofStore) => {
    const queue = ofStore.values();
    return Array.from({ length: Math.min(LANES, ofStore.length) }, async () => {
      for (const one of queue) {
        if (isOver(batch)) return;
        await work(batch, one);
      }
    });
  });
  const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
