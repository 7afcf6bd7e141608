/**
 * Looks that found what the record shows already: nearly all. All there is to write of one is its time, and where the
 * record is soon taken for its next look that goes along with putting it off; a write of its own would cost as much
 * again. What is lost here with the process is only that.
 */
import type { DnsRecord } from "../custom-domain.ts";
import type { DueRecord } from "./dns-record-store.ts";

export type UnchangedLook = { readonly record: DnsRecord; readonly lookedAt: Date };

/** How long one is kept for while there is time to write it down, and while there is none, in ms. */
const KEPT_MS = { atRest: 1_000, busy: 10_000 };

export type UnchangedLooks = {
  add(look: UnchangedLook): void;
  /** When this record, as it is now, was looked at last; null where that is written down. */
  lookedAt(record: DueRecord): Date | null;
  /** It is written down. */
  drop(record: DueRecord, lookedAt: Date): void;
  /** Those to write down now, which are then no longer kept. */
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

/** Whether what is to be set is still the same, and was not found, or lost, since. */
function isSame(before: DnsRecord, after: DnsRecord): boolean {
  return before.name === after.name && before.value === after.value && before.status === after.status;
}
