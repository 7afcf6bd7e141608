import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pollRestMs } from "./poll-rest.ts";

const NOW = new Date("2026-11-22T10:00:00Z");
const after = (seconds: number): number => pollRestMs(new Date(NOW.getTime() - seconds * 1_000), NOW);

describe("the wait before the provider is asked again", () => {
  it("is an eighth of the time so far, with a minimum, and at most half a minute", () => {
    assert.deepEqual([0, 4, 16, 80, 240, 86_400].map(after), [500, 500, 2_000, 10_000, 30_000, 30_000]);
  });

  it("is the minimum if the provider's clock is ahead of ours", () => {
    assert.equal(after(-3_600), 500);
    assert.equal(pollRestMs(NOW, NOW, 1_000), 1_000);
  });

  it("leads to about forty checks of a deployment of five minutes", () => {
    let [seconds, calls] = [0, 0];
    for (; seconds < 300; calls += 1) seconds += after(seconds) / 1_000;
    assert.ok(calls > 30 && calls < 50, String(calls));
  });
});
