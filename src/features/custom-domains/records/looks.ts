/**
 * The looks that a worker is going to make and is making. They do not wait for each other: most take a millisecond, but
 * one at silent name servers takes seconds, and would delay all others.
 */
import type { DueRecord } from "./dns-record-store.ts";
import { type CheckResult, isChange, isNews } from "./check-record.ts";

const MOST_UNDER_WAY = 1_000;
/** Looks begin together on this beat, so that their questions go to the other thread together, in ms. */
export const BEAT_MS = 20;

/** A record and its looks: the first at `atMs`, since 1970, and the others `everyMs` after each other. */
export type Taken = {
  readonly record: DueRecord;
  readonly atMs: number;
  readonly looks: number;
  readonly everyMs: number;
};

/** A record with the looks that are still to be made. */
type Planned = { record: DueRecord; atMs: number; looks: number; everyMs: number; signal: AbortSignal };

export type Looks = {
  /** Whether more may be planned. */
  hasRoom(): boolean;
  isUnderWay(recordId: string): boolean;
  /** Whether none is under way, and nothing found was left. */
  isIdle(): boolean;
  /** Looks at a record as planned. It ends what was planned for the record before, and is itself ended by a change. */
  plan(taken: Taken, signal: AbortSignal): void;
  /** What looks found that has to be written, since the last call. */
  takeFound(): readonly CheckResult[];
  /** All looks that were planned for before this time were made. */
  madeUntilMs(nowMs: number): number;
};

export function createLooks(
  checkRecord: (record: DueRecord) => Promise<CheckResult>,
  onFailure: (error: unknown) => void,
): Looks {
  const found: CheckResult[] = [];
  /** By the record's id. */
  const planned = new Map<string, Planned>();
  const underWay = new Set<string>();
  /** By the beat on which they begin. */
  const beats = new Map<number, Planned[]>();
  /** How many looks of each second are not made yet. */
  const unmade = new Map<number, number>();
  let timer: { readonly beat: number; readonly timeout: NodeJS.Timeout } | null = null;

  function enqueue(look: Planned): void {
    const beat = Math.ceil(Math.max(look.atMs, Date.now()) / BEAT_MS);
    const others = beats.get(beat);
    if (others === undefined) beats.set(beat, [look]);
    else others.push(look);
    count(look.atMs, 1);
    if (timer === null || beat < timer.beat) wakeAt(beat);
  }

  function count(atMs: number, change: 1 | -1): void {
    const second = Math.floor(atMs / 1_000);
    const left = (unmade.get(second) ?? 0) + change;
    if (left === 0) unmade.delete(second);
    else unmade.set(second, left);
  }

  /** The timer does not keep the process alive: shutdown need not wait for what is planned. */
  function wakeAt(beat: number): void {
    if (timer !== null) clearTimeout(timer.timeout);
    timer = { beat, timeout: setTimeout(begin, Math.max(0, beat * BEAT_MS - Date.now())) };
    timer.timeout.unref();
  }

  function begin(): void {
    timer = null;
    const now = Math.floor(Date.now() / BEAT_MS);
    let next = Infinity;
    for (const [beat, looks] of beats) {
      if (beat > now) {
        next = Math.min(next, beat);
        continue;
      }
      beats.delete(beat);
      for (const look of looks) void make(look);
    }
    if (next !== Infinity) wakeAt(next);
  }

  async function make(look: Planned): Promise<void> {
    const { record, atMs, everyMs } = look;
    const { id } = record;
    const isWanted = !look.signal.aborted && planned.get(id) === look;
    if (isWanted) {
      look.looks -= 1;
      look.atMs += everyMs;
      if (look.looks > 0) enqueue(look);
      else planned.delete(id);
    }
    // Passed over if too many wait for name servers, or an earlier look at this record does.
    if (isWanted && underWay.size < MOST_UNDER_WAY && !underWay.has(id)) {
      underWay.add(id);
      await checkRecord(withLookBefore(record, atMs - everyMs))
        .then((result) => keep(look, result))
        .catch(onFailure);
      underWay.delete(id);
    }
    count(atMs, -1);
  }

  function keep(look: Planned, result: CheckResult): void {
    const { record, found: seen } = result;
    const isEnd = isChange(result);
    if (!isEnd && !isNews(result)) return;
    found.push(result);
    if (planned.get(record.id) !== look) return;
    if (isEnd) planned.delete(record.id);
    const { value, error } = seen;
    const shown = { lastCheckAt: new Date(), lastCheckValue: value, lastCheckError: error ?? {} };
    look.record = { ...record, ...shown, isAsked: false };
  }

  return {
    hasRoom: () => underWay.size < MOST_UNDER_WAY,
    isUnderWay: (id) => underWay.has(id),
    isIdle: () => underWay.size === 0 && found.length === 0,
    plan(taken, signal) {
      const look = { ...taken, signal };
      planned.set(taken.record.id, look);
      enqueue(look);
    },
    takeFound: () => found.splice(0),
    madeUntilMs: (nowMs) =>
      [...unmade.keys()].reduce((least, second) => Math.min(least, second * 1_000), nowMs),
  };
}

/** With the time of the look before, which is not written where it found nothing new. */
function withLookBefore(record: DueRecord, beforeMs: number): DueRecord {
  return record.lastCheckAt === null ? record : { ...record, lastCheckAt: new Date(beforeMs) };
}
