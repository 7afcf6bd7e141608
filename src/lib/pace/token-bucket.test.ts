import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createBuckets } from "./token-bucket.ts";

const PACE = { perSecond: 100, burst: 2 };

describe("a token bucket", () => {
  test("lets a burst pass at once, and the rest at the rate, in order", async () => {
    const buckets = createBuckets();
    const startedAt = performance.now();
    const order: number[] = [];
    await Promise.all(
      [0, 1, 2, 3, 4, 5].map(async (n) => {
        assert.equal(await buckets.take("a", PACE, 1_000), true);
        order.push(n);
      }),
    );
    // Two at once, four more at 10 ms each; timers may fire a millisecond early.
    assert.ok(performance.now() - startedAt >= 35);
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5]);
  });

  test("refuses at once if the turn is too far away, without reserving it", async () => {
    let now = 0;
    const buckets = createBuckets(() => now);
    assert.equal(await buckets.take("a", PACE, 0), true);
    assert.equal(await buckets.take("a", PACE, 0), true);
    assert.equal(await buckets.take("a", PACE, 0), false);
    assert.equal(await buckets.take("a", PACE, 0), false);
    now += 10;
    assert.equal(await buckets.take("a", PACE, 0), true);
  });

  test("of one account does not affect another", async () => {
    const buckets = createBuckets(() => 0);
    await buckets.take("a", PACE, 0);
    await buckets.take("a", PACE, 0);
    assert.equal(await buckets.take("a", PACE, 0), false);
    assert.equal(await buckets.take("b", PACE, 0), true);
  });

  test("is empty after the provider throttled, and never has more than a burst", async () => {
    let now = 0;
    const buckets = createBuckets(() => now);
    await buckets.take("a", PACE, 0);
    await buckets.empty("a", PACE);
    assert.equal(await buckets.take("a", PACE, 0), false);
    now += 60_000;
    assert.equal(await buckets.take("a", PACE, 0), true);
    assert.equal(await buckets.take("a", PACE, 0), true);
    assert.equal(await buckets.take("a", PACE, 0), false);
  });
});
