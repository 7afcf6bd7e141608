import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVisitorLimit } from "./visitor-limit.ts";

describe("the limit of visitors", () => {
  it("counts each key by itself, and says when to come again", () => {
    let now = 0;
    const limit = createVisitorLimit(6, () => now);
    for (let times = 0; times < 6; times += 1) assert.equal(limit.take("one"), null);
    assert.equal(limit.take("one"), 10);
    assert.equal(limit.take("two"), null);
    now += 9_000;
    assert.equal(limit.take("one"), 1);
    now += 1_000;
    assert.equal(limit.take("one"), null);
  });
});
