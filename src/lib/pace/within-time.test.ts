import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withinTime } from "./within-time.ts";

const refusal = () => new Error("too late");

describe("work within a time", () => {
  it("has its result, or its error", async () => {
    assert.equal(await withinTime(60_000, Promise.resolve(1), refusal), 1);
    await assert.rejects(withinTime(60_000, Promise.reject(new Error("broken")), refusal), /broken/);
  });

  it("is refused if it takes longer, and may still fail then", async () => {
    const work = Promise.withResolvers<never>();
    await assert.rejects(withinTime(1, work.promise, refusal), /too late/);
    work.reject(new Error("broken"));
  });
});
