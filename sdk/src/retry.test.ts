import assert from "node:assert/strict";
import { it } from "node:test";
import {
  AbortedError,
  ApiError,
  ConnectionError,
  RedirectError,
  type SlipwayError,
  TimeoutError,
} from "./errors.ts";
import type { ErrorCode } from "./generated/types.ts";
import { pauseBeforeRetry, readRetryAfter } from "./retry.ts";

function refused(status: number, code: ErrorCode | null, retryAfter: number | null = null): ApiError {
  return new ApiError(status, code === null ? {} : { code }, { requestId: null, retryAfter });
}

const AGAIN: readonly [string, SlipwayError, number | null][] = [
  ["a connection that broke", new ConnectionError("gone"), 500],
  ["an answer that took too long", new TimeoutError("late"), 500],
  ["what the caller aborted", new AbortedError("aborted"), null],
  ["an answer that leads elsewhere", new RedirectError("elsewhere"), null],
  ["a request that did not arrive", refused(408, "REQUEST_TIMEOUT"), 500],
  ["too many requests, with the pause that is asked for", refused(429, "RATE_LIMITED", 7), 7_000],
  ["a pause of a minute", refused(503, "OVERLOADED", 60), 60_000],
  ["a longer pause", refused(503, "OVERLOADED", 61), null],
  ["no pause", refused(503, "OVERLOADED", 0), 0],
  ["a defect", refused(500, "INTERNAL"), 500],
  ["the page of a proxy", refused(502, null), 500],
  ["a first request that still runs", refused(409, "IDEMPOTENCY_KEY_IN_PROGRESS", 1), 1_000],
  ["another conflict", refused(409, "GIVEN_ID_TAKEN"), null],
  ["another conflict that names a pause", refused(409, "GIVEN_ID_TAKEN", 2), null],
  ["a conflict without a code", refused(409, null), null],
  ["a key that was used otherwise", refused(422, "IDEMPOTENCY_KEY_REUSED"), null],
  ["an invalid request", refused(400, "INVALID_REQUEST"), null],
  ["a wrong key", refused(401, "UNAUTHENTICATED"), null],
  ["what is not there", refused(404, "NOT_FOUND"), null],
];
for (const [what, error, pauseMs] of AGAIN) {
  it(`${pauseMs === null ? "gives up" : `waits ${pauseMs} ms`} after ${what}`, () =>
    assert.equal(pauseBeforeRetry(error, 0, 0), pauseMs));
}

it("doubles the pause to 8 s, less up to a quarter", () => {
  const error = new ConnectionError("gone");
  const pauses = [0, 1, 2, 3, 4, 5, 50].map((retries) => pauseBeforeRetry(error, retries, 0));
  assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  assert.equal(pauseBeforeRetry(error, 0, 1), 375);
});

it("reads Retry-After as seconds or as a date", () => {
  const now = Date.parse("2026-11-20T09:30:00Z");
  assert.equal(readRetryAfter(null, now), null);
  assert.equal(readRetryAfter("12", now), 12);
  assert.equal(readRetryAfter("Fri, 20 Nov 2026 09:30:05 GMT", now), 5);
  assert.equal(readRetryAfter("Fri, 20 Nov 2026 09:29:00 GMT", now), 0);
  assert.equal(readRetryAfter("soon", now), null);
});
