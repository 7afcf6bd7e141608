import assert from "node:assert/strict";
import { it } from "node:test";
import { forEachItem } from "./bulk.ts";

it("does all, a few at once, and returns what failed", async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  const items = Array.from({ length: 20 }, (_, index) => index);
  const failures = await forEachItem(items, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
    running -= 1;
    if (item % 7 === 3) throw new Error(`no ${item}`);
    done.push(item);
  });
  assert.equal(most, 4);
  assert.equal(done.length, 17);
  assert.deepEqual(
    failures.map(({ item }) => item),
    [3, 10, 17],
  );
});

it("has nothing to do for no item", async () => {
  assert.deepEqual(await forEachItem([], () => Promise.reject(new Error("never"))), []);
});
