import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shareWork } from "./shared-work.ts";

describe("work that is shared", () => {
  function setUp() {
    const begun: PromiseWithResolvers<number>[] = [];
    const ask = shareWork(() => {
      const work = Promise.withResolvers<number>();
      begun.push(work);
      return work.promise;
    });
    return { ask, begun };
  }

  it("is done once for all callers before it begins, and never uses a run that began before the call", async () => {
    const { ask, begun } = setUp();
    const first = ask();
    const others = Promise.all([ask(), ask(), ask()]);
    assert.equal(begun.length, 1);
    begun[0]?.resolve(1);
    assert.equal(await first, 1);
    assert.equal(begun.length, 2);
    begun[1]?.resolve(2);
    assert.deepEqual(await others, [2, 2, 2]);
    const last = ask();
    begun[2]?.resolve(3);
    assert.equal(await last, 3);
  });

  it("that fails, fails for its callers, and is done again for the next", async () => {
    const { ask, begun } = setUp();
    const first = ask();
    const second = ask();
    begun[0]?.reject(new Error("one"));
    await assert.rejects(first, /one/);
    begun[1]?.resolve(2);
    assert.equal(await second, 2);
  });
});
