import { setTimeout as sleep } from "node:timers/promises";

/** What flows into a bucket in each second, and how much it holds. */
export type Rate = { readonly perSecond: number; readonly burst: number };

/** A token bucket at an instant, in milliseconds of any one clock. */
export type TokenBucket = { tokens: number; atMs: number };

/** Token buckets by key, for callers that wait for their token; of one process, or shared by several. */
export type TokenBuckets = {
  /** Resolves to true when the token is there; to false at once when the wait would exceed `maxWaitMs`. */
  take(key: string, rate: Rate, maxWaitMs: number): Promise<boolean>;
  /** Takes all tokens: a provider throttled, so what was thought to be left is not. */
  empty(key: string, rate: Rate): Promise<void>;
};

/** A bucket that nothing was taken from yet. */
export function fullBucket(rate: Rate, nowMs: number): TokenBucket {
  return { tokens: rate.burst, atMs: nowMs };
}

/** Refills the bucket for the time that passed and takes one token; false when there is none. */
export function takeToken(bucket: TokenBucket, rate: Rate, nowMs: number): boolean {
  return reserveToken(bucket, rate, nowMs, 0) !== null;
}

/**
 * Like `takeToken`, but may reserve a token that is still to come. Reserved tokens follow one another, so callers that
 * wait are served in order and do not exceed the rate together.
 * @returns the wait in milliseconds; null if it would exceed `maxWaitMs`, and then nothing is taken
 */
export function reserveToken(
  bucket: TokenBucket,
  rate: Rate,
  nowMs: number,
  maxWaitMs: number,
): number | null {
  // A clock that runs backwards adds nothing and takes nothing.
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  bucket.tokens = Math.min(rate.burst, bucket.tokens + (elapsedMs * rate.perSecond) / 1_000);
  bucket.atMs = nowMs;
  const waitMs = Math.max(0, ((1 - bucket.tokens) * 1_000) / rate.perSecond);
  if (waitMs > maxWaitMs) return null;
  bucket.tokens -= 1;
  return waitMs;
}

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
