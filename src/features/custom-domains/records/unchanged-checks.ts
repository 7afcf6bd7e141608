/**
 * Checks that found what the record shows already: nearly all. Only their time has to be written. If the record is soon
 * taken for its next check, the time is written with that; a separate write would double the cost. If the process dies,
 * only these times are lost.
 */
import type { DnsRecord } from "../custom-domain.ts";
import type { DueRecord } from "./dns-record-store.ts";

export type UnchangedCheck = { readonly record: DnsRecord; readonly checkedAt: Date };

/**
 * How long the time of a check is kept before it is written, in ms: when the database has time, and when it is busy.
 */
const KEPT_MS = { atRest: 1_000, busy: 10_000 };

export type UnchangedChecks = {
  add(check: UnchangedCheck): void;
  /** When this record, in its present state, was last checked; null if that has been written. */
  checkedAt(record: DueRecord): Date | null;
  /** The time has been written. */
  drop(record: DueRecord, checkedAt: Date): void;
  /** The times to write now; they are then no longer kept. */
  takeOld(isBusy: boolean): readonly UnchangedCheck[];
};

export function createUnchangedChecks(nowMs: () => number): UnchangedChecks {
  /** By the record's id, the oldest first. */
  const kept = new Map<string, UnchangedCheck & { readonly sinceMs: number }>();
  return {
    add(check) {
      kept.delete(check.record.id);
      kept.set(check.record.id, { ...check, sinceMs: nowMs() });
    },
    checkedAt(record) {
      const check = kept.get(record.id);
      return check !== undefined && isSame(check.record, record) ? check.checkedAt : null;
    },
    drop(record, checkedAt) {
      if (kept.get(record.id)?.checkedAt === checkedAt) kept.delete(record.id);
    },
    takeOld(isBusy) {
      const before = nowMs() - (isBusy ? KEPT_MS.busy : KEPT_MS.atRest);
      const old: UnchangedCheck[] = [];
      for (const [id, check] of kept) {
        if (check.sinceMs > before) break;
        kept.delete(id);
        old.push(check);
      }
      return old;
    },
  };
}

/** Whether the record to set is still the same, and was neither found nor lost since. */
function isSame(before: DnsRecord, after: DnsRecord): boolean {
  return before.name === after.name && before.value === after.value && before.status === after.status;
}
