/**
 * How workers divide the checks. Each worker reports every few seconds that it is alive, and up to when its checks were
 * made. The workers that are alive divide the records evenly, by their slots. A worker that notices that another one
 * started or stopped returns to the time up to which all checks were certainly made: some checks are then made twice,
 * and none is left out.
 */
import { randomUUID } from "node:crypto";
import type { Database } from "../../db/database.ts";
import { checks, type Partition } from "./store.ts";

const REPORT_EVERY_MS = 5_000;
/** A worker that has not reported for this long counts as stopped. */
export const STOPPED_AFTER_SECONDS = 15;
/** For how long two workers may disagree about which workers are alive. */
const DISAGREE_MS = STOPPED_AFTER_SECONDS * 1_000 + 2 * REPORT_EVERY_MS;

export type CheckPartitions = {
  /**
   * Reports that this worker is alive, if it is time to. Returns its partition, and the time from which checks have to
   * be made again, or null.
   * @param checkedThroughMs up to when this worker has made its checks
   */
  report(
    nowMs: number,
    checkedThroughMs: () => number,
  ): Promise<{ partition: Partition; resumeFromMs: number | null }>;
};

export function createCheckPartitions(db: Database): CheckPartitions {
  const id = randomUUID();
  let partition: Partition = { index: 0, count: 1 };
  let known = "";
  let reportedAtMs = -Infinity;

  return {
    async report(nowMs, checkedThroughMs) {
      if (nowMs - reportedAtMs < REPORT_EVERY_MS) return { partition, resumeFromMs: null };
      reportedAtMs = nowMs;
      const ownMs = checkedThroughMs();
      return await db.transaction(async (tx) => {
        const others = (await checks.listWorkers(tx, STOPPED_AFTER_SECONDS)).filter((one) => one.id !== id);
        const [stopped = [], alive = []] = [true, false].map((is) =>
          others.filter((one) => one.hasStopped === is),
        );
        const ids = [id, ...alive.map((one) => one.id)].toSorted();
        const isSame = ids.join() === known && stopped.length === 0;
        known = ids.join();
        partition = { index: ids.indexOf(id), count: ids.length };
        const throughMs = [ownMs, ...others.map(({ checkedThrough }) => checkedThrough.getTime())];
        const resumeFromMs = isSame ? null : Math.min(nowMs - DISAGREE_MS, ...throughMs);
        if (stopped.length > 0) checks.deleteWorkers(tx, stopped);
        checks.reportWorker(tx, id, new Date(resumeFromMs ?? ownMs));
        return { partition, resumeFromMs };
      });
    },
  };
}
