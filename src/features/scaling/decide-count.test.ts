import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideCount, desiredOf } from "./decide-count.ts";

const LIMITS = { minInstances: 2, maxInstances: 5 };

describe("the number of instances that a request asks for", () => {
  it("is set, added or removed", () => {
    assert.deepEqual(decideCount({ operation: "set", count: 5 }, 3, LIMITS), { count: 5 });
    assert.deepEqual(decideCount({ operation: "add", count: 2 }, 3, LIMITS), { count: 5 });
    assert.deepEqual(decideCount({ operation: "remove", count: 1 }, 3, LIMITS), { count: 2 });
  });

  it("is refused outside of the limits, with what to do, and is never cut to them", () => {
    for (const request of [
      { operation: "set", count: 6 },
      { operation: "set", count: 0 },
      { operation: "add", count: 3 },
      { operation: "remove", count: 2 },
    ] as const) {
      const decided = decideCount(request, 3, LIMITS);
      assert.ok("refusal" in decided, `${request.operation} ${request.count}`);
      assert.match(decided.refusal, /has 2 to 5\. Choose a number in between, or change minInstances or max/);
    }
    const fixed = decideCount({ operation: "add", count: 1 }, 2, { minInstances: 2, maxInstances: 2 });
    assert.match("refusal" in fixed ? fixed.refusal : "", /exactly 2: .* are equal/);
  });

  it("may stay what it is, even where another service of the account changed it", () => {
    assert.deepEqual(decideCount({ operation: "set", count: 7 }, 7, LIMITS), { count: 7 });
    assert.deepEqual(decideCount({ operation: "add", count: 0 }, 1, LIMITS), { count: 1 });
  });
});

describe("the number of instances that a service is to have", () => {
  const taken = { count: null, problem: null, taken: 4, takes: 2 };

  it("is what a client asked for, until the platform has taken it", () => {
    assert.equal(desiredOf({ ...taken, count: 5 }, 2, 4), 5);
  });

  it("is what the platform says afterwards, for it may change the number itself", () => {
    assert.equal(desiredOf(taken, 2, 3), 3);
  });

  it("is what the platform took while it was asked, for its answer may be from before", () => {
    assert.equal(desiredOf(taken, 1, 3), 4);
  });
});
