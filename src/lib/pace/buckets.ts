import { setTimeout as sleep } from "node:timers/promises";
import { fullBucket, reserveToken, type TokenBucket, type TokenBuckets } from "./token-bucket.ts";

/** Beyond this number of keys, buckets that have refilled are removed. */
const MANY = 10_000;

/** Token buckets of this process only. */
export function createBuckets(nowMs: () => number = () => performance.now()): TokenBuckets {
  const buckets = new Map<string, TokenBucket>();

  function forgetFull(now: number): void {
    for (const [key, bucket] of buckets) {
      // Every bucket has refilled after a minute.
      if (now - bucket.atMs > 60_000) buckets.delete(key);
    }
  }

  return {
    async take(key, rate, maxWaitMs) {
      const now = nowMs();
      const known = buckets.get(key);
      if (known === undefined && buckets.size >= MANY) forgetFull(now);
      const bucket = known ?? fullBucket(rate, now);
      buckets.set(key, bucket);
      const waitMs = reserveToken(bucket, rate, now, maxWaitMs);
      if (waitMs === null) return false;
      if (waitMs > 0) await sleep(waitMs);
      return true;
    },

    async empty(key, rate) {
      const bucket = buckets.get(key) ?? fullBucket(rate, nowMs());
      bucket.tokens = Math.min(bucket.tokens, 0);
      buckets.set(key, bucket);
      return await Promise.resolve();
    },
  };
}
