import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../test/helpers/until.ts";
import { createQueue } from "./queue.ts";

const accountOf = (id: string): string => id.split("/")[0] ?? "";

test("one account's ten thousand names do not hold up another's", async (t) => {
  const done: string[] = [];
  const queue = createQueue({
    atOnce: 4,
    now: Date.now,
    accountOf,
    work: async (id) => {
      await new Promise((resolve) => setImmediate(resolve));
      done.push(id);
      return null;
    },
  });
  t.after(() => queue.stop());
  for (let index = 0; index < 10_000; index += 1) queue.wake(`big/${index}`);
  queue.wake("small/1");
  await until(() => done.includes("small/1"), "the small account is served");
  assert.ok(done.indexOf("small/1") < 10, `it came after ${done.indexOf("small/1")} others`);
});

test("no account has more than half of the work under way, and there is never more than allowed", async (t) => {
  const running = new Map<string, number>();
  let most = 0;
  let mostOfOne = 0;
  let ends = 0;
  const add = (account: string, by: number) => {
    running.set(account, (running.get(account) ?? 0) + by);
    most = Math.max(
      most,
      [...running.values()].reduce((sum, count) => sum + count, 0),
    );
    mostOfOne = Math.max(mostOfOne, ...running.values());
  };
  const queue = createQueue({
    atOnce: 6,
    now: Date.now,
    accountOf,
    work: async (id) => {
      add(accountOf(id), 1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      add(accountOf(id), -1);
      ends += 1;
      return null;
    },
  });
  t.after(() => queue.stop());
  for (let index = 0; index < 120; index += 1) queue.wake(`a/${index}`);
  for (let index = 0; index < 60; index += 1) queue.wake(`${index % 2 === 0 ? "b" : "c"}/${index}`);
  await until(() => ends === 180, "all are done");
  assert.deepEqual([most, mostOfOne], [6, 3]);
});

test("a step is repeated at its time, on a clock that jumps too, and never beside itself", async (t) => {
  let aheadMs = 0;
  let steps = 0;
  let isRunning = false;
  const queue = createQueue({
    atOnce: 4,
    now: () => Date.now() + aheadMs,
    accountOf,
    work: async () => {
      assert.ok(!isRunning);
      isRunning = true;
      await new Promise((resolve) => setTimeout(resolve, 5));
      isRunning = false;
      steps += 1;
      return Date.now() + aheadMs + (steps < 3 ? 10 : 86_400_000);
    },
  });
  t.after(() => queue.stop());
  queue.wake("a/1");
  queue.wake("a/1");
  await until(() => steps === 3, "it is repeated soon");
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(steps, 3);
  aheadMs = 2 * 86_400_000;
  await until(() => steps > 3, "the jump of the clock makes it due");
});
