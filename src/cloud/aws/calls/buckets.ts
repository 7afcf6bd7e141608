import { setTimeout as sleep } from "node:timers/promises";
import type { Pace } from "./apis.ts";

export type Buckets = {
  /** Resolves when the call may be made; false at once when that would take longer than `maxWaitMs`. */
  take(key: string, pace: Pace, maxWaitMs: number): Promise<boolean>;
  /** The provider throttled: what was thought to be left is not. */
  empty(key: string, pace: Pace): Promise<void>;
};

type Bucket = { tokens: number; atMs: number };

/** More keys than this, and those that have refilled are forgotten. */
const MANY = 10_000;

/**
 * Token buckets, one for each key (account × region × operation), of this process alone. A turn is reserved
 * when it is asked for, so that callers who wait are served in order and never exceed the pace together.
 */
export function createBuckets(nowMs: () => number = () => performance.now()): Buckets {
  const buckets = new Map<string, Bucket>();

  function forgetFull(now: number): void {
    for (const [key, bucket] of buckets) {
      // After a minute any of the buckets has refilled.
      if (now - bucket.atMs > 60_000) buckets.delete(key);
    }
  }

  return {
    async take(key, { perSecond, burst }, maxWaitMs) {
      const now = nowMs();
      const known = buckets.get(key);
      if (known === undefined && buckets.size >= MANY) forgetFull(now);
      const bucket = known ?? { tokens: burst, atMs: now };
      buckets.set(key, bucket);
      bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.atMs) / 1_000) * perSecond);
      bucket.atMs = now;
      const waitMs = bucket.tokens >= 1 ? 0 : ((1 - bucket.tokens) / perSecond) * 1_000;
      if (waitMs > maxWaitMs) return false;
      bucket.tokens -= 1;
      if (waitMs > 0) await sleep(waitMs);
      return true;
    },

    async empty(key) {
      const bucket = buckets.get(key);
      if (bucket !== undefined) bucket.tokens = Math.min(bucket.tokens, 0);
      return await Promise.resolve();
    },
  };
}
