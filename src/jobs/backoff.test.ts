import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backoffMs } from "./backoff.ts";

const ALMOST_ONE = 1 - Number.EPSILON;

describe("the wait after failed attempts in a row", () => {
  for (const [attempts, shortest, longest] of [
    [1, 250, 500],
    [2, 500, 1_000],
    [3, 1_000, 2_000],
    [4, 2_000, 4_000],
    [10, 128_000, 256_000],
    [11, 150_000, 300_000],
    [12, 150_000, 300_000],
    [1_000_000, 150_000, 300_000],
  ] as const) {
    it(`is from ${shortest} to ${longest} ms after ${attempts}`, () => {
      assert.equal(backoffMs(attempts, 0), shortest);
      assert.equal(backoffMs(attempts, ALMOST_ONE), longest);
    });
  }

  it("is in the middle for a random number in the middle", () => {
    assert.equal(backoffMs(3, 0.5), 1_500);
  });
});
