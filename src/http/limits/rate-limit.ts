import type { FastifyReply } from "fastify";
import { AppError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";
import { fullBucket, takeToken, type TokenBucket } from "../../lib/pace/token-bucket.ts";

const WINDOW_SECONDS = 60;
const MAX_KEYS = 50_000;

export type RateLimit = {
  /**
   * Takes one request from the key's bucket, and sets the headers of the IETF draft (`RateLimit`, `RateLimit-Policy`).
   * @throws AppError `RATE_LIMITED`
   */
  take(credentialId: string, reply: FastifyReply): void;
};

/**
 * A token bucket for each API key, in this process: full at first, refilled evenly over a minute. `RateLimit` says how
 * many requests are left (`r`) and when more come (`t`): when the bucket is full again, or, if it is empty, when the
 * next token comes. `Retry-After` says the same (draft-ietf-httpapi-ratelimit-headers, section 6).
 */
export function createRateLimit(perMinute: number, nowMs: () => number = Date.now): RateLimit {
  const buckets = new Map<string, TokenBucket>();
  const rate = { perSecond: perMinute / WINDOW_SECONDS, burst: perMinute };
  const policy = `"default";q=${perMinute};w=${WINDOW_SECONDS}`;
  return {
    take(credentialId, reply) {
      const atMs = nowMs();
      let bucket = buckets.get(credentialId);
      if (bucket === undefined) {
        bucket = fullBucket(rate, atMs);
        // Clearing the table gives every key a full bucket once, but bounds its size.
        if (buckets.size >= MAX_KEYS) buckets.clear();
        buckets.set(credentialId, bucket);
      }
      const isAllowed = takeToken(bucket, rate, atMs);
      const left = bucket.tokens;
      const wanted = left < 1 ? 1 : perMinute;
      const seconds = Math.max(1, Math.ceil((wanted - left) / rate.perSecond));
      reply.header("ratelimit-policy", policy);
      reply.header("ratelimit", `"default";r=${Math.floor(left)};t=${seconds}`);
      if (isAllowed) return;
      throw new AppError(HTTP_ERRORS.RATE_LIMITED, `The caller may send ${perMinute} requests per minute.`, {
        retryAfterSeconds: seconds,
      });
    },
  };
}
