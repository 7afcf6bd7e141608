import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createThrottle } from "../../../sandbox/src/api/throttle.ts";
import { createPacing, nextGapMs } from "./pacing.ts";

describe("the pace of calls", () => {
  it("slows down when throttled and recovers", () => {
    let gapMs = nextGapMs(0, "throttled");
    assert.ok(gapMs > 0);
    assert.ok(nextGapMs(gapMs, "throttled") > gapMs);
    for (let call = 0; call < 20; call += 1) gapMs = nextGapMs(gapMs, "taken");
    assert.equal(gapMs, 0);
  });

  /** Against a token bucket like the providers', on a clock that only moves with the calls. */
  it("is near the provider's own limit, for few refused calls", () => {
    for (const perSecond of [3, 50]) {
      const rate = { perSecond, burst: perSecond };
      let nowMs = 0;
      let gapMs = 0;
      const throttle = createThrottle(() => nowMs);
      let calls = 0;
      for (let stored = 0; stored < 100;) {
        const isAllowed = throttle.allows("key", rate);
        calls += 1;
        if (isAllowed) stored += 1;
        gapMs = nextGapMs(gapMs, isAllowed ? "taken" : "throttled");
        nowMs += Math.max(2, gapMs);
      }
      const idealMs = ((100 - rate.burst) / perSecond) * 1_000;
      assert.ok(nowMs <= idealMs * 1.2, `${perSecond}/s: ${nowMs} ms instead of ${idealMs}`);
      assert.ok(calls <= 170, `${perSecond}/s: ${calls} calls for 100 values`);
    }
  });

  it("gives no slot after the deadline", async () => {
    const pacer = createPacing()("key");
    assert.equal(await pacer.slot(performance.now() - 1), null);
    const slot = await pacer.slot(performance.now() + 1_000);
    assert.ok(slot !== null);
    pacer.report(slot, "throttled");
    assert.equal(await pacer.slot(performance.now() + 5), null);
    assert.notEqual(await pacer.slot(performance.now() + 1_000), null);
  });

  it("is separate for each key", async () => {
    const pacing = createPacing();
    const slot = await pacing("a").slot(performance.now() + 1_000);
    if (slot !== null) pacing("a").report(slot, "throttled");
    assert.equal(await pacing("a").slot(performance.now() + 5), null);
    assert.notEqual(await pacing("b").slot(performance.now() + 5), null);
  });
});
