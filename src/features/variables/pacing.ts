/**
 * Keeps calls near a provider's rate limit without knowing it: each throttled call widens the gap between
 * calls, each success narrows it. The two factors are chosen so that even a third of random refusals does
 * not widen the gap forever. (A token bucket needs a known rate; here only the gap is known.)
 */
import { setTimeout as sleep } from "node:timers/promises";

const FIRST_GAP_MS = 20;
const LONGEST_GAP_MS = 2_000;
const WIDEN = 1.5;
const NARROW = 0.8;
/** A gap below this is shorter than the calls themselves. */
const NO_GAP_MS = 4;
const FORGET_AFTER_MS = 60_000;

/** Pure. */
export function nextGapMs(gapMs: number, outcome: "throttled" | "taken"): number {
  if (outcome === "throttled") return gapMs === 0 ? FIRST_GAP_MS : Math.min(LONGEST_GAP_MS, gapMs * WIDEN);
  const narrowed = gapMs * NARROW;
  return narrowed < NO_GAP_MS ? 0 : narrowed;
}

type Slot = { readonly number: number };

export type Pacer = {
  /** Resolves when it is time for a call; null if that would be after the deadline. Times by `performance.now()`. */
  slot(deadlineMs: number): Promise<Slot | null>;
  report(slot: Slot, outcome: "throttled" | "taken"): void;
};

/** A pacer for each key (an account, a region and an operation); removed after a minute without use. */
export function createPacing(): (key: string) => Pacer {
  const pacers = new Map<string, { pacer: Pacer; usedAtMs: number }>();
  return (key) => {
    const nowMs = performance.now();
    for (const [other, { usedAtMs }] of pacers) {
      if (nowMs - usedAtMs > FORGET_AFTER_MS) pacers.delete(other);
    }
    const pacer = pacers.get(key)?.pacer ?? createPacer();
    pacers.set(key, { pacer, usedAtMs: nowMs });
    return pacer;
  };
}

function createPacer(): Pacer {
  let gapMs = 0;
  let lastSlotMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  /** Results of calls that began before the gap widened do not count. */
  let heardFrom = 0;
  return {
    async slot(deadlineMs) {
      const nowMs = performance.now();
      const atMs = Math.max(nowMs, lastSlotMs + gapMs);
      if (atMs >= deadlineMs) return null;
      lastSlotMs = atMs;
      count += 1;
      const slot = { number: count };
      if (atMs > nowMs) await sleep(atMs - nowMs);
      return slot;
    },
    report(slot, outcome) {
      if (slot.number <= heardFrom) return;
      gapMs = nextGapMs(gapMs, outcome);
      if (outcome === "throttled") {
        heardFrom = count;
        lastSlotMs = Math.max(lastSlotMs, performance.now());
      }
    },
  };
}
