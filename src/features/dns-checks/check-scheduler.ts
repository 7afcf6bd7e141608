/**
 * Checks the DNS records of all domains, for their whole life: constant work, with the same cost whether they are set
 * or not. When a record becomes right or wrong, its group is reconciled. A check that finds nothing new writes nothing.
 *
 * One sweep reads what is due soon in this worker's partition (`check-times.ts`, `check-partitions.ts`), and plans its
 * checks in memory (`planned-checks.ts`). Another sweep writes what they found (`write-checks.ts`).
 */
import type { Jobs } from "../../jobs/jobs.ts";
import { restUntil, type Sweep } from "../../jobs/sweep.ts";
import {
  CHECK_INTERVALS,
  type CheckInterval,
  dueAt,
  intervalOf,
} from "../custom-domains/records/check-times.ts";
import { createCheckPartitions } from "./check-partitions.ts";
import { type CheckDeps, checkRecord } from "./check-record.ts";
import { createPlannedChecks } from "./planned-checks.ts";
import { checks as store, type Partition } from "./store.ts";
import { writeChecks } from "./write-checks.ts";

/** How many requested checks are begun at a time. */
const BATCH = 200;
/** How soon results are written while checks run, and after that. */
const WRITE_MS = { running: 20, idle: 100 };
/**
 * If at most `FEW` records were due, the database is asked for the next `FEW_AHEAD_MS` instead of the interval's time:
 * an idle service then asks a quarter as often.
 */
const FEW = 50;
const FEW_AHEAD_MS = 10_000;

type Deps = CheckDeps & {
  readonly jobs: Jobs;
  /** Whether a client waits for a change of a resource, or did a moment ago. */
  readonly isAwaited: (resourceId: string) => boolean;
  /**
   * How many checks a second the worker makes of records that get several each time they are due. Above it, only records
   * that a client waits for get all of them; the others get fewer, and one in any case.
   */
  readonly checksPerSecond: number;
  /** Called with the result of each check: `OK`, or the code of the fault. */
  readonly onCheck: (result: string) => void;
  /** Called with how late the next checks are, in seconds; 0 if they are in time. */
  readonly onLate: (seconds: number) => void;
};

/** Up to when the due records of an interval have been read, and how far ahead they are read. */
type Cursor = { readonly interval: CheckInterval; readThroughMs: number; aheadMs: number };

export function scheduleDnsChecks(deps: Deps): readonly [reading: Sweep, writing: Sweep] {
  const { db, isAwaited, checksPerSecond, onCheck, onLate } = deps;
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const planned = createPlannedChecks(async (record) => {
    const result = await checkRecord(deps, record);
    onCheck(result.found.error?.code ?? "OK");
    return result;
  }, onFailure);
  const partitions = createCheckPartitions(db);
  const cursors: readonly Cursor[] = CHECK_INTERVALS.map((interval) => ({
    interval,
    readThroughMs: Infinity,
    aheadMs: interval.aheadMs,
  }));

  async function planDue(cursor: Cursor, partition: Partition, signal: AbortSignal): Promise<void> {
    const { interval, aheadMs } = cursor;
    const { everyMs, checks } = interval;
    const now = Date.now();
    // A check that is late by a whole interval is not made up for: its record is due again.
    const fromMs = Math.max(cursor.readThroughMs, now - everyMs);
    if (fromMs > now + aheadMs / 2) return;
    const toMs = fromMs < now - aheadMs ? fromMs + aheadMs : now + aheadMs;
    const due = await store.listDue(db, interval, fromMs, toMs, partition);
    cursor.readThroughMs = toMs;
    cursor.aheadMs = due.length > FEW ? interval.aheadMs : FEW_AHEAD_MS;
    const recordsPerSecond = (due.length * 1_000) / (toMs - fromMs);
    const affordable = Math.max(1, Math.floor(checksPerSecond / Math.max(1, recordsPerSecond)));
    for (const record of due) {
      const isFirst = isAwaited(record.domainId) || isAwaited(record.groupId);
      const count = isFirst ? checks : Math.min(checks, affordable);
      const atMs = dueAt(record.slot, everyMs, fromMs);
      planned.plan({ record, atMs, count, everyMs: everyMs / count }, signal);
    }
  }

  /**
   * Plans the requested checks, each as if the record were due now. The records that are due soon may have been read
   * before this record changed, so there are checks for that time too. @returns whether there may be more
   */
  async function planRequested(signal: AbortSignal): Promise<boolean> {
    const requested = await store.listRequested(db, BATCH);
    // A check that is running may have begun before the client's change. The record is claimed after it.
    const free = requested.filter(({ id }) => !planned.isRunning(id));
    if (free.length === 0) return false;
    const claimed = new Set(await store.claimRequested(db, free));
    const atMs = Date.now();
    for (const record of free) {
      if (!claimed.has(record.id)) continue;
      const { checks, everyMs } = intervalOf(record, atMs);
      const count = checks + Math.floor((FEW_AHEAD_MS * checks) / everyMs);
      planned.plan({ record, atMs, count, everyMs: everyMs / checks }, signal);
    }
    return requested.length === BATCH;
  }

  const reading: Sweep = {
    name: "due DNS records",
    isWoken: true,
    async run(signal) {
      if (signal.aborted) return 0;
      const now = Date.now();
      const readThroughMs = Math.min(now, ...cursors.map((cursor) => cursor.readThroughMs));
      const { partition, resumeFromMs } = await partitions.report(now, () =>
        planned.doneThroughMs(readThroughMs),
      );
      for (const cursor of cursors)
        cursor.readThroughMs = Math.min(cursor.readThroughMs, resumeFromMs ?? Infinity);
      onLate(Math.max(0, now - readThroughMs) / 1_000);
      const hasMore = await planRequested(signal);
      if (!planned.hasRoom()) return WRITE_MS.running;
      await Promise.all(cursors.map((cursor) => planDue(cursor, partition, signal)));
      const isLate = cursors.some((cursor) => cursor.readThroughMs < Date.now() + cursor.aheadMs / 4);
      return isLate || hasMore ? 0 : restUntil(null);
    },
  };
  const writing: Sweep = {
    name: "results of DNS checks",
    async run() {
      const results = planned.takeResults();
      if (results.length > 0) await writeChecks(deps, results, onFailure);
      if (failures.length > 0) throw failures.shift();
      return planned.isIdle() ? WRITE_MS.idle : WRITE_MS.running;
    },
  };
  return [reading, writing];
}
