import { fullBucket, takeToken, type TokenBucket } from "../../lib/pace/token-bucket.ts";

const WINDOW_SECONDS = 60;
const MAX_KEYS = 50_000;

export type VisitorLimit = {
  /** Takes one request from a key's bucket. @returns null; or, if it is empty, in how many seconds to come again */
  take(key: string): number | null;
};

/** A token bucket for each address, or what else visitors without a key are counted by, in this process. */
export function createVisitorLimit(perMinute: number, nowMs: () => number = Date.now): VisitorLimit {
  const buckets = new Map<string, TokenBucket>();
  const rate = { perSecond: perMinute / WINDOW_SECONDS, burst: perMinute };
  return {
    take(key) {
      const atMs = nowMs();
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        bucket = fullBucket(rate, atMs);
        // Clearing the table gives every key a full bucket once, but bounds its size.
        if (buckets.size >= MAX_KEYS) buckets.clear();
        buckets.set(key, bucket);
      }
      if (takeToken(bucket, rate, atMs)) return null;
      return Math.max(1, Math.ceil((1 - bucket.tokens) / rate.perSecond));
    },
  };
}
