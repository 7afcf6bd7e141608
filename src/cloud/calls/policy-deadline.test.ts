/** With a test clock: tries to make a request leave after the deadline of its call. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { type CloudAccount, CloudError } from "../cloud.ts";
import { ATTEMPT_MS, CALL_MS, createCallPolicy } from "./policy.ts";
import { STRAGGLER_MS } from "./stragglers.ts";

const ACCOUNT: CloudAccount = { connectionId: "aws_1", accountId: "1", roleArn: "arn:1" };
const STARTED_MS = Date.parse("2026-11-22T10:00:00Z");

/** How long each operation takes on this clock; the process may stand still during any of them. */
type Request = {
  readonly turnMs: number;
  readonly prepareMs: number;
  readonly sendMs: number;
  readonly failure: "THROTTLED" | "UNAVAILABLE" | "TIMEOUT" | null;
};

type Sent = { readonly atMs: number; readonly givenUpAtMs: number };

/** A call of the port that makes these requests one after the other, as pages are. */
async function play(noteToCallMs: number, requests: readonly Request[]): Promise<Sent[]> {
  let nowMs = STARTED_MS + noteToCallMs;
  const sent: Sent[] = [];
  /** Until when the attempt that is being made may last. */
  let givenUpAtMs = 0;
  const policy = createCallPolicy({
    nowMs: () => nowMs,
    pause: async (ms) => void (nowMs += await Promise.resolve(ms)),
    abortAfter(ms) {
      givenUpAtMs = nowMs + ms;
      return new AbortController().signal;
    },
  });
  const left = [...requests];
  const one = ({ turnMs, prepareMs, sendMs, failure }: Request): Promise<void> =>
    policy.request({
      connectionId: ACCOUNT.connectionId,
      operation: "parameters.delete",
      async takeTurn(maxWaitMs) {
        nowMs += await Promise.resolve(turnMs);
        return turnMs <= maxWaitMs;
      },
      async prepare() {
        nowMs += await Promise.resolve(prepareMs);
        return async () => {
          sent.push({ atMs: nowMs, givenUpAtMs });
          nowMs += await Promise.resolve(sendMs);
          if (failure !== null) throw new CloudError("retryable", failure, "parameters.delete", "It failed.");
        };
      },
    });
  const port = policy.each({
    parameters: {
      async delete(_account: CloudAccount): Promise<void> {
        for (let page = left.shift(); page !== undefined; page = left.shift()) await one(page);
      },
    },
  });
  await port.parameters
    .delete({ ...ACCOUNT, startedAt: new Date(STARTED_MS) })
    .catch((error: unknown) => assert.ok(error instanceof CloudError, String(error)));
  return sent;
}

const millis = fc.oneof(
  { weight: 6, arbitrary: fc.nat(8_000) },
  fc.nat(2 * CALL_MS),
  fc.constantFrom(0, 1, ATTEMPT_MS - 1, ATTEMPT_MS, CALL_MS - 1, CALL_MS),
);
const request: fc.Arbitrary<Request> = fc.record({
  turnMs: millis,
  prepareMs: millis,
  sendMs: millis,
  failure: fc.constantFrom("THROTTLED", "UNAVAILABLE", "TIMEOUT", null),
});

describe("the deadline of a call", () => {
  it("is not exceeded by any request, whatever it waited for and however often it was repeated", async () => {
    let [count, late] = [0, 0];
    await fc.assert(
      fc.asyncProperty(millis, fc.array(request, { maxLength: 8 }), async (noteToCallMs, requests) => {
        for (const { atMs, givenUpAtMs } of await play(noteToCallMs, requests)) {
          count += 1;
          if (atMs - STARTED_MS > CALL_MS / 2) late += 1;
          assert.ok(atMs - STARTED_MS < CALL_MS, `sent ${atMs - STARTED_MS} ms after the call was noted`);
          assert.ok(givenUpAtMs - STARTED_MS <= CALL_MS + 1, "given up at the deadline");
        }
      }),
      { seed: 12, numRuns: 2_000 },
    );
    assert.ok(count > 500 && late > 50, `${count} requests, ${late} of them late, are enough to say so`);
  });

  it("lets the last request leave just before it, but not at it", async () => {
    const page = (sendMs: number): Request => ({ turnMs: 0, prepareMs: 0, sendMs, failure: null });
    const until = async (ms: number): Promise<number[]> =>
      (await play(0, [page(ms), page(0)])).map(({ atMs }) => atMs - STARTED_MS);
    assert.deepEqual(await until(CALL_MS - 1), [0, CALL_MS - 1]);
    assert.deepEqual(await until(CALL_MS), [0]);
  });

  it("counts from the noted start of the call", async () => {
    const page: Request = { turnMs: 0, prepareMs: 0, sendMs: 0, failure: null };
    assert.equal((await play(CALL_MS - 1, [page])).length, 1);
    assert.equal((await play(CALL_MS, [page])).length, 0);
  });

  it("plus the time of an attempt is how long stragglers are waited for", () => {
    assert.equal(STRAGGLER_MS, CALL_MS + ATTEMPT_MS);
    assert.ok(STRAGGLER_MS <= 60_000, "no wait is longer than it was");
  });
});
