/**
 * The checks that a worker has planned and is making. They do not wait for each other: most take a millisecond, but one
 * at silent name servers takes seconds, and would delay all others.
 */
import { type CheckResult, isChange, isNew, recordAfter } from "./check-record.ts";
import type { DueRecord } from "./store.ts";

const MOST_RUNNING = 1_000;

/** The checks of a record: the first at `atMs`, since 1970, and the others `everyMs` after each other. */
type Plan = {
  readonly record: DueRecord;
  readonly atMs: number;
  readonly count: number;
  readonly everyMs: number;
};

/** A plan whose first checks may have been made. */
type Planned = { record: DueRecord; atMs: number; count: number; everyMs: number; signal: AbortSignal };

export type PlannedChecks = {
  /** Whether more may be planned. */
  hasRoom(): boolean;
  isRunning(recordId: string): boolean;
  /** Whether no check is running, and no result is left. */
  isIdle(): boolean;
  /** Replaces what was planned for the record before. A change of the record ends its plan. */
  plan(plan: Plan, signal: AbortSignal): void;
  /** The results that have to be written, since the last call. */
  takeResults(): readonly CheckResult[];
  /** All checks that were planned for before this time were made. */
  doneThroughMs(nowMs: number): number;
};

export function createPlannedChecks(
  checkRecord: (record: DueRecord) => Promise<CheckResult>,
  onFailure: (error: unknown) => void,
): PlannedChecks {
  const results: CheckResult[] = [];
  /** By the record's id. */
  const plans = new Map<string, Planned>();
  const running = new Set<string>();
  /** The checks that are not done yet. */
  const open = new Set<{ readonly atMs: number }>();

  /** The timer does not keep the process alive: shutdown need not wait for what is planned. */
  function schedule(planned: Planned): void {
    const check = { atMs: planned.atMs };
    open.add(check);
    const begin = () => void run(planned).finally(() => open.delete(check));
    setTimeout(begin, Math.max(0, planned.atMs - Date.now())).unref();
  }

  async function run(planned: Planned): Promise<void> {
    const { record, atMs, everyMs, signal } = planned;
    const { id } = record;
    if (signal.aborted || plans.get(id) !== planned) return;
    planned.count -= 1;
    planned.atMs += everyMs;
    if (planned.count > 0) schedule(planned);
    else plans.delete(id);
    // Skipped if too many checks wait for name servers, or an earlier check of this record does.
    if (running.size >= MOST_RUNNING || running.has(id)) return;
    running.add(id);
    await checkRecord(withCheckBefore(record, atMs - everyMs))
      .then((result) => keep(planned, result))
      .catch(onFailure);
    running.delete(id);
  }

  function keep(planned: Planned, result: CheckResult): void {
    const { id } = result.record;
    const isEnd = isChange(result);
    if (!isEnd && !isNew(result)) return;
    results.push(result);
    if (plans.get(id) !== planned) return;
    if (isEnd) plans.delete(id);
    planned.record = { ...recordAfter(result, new Date()), isRequested: false };
  }

  return {
    hasRoom: () => running.size < MOST_RUNNING,
    isRunning: (id) => running.has(id),
    isIdle: () => running.size === 0 && results.length === 0,
    plan(plan, signal) {
      const planned = { ...plan, signal };
      plans.set(plan.record.id, planned);
      schedule(planned);
    },
    takeResults: () => results.splice(0),
    doneThroughMs: (nowMs) => [...open].reduce((least, { atMs }) => Math.min(least, atMs), nowMs),
  };
}

/** With the time of the check before, which is not written if it found nothing new. */
function withCheckBefore(record: DueRecord, beforeMs: number): DueRecord {
  return record.lastCheckAt === null ? record : { ...record, lastCheckAt: new Date(beforeMs) };
}
