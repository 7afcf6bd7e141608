import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createQueue } from "./queue.ts";

describe("createQueue", () => {
  it("never runs more than its slots allow, and runs everything in order", async () => {
    const queue = createQueue(3);
    const started: number[] = [];
    let running = 0;
    let most = 0;
    const work = Array.from({ length: 20 }, (_, index) =>
      queue.run(
        async () => {
          started.push(index);
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
        },
        () => assert.fail("nothing is late"),
        10_000,
      ),
    );
    await Promise.all(work);
    assert.equal(most, 3);
    assert.deepEqual(
      started,
      started.toSorted((a, b) => a - b),
    );
  });

  it("gives up on a slot in time, and the slot goes to the next", async () => {
    const queue = createQueue(1);
    const gate = Promise.withResolvers<string>();
    const long = queue.run(
      () => gate.promise,
      () => "late",
      1000,
    );
    const late = await queue.run(
      () => Promise.resolve("ran"),
      () => "late",
      5,
    );
    assert.equal(late, "late");
    gate.resolve("ran");
    assert.equal(await long, "ran");
    assert.equal(
      await queue.run(
        () => Promise.resolve("ran"),
        () => "late",
        1000,
      ),
      "ran",
    );
  });

  it("drains: lets running work end and refuses new work, and frees a slot whose work failed", async () => {
    const queue = createQueue(1);
    await assert.rejects(
      queue.run(
        () => Promise.reject(new Error("broken")),
        () => undefined,
        1000,
      ),
      /broken/,
    );
    const gate = Promise.withResolvers<string>();
    const running = queue.run(
      () => gate.promise,
      () => "late",
      1000,
    );
    const drained = queue.drain();
    await assert.rejects(
      queue.run(
        () => Promise.resolve("ran"),
        () => "late",
        1000,
      ),
      /closed/,
    );
    gate.resolve("ran");
    await drained;
    assert.equal(await running, "ran");
  });
});
