import assert from "node:assert/strict";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { underLoad } from "./load.ts";

test("requests run until the work has ended, and are counted", async () => {
  let answered = 0;
  const enough = new EventTarget();
  const asked = await underLoad(
    async () => {
      await setImmediate();
      answered += 1;
      if (answered === 100) enough.dispatchEvent(new Event("reached"));
    },
    async () => void (await once(enough, "reached")),
  );
  assert.ok(asked >= 100, String(asked));
  assert.equal(answered, asked, "none is under way any more");
});

test("one failed request among many fails the run, with its reason", async () => {
  let asked = 0;
  const failed = new EventTarget();
  const load = underLoad(
    async () => {
      await setImmediate();
      asked += 1;
      if (asked !== 20) return;
      failed.dispatchEvent(new Event("reached"));
      throw new Error("answered 503");
    },
    async () => void (await once(failed, "reached")),
  );
  await assert.rejects(load, /requests, 1 failed: Error: answered 503/);
});

test("work that fails ends the requests, and its error is reported", async () => {
  let underWay = 0;
  const load = underLoad(
    async () => {
      underWay += 1;
      await setImmediate();
      underWay -= 1;
    },
    async () => {
      throw new Error("The deployment ended with ERROR.");
    },
  );
  await assert.rejects(load, /The deployment ended with ERROR/);
  assert.equal(underWay, 0);
});
