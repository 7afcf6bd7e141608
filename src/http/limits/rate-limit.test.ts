import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FastifyReply } from "fastify";
import { AppError } from "../../lib/errors.ts";
import { createRateLimit, createVisitorLimit } from "./rate-limit.ts";

function setUp(perMinute: number) {
  let nowMs = 0;
  const limit = createRateLimit(perMinute, () => nowMs);
  return {
    pass: (ms: number) => (nowMs += ms),
    take: (key = "a") => {
      const headers: Record<string, unknown> = {};
      const reply = { header: (name: string, value: unknown) => (headers[name] = value) };
      try {
        limit.take(key, reply as unknown as FastifyReply);
        return { headers, refusal: null };
      } catch (error) {
        assert.ok(error instanceof AppError);
        return { headers, refusal: error };
      }
    },
  };
}

describe("the rate limit", () => {
  it("lets a full minute's requests through at once, then refuses with the time to wait", () => {
    const { take } = setUp(60);
    for (let count = 0; count < 60; count += 1) assert.equal(take().refusal, null);
    const { headers, refusal } = take();
    assert.equal(refusal?.code, "RATE_LIMITED");
    assert.equal(refusal?.retryAfterSeconds, 1);
    assert.equal(headers["ratelimit"], '"default";r=0;t=1');
    assert.equal(headers["ratelimit-policy"], '"default";q=60;w=60');
  });

  it("is refilled evenly, and waiting as long as it says is enough", () => {
    const { take, pass } = setUp(6);
    for (let count = 0; count < 6; count += 1) take();
    const { refusal } = take();
    assert.equal(refusal?.retryAfterSeconds, 10);
    pass(9_999);
    assert.notEqual(take().refusal, null);
    pass(1);
    assert.equal(take().refusal, null);
    assert.notEqual(take().refusal, null);
    pass(3_600_000);
    for (let count = 0; count < 6; count += 1) assert.equal(take().refusal, null, "never more than it holds");
    assert.notEqual(take().refusal, null);
  });

  it("A16: Retry-After agrees with RateLimit, which says when there are more requests", () => {
    const { take, pass } = setUp(6);
    assert.equal(take().headers["ratelimit"], '"default";r=5;t=10', "when all are there again");
    for (let count = 0; count < 4; count += 1) take();
    assert.equal(take().headers["ratelimit"], '"default";r=0;t=10', "when the next one is there");
    for (const waitedMs of [0, 2_500, 4_000, 3_499]) {
      pass(waitedMs);
      const { headers, refusal } = take();
      assert.equal(headers["ratelimit"], `"default";r=0;t=${refusal?.retryAfterSeconds}`);
    }
    pass(1);
    assert.equal(take().refusal, null);
  });

  it("counts each key separately", () => {
    const { take } = setUp(1);
    assert.equal(take("a").refusal, null);
    assert.equal(take("b").refusal, null);
    assert.notEqual(take("a").refusal, null);
  });
});

describe("the limit of visitors", () => {
  it("counts each key on its own, and says when the next request is allowed", () => {
    let now = 0;
    const limit = createVisitorLimit(6, () => now);
    for (let times = 0; times < 6; times += 1) assert.equal(limit.take("one"), null);
    assert.equal(limit.take("one"), 10);
    assert.equal(limit.take("two"), null);
    now += 9_000;
    assert.equal(limit.take("one"), 1);
    now += 1_000;
    assert.equal(limit.take("one"), null);
  });
});
