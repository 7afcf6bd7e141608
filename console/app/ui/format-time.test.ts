import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatCountdown, formatDuration, formatRelative } from "./format-time.ts";

const NOW = Date.parse("2026-06-01T12:00:00Z");

describe("time in words", () => {
  it("shows how long ago, in the largest unit that fits", () => {
    const told = (ms: number) => formatRelative(NOW + ms, NOW);
    assert.equal(told(-3_000), "just now");
    assert.equal(told(4_000), "just now");
    assert.equal(told(-45_000), "45 s ago");
    assert.equal(told(-3_599_000), "59 min ago");
    assert.equal(told(7_200_000), "in 2 h");
    assert.equal(told(-86_400_000), "yesterday");
    assert.equal(told(-400 * 86_400_000), "last year");
  });

  it("shows how long something took", () => {
    assert.deepEqual([0, 4_290, 59_999, 185_000, 7_800_000].map(formatDuration), [
      "0.0 s",
      "4.2 s",
      "59 s",
      "3 min 5 s",
      "2 h 10 min",
    ]);
  });
});

describe("how long until something", () => {
  it("is in whole seconds, and any moment when it is close", () => {
    assert.equal(formatCountdown(-5_000), "any moment");
    assert.equal(formatCountdown(2_900), "any moment");
    assert.equal(formatCountdown(7_200), "in 8 s");
    assert.equal(formatCountdown(1_800_000), "in 30 min 0 s");
  });
});
