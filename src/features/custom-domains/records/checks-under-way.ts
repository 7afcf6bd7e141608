/**
 * The checks that a worker has taken and is making. They do not wait for each other: most take a millisecond, but one at
 * silent name servers takes seconds, and would delay all others of a batch.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { DueRecord } from "./dns-record-store.ts";
import { isChange, type CheckResult } from "./check-record.ts";

const MOST_UNDER_WAY = 1_000;
/** While checks are running. Their results are soon written, together. */
export const GATHER_MS = 20;

/** A record and the checks for which it is taken. */
export type Taken = { readonly record: DueRecord; readonly checks: number; readonly againSeconds: number };

export type ChecksUnderWay = {
  /** How many records are being checked, or soon will be. */
  readonly size: number;
  /** Whether so many more may begin. */
  hasRoomFor(count: number): boolean;
  /** Checks a record as often as it is taken for; sooner ended by a change to write, with which its next check is. */
  begin(taken: Taken, signal: AbortSignal): void;
  /** Results that were not taken yet. */
  takeEnded(): readonly CheckResult[];
  /**
   * A record that a client asked for during a check, which may have begun before the client's change; null when there is
   * none whose result was taken. Ask after the results were written, because they say when the next check is due.
   */
  takeAskedMeanwhile(): DueRecord | null;
};

/** @param now the time, for the results of checks that change nothing */
export function createChecksUnderWay(
  checkRecord: (record: DueRecord) => Promise<CheckResult>,
  now: () => Date,
  onFailure: (error: unknown) => void,
): ChecksUnderWay {
  const ended: CheckResult[] = [];
  /** The records that are being checked or soon will be, by id. */
  const atHand = new Map<string, Taken>();
  /** Ids of records. */
  const underWay = new Set<string>();
  const askedMeanwhile = new Map<string, DueRecord>();

  /** At no moment between its begin and its result being taken is it neither under way nor ended. */
  async function makeCheck(record: DueRecord): Promise<CheckResult> {
    underWay.add(record.id);
    try {
      const result = await checkRecord(record);
      ended.push(result);
      return result;
    } finally {
      underWay.delete(record.id);
    }
  }

  async function checkRepeatedly(taken: Taken, signal: AbortSignal): Promise<void> {
    let { record } = taken;
    for (let left = taken.checks; left > 0; left -= 1) {
      if (left < taken.checks) await rest(taken.againSeconds * 1_000);
      if (signal.aborted || atHand.get(record.id) !== taken) return;
      // Skip it: its check still waits for name servers.
      if (underWay.size >= MOST_UNDER_WAY) continue;
      const result = await makeCheck(record);
      if (isChange(result)) return;
      const { value, error } = result.found;
      const seen = { lastCheckAt: now(), lastCheckValue: value, lastCheckError: error ?? {} };
      record = { ...record, ...seen, isAsked: false };
    }
  }

  return {
    get size() {
      return atHand.size;
    },
    hasRoomFor: (count) => underWay.size <= MOST_UNDER_WAY - count,
    begin(taken, signal) {
      const { id } = taken.record;
      // The record is due again while its last check still waits for name servers.
      if (underWay.has(id)) {
        if (taken.record.isAsked) askedMeanwhile.set(id, taken.record);
        return;
      }
      atHand.set(id, taken);
      checkRepeatedly(taken, signal)
        .catch(onFailure)
        .finally(() => {
          if (atHand.get(id) === taken) atHand.delete(id);
        });
    },
    takeEnded: () => ended.splice(0),
    takeAskedMeanwhile() {
      for (const [id, record] of askedMeanwhile) {
        if (underWay.has(id) || ended.some((result) => result.record.id === id)) continue;
        askedMeanwhile.delete(id);
        return record;
      }
      return null;
    },
  };
}

/**
 * Many pauses end at the same moment, so that the next checks go to the other thread together. The timers do not keep
 * the process alive: there are thousands, and shutdown need not wait for them.
 */
function rest(ms: number): Promise<void> {
  const now = performance.now();
  const end = Math.ceil((now + ms) / GATHER_MS) * GATHER_MS;
  return sleep(end - now, undefined, { ref: false });
}
