/**
 * Checks that found what the record shows already: nearly all. Only their time has to be written. If the record is soon
 * taken for its next check, the time is written with that; a separate write would double the cost. If the process dies,
 * only these times are lost.
 */
import type { DnsRecord } from "../custom-domain.ts";
import type { DueRecord } from "./dns-record-store.ts";

export type UnchangedLook = { readonly record: DnsRecord; readonly lookedAt: Date };

/**
 * How long the time of a check is kept before it is written, in ms: when the database has time, and when it is busy.
 */
const KEPT_MS = { atRest: 1_000, busy: 10_000 };

export type UnchangedLooks = {
  add(look: UnchangedLook): void;
  /** When this record, in its present state, was last checked; null if that has been written. */
  lookedAt(record: DueRecord): Date | null;
  /** The time has been written. */
  drop(record: DueRecord, lookedAt: Date): void;
  /** The times to write now; they are then no longer kept. */
  takeOld(isBusy: boolean): readonly UnchangedLook[];
};

export function createUnchangedLooks(nowMs: () => number): UnchangedLooks {
  /** By the record's id, the oldest first. */
  const kept = new Map<string, UnchangedLook & { readonly sinceMs: number }>();
  return {
    add(look) {
      kept.delete(look.record.id);
      kept.set(look.record.id, { ...look, sinceMs: nowMs() });
    },
    lookedAt(record) {
      const look = kept.get(record.id);
      return look !== undefined && isSame(look.record, record) ? look.lookedAt : null;
    },
    drop(record, lookedAt) {
      if (kept.get(record.id)?.lookedAt === lookedAt) kept.delete(record.id);
    },
    takeOld(isBusy) {
      const before = nowMs() - (isBusy ? KEPT_MS.busy : KEPT_MS.atRest);
      const old: UnchangedLook[] = [];
      for (const [id, look] of kept) {
        if (look.sinceMs > before) break;
        kept.delete(id);
        old.push(look);
      }
      return old;
    },
  };
}

/** Whether the record to set is still the same, and was neither found nor lost since. */
function isSame(before: DnsRecord, after: DnsRecord): boolean {
  return before.name === after.name && before.value === after.value && before.status === after.status;
}
