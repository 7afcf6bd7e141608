/** Which answers are worth another try, and when. Pure. */
import { ApiError, ConnectionError, type SlipwayError, TimeoutError } from "./errors.ts";

/** A server that wants a longer pause is not waited for: the caller decides. */
const RETRY_AFTER_MAX_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

/**
 * How long to wait before another try, in milliseconds; null if there should be none.
 * @param retries how many there were already
 * @param chance 0 to 1: up to a quarter of the pause is left out, so that many clients do not come back together
 */
export function pauseBeforeRetry(error: SlipwayError, retries: number, chance: number): number | null {
  if (!isPassing(error)) return null;
  const { retryAfter } = error as Partial<ApiError>;
  if (typeof retryAfter === "number") {
    const pauseMs = retryAfter * 1_000;
    return pauseMs > RETRY_AFTER_MAX_MS ? null : pauseMs;
  }
  return backoffMs(retries, chance);
}

/** 0.5 s, doubling to 8 s, less up to a quarter. */
export function backoffMs(retries: number, chance: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** retries, LONGEST_PAUSE_MS) * (1 - chance / 4);
}

/** Whether the same request may be answered otherwise a little later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  if (!(error instanceof ApiError)) return false;
  const { status, code } = error;
  // Every other conflict remains until a client changes something.
  if (status === 409) return code === "IDEMPOTENCY_KEY_IN_PROGRESS";
  return status === 408 || status === 429 || status >= 500;
}

/** Seconds of a Retry-After header (RFC 9110, section 10.2.3), which may also be a date. Null if there is none. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}
