import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBatches } from "./batch.ts";

describe("a batch", () => {
  it("has all that is asked for in one turn, and answers each", async () => {
    const batches: (readonly number[])[] = [];
    const double = createBatches(async (items: readonly number[]) => {
      batches.push(items);
      return await Promise.resolve(items.map((item) => 2 * item));
    });
    assert.deepEqual(await Promise.all([1, 2, 3].map(double)), [2, 4, 6]);
    assert.deepEqual(batches, [[1, 2, 3]]);
  });

  it("has what was asked for while the one before was under way", async () => {
    const batches: (readonly string[])[] = [];
    const first = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const echo = createBatches(async (items: readonly string[]) => {
      batches.push(items);
      if (batches.length === 1) {
        begun.resolve();
        await first.promise;
      }
      return items;
    });
    const one = echo("a");
    await begun.promise;
    const others = ["b", "c"].map(echo);
    first.resolve();
    assert.deepEqual(await Promise.all([one, ...others]), ["a", "b", "c"]);
    assert.deepEqual(batches, [["a"], ["b", "c"]]);
  });

  it("that fails rejects all its calls, and the next one begins anew", async () => {
    let isBroken = true;
    const echo = createBatches(async (items: readonly string[]) => {
      if (isBroken) throw new Error("broken");
      return await Promise.resolve(items);
    });
    const outcomes = await Promise.allSettled([echo("a"), echo("b")]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    isBroken = false;
    assert.equal(await echo("c"), "c");
  });
});
