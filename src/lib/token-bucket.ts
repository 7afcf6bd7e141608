/** What flows into a bucket in each second, and how much it holds. */
export type Rate = { readonly perSecond: number; readonly burst: number };

/** A token bucket at an instant, in milliseconds of any one clock. */
export type TokenBucket = { tokens: number; atMs: number };

/** A bucket that nothing was taken from yet. */
export function fullBucket(rate: Rate, nowMs: number): TokenBucket {
  return { tokens: rate.burst, atMs: nowMs };
}

/** Refills the bucket for the time that passed and takes one token; false when there is none. */
export function takeToken(bucket: TokenBucket, rate: Rate, nowMs: number): boolean {
  // A clock that runs backwards adds nothing and takes nothing.
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  bucket.tokens = Math.min(rate.burst, bucket.tokens + (elapsedMs * rate.perSecond) / 1_000);
  bucket.atMs = nowMs;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}
