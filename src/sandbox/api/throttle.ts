import type { Rate } from "../tuning.ts";

/** A token bucket at an instant. */
type Bucket = { readonly tokens: number; readonly atMs: number };

/** Takes one token, or says that there is none. A clock that runs backwards adds nothing. */
function takeToken(
  bucket: Bucket | undefined,
  rate: Rate,
  nowMs: number,
): { readonly allowed: boolean; readonly bucket: Bucket } {
  const elapsedMs = bucket === undefined ? 0 : Math.max(0, nowMs - bucket.atMs);
  const held = bucket?.tokens ?? rate.burst;
  const tokens = Math.min(rate.burst, held + (elapsedMs * rate.perSecond) / 1000);
  return tokens < 1
    ? { allowed: false, bucket: { tokens, atMs: nowMs } }
    : { allowed: true, bucket: { tokens: tokens - 1, atMs: nowMs } };
}

/** Buckets by key (an account and an operation). */
export function createThrottle(now: () => number): { allows(key: string, rate: Rate | undefined): boolean } {
  const buckets = new Map<string, Bucket>();
  return {
    allows(key, rate) {
      if (rate === undefined) return true;
      const taken = takeToken(buckets.get(key), rate, now());
      buckets.set(key, taken.bucket);
      return taken.allowed;
    },
  };
}
