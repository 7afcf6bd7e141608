import { fullBucket, takeToken, type Rate, type TokenBucket } from "../../../src/lib/pace/token-bucket.ts";

/** Buckets by key (an account and an operation). */
export function createThrottle(now: () => number): { allows(key: string, rate: Rate): boolean } {
  const buckets = new Map<string, TokenBucket>();
  return {
    allows(key, rate) {
      const nowMs = now();
      const bucket = buckets.get(key) ?? fullBucket(rate, nowMs);
      buckets.set(key, bucket);
      return takeToken(bucket, rate, nowMs);
    },
  };
}
