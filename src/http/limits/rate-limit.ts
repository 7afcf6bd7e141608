/** Token buckets by key, in this process: full at first, refilled evenly over a minute. */
import type { FastifyReply } from "fastify";
import { AppError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";
import { fullBucket, takeToken, type TokenBucket } from "../../lib/pace/token-bucket.ts";

const WINDOW_SECONDS = 60;
const MAX_KEYS = 50_000;

/**
 * For API keys and other credentials. `take` sets the headers of the IETF draft: `RateLimit` says how many requests are
 * left (`r`) and when more come (`t`): when the bucket is full again, or, if it is empty, when the next token comes.
 * `Retry-After` says the same (draft-ietf-httpapi-ratelimit-headers, section 6).
 */
export function createRateLimit(perMinute: number, nowMs?: () => number) {
  const buckets = createMinuteBuckets(perMinute, nowMs);
  return {
    /** Takes one request from the caller's bucket. @throws AppError `RATE_LIMITED` */
    take(credentialId: string, reply: FastifyReply): void {
      const { isAllowed, left, seconds } = buckets.take(credentialId);
      reply.header("ratelimit-policy", `"default";q=${perMinute};w=${WINDOW_SECONDS}`);
      reply.header("ratelimit", `"default";r=${left};t=${seconds}`);
      if (isAllowed) return;
      throw new AppError(
        HTTP_ERRORS.RATE_LIMITED,
        `The caller may send ${perMinute} requests per minute. Try again in ${seconds} s.`,
        {
          retryAfterSeconds: seconds,
        },
      );
    },
  };
}

/** For visitors without a key, by their address or another key. */
export function createVisitorLimit(perMinute: number, nowMs?: () => number) {
  const buckets = createMinuteBuckets(perMinute, nowMs);
  return {
    /** Takes one request. @returns null; or, if the bucket is empty, the seconds until the next one is allowed */
    take(key: string): number | null {
      const { isAllowed, seconds } = buckets.take(key);
      return isAllowed ? null : seconds;
    },
  };
}

function createMinuteBuckets(perMinute: number, nowMs: () => number = Date.now) {
  const buckets = new Map<string, TokenBucket>();
  const rate = { perSecond: perMinute / WINDOW_SECONDS, burst: perMinute };
  return {
    take(key: string) {
      const atMs = nowMs();
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        bucket = fullBucket(rate, atMs);
        // Clearing the table gives every key a full bucket once, but bounds its size.
        if (buckets.size >= MAX_KEYS) buckets.clear();
        buckets.set(key, bucket);
      }
      const isAllowed = takeToken(bucket, rate, atMs);
      const { tokens } = bucket;
      const missing = (tokens < 1 ? 1 : perMinute) - tokens;
      const seconds = Math.max(1, Math.ceil(missing / rate.perSecond));
      return { isAllowed, left: Math.floor(tokens), seconds };
    },
  };
}
