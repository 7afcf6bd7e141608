import assert from "node:assert/strict";
import { test } from "node:test";
import { createThrottle } from "./throttle.ts";

test("a bucket gives its burst at once and then flows at its rate", () => {
  let nowMs = 1_000;
  const throttle = createThrottle(() => nowMs);
  const rate = { perSecond: 3, burst: 3 };
  const allowed = () => Array.from({ length: 5 }, () => throttle.allows("a", rate)).filter(Boolean).length;
  assert.equal(allowed(), 3);
  nowMs += 333;
  assert.equal(allowed(), 0);
  nowMs += 1;
  assert.equal(allowed(), 1);
  nowMs += 60_000;
  assert.equal(allowed(), 3);
});

test("one account's calls take nothing from another's", () => {
  const throttle = createThrottle(() => 0);
  const rate = { perSecond: 1, burst: 1 };
  assert.ok(throttle.allows("a", rate));
  assert.ok(!throttle.allows("a", rate));
  assert.ok(throttle.allows("b", rate));
});

test("a clock that runs backwards neither fills nor drains a bucket", () => {
  let nowMs = 10_000;
  const throttle = createThrottle(() => nowMs);
  const rate = { perSecond: 1, burst: 2 };
  assert.ok(throttle.allows("a", rate));
  nowMs = 0;
  assert.ok(throttle.allows("a", rate));
  assert.ok(!throttle.allows("a", rate));
});
