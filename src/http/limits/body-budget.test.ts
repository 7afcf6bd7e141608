import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../lib/errors.ts";
import { createBodyBudget, holderOfAddress } from "./body-budget.ts";

function setUp() {
  let nowMs = 0;
  const budget = createBodyBudget({ totalBytes: 100, holderBytes: 60, nowMs: () => nowMs });
  const givenUp: string[] = [];
  return {
    pass: (ms: number) => (nowMs += ms),
    open: (holder: string) => budget.open(holder, () => givenUp.push(holder)),
    givenUp,
  };
}
const refusedWith = (code: string) => (error: unknown) =>
  error instanceof AppError && error.code === code && error.retryAfterSeconds === 2;

describe("S4: the bodies in memory", () => {
  it("have a limit per holder, and a common limit", () => {
    const { open } = setUp();
    open("a").take(60);
    assert.throws(() => open("a").take(1), refusedWith("BODIES_IN_FLIGHT"));
    open("b").take(40);
    assert.throws(() => open("c").take(1), refusedWith("OVERLOADED"));
  });

  it("free their room once when they are released", () => {
    const { open } = setUp();
    const first = open("a");
    first.take(60);
    first.release();
    first.release();
    const second = open("a");
    second.take(60);
    open("b").take(40);
    assert.throws(() => open("c").take(1), refusedWith("OVERLOADED"));
  });

  it("are given up for others if they arrive slowly, oldest first and no more than needed", () => {
    const { open, pass, givenUp } = setUp();
    open("slow 1").take(50);
    pass(1);
    open("slow 2").take(50);
    pass(1_000);
    assert.throws(() => open("early").take(10), refusedWith("OVERLOADED"));
    pass(1_000);
    open("new").take(10);
    assert.deepEqual(givenUp, ["slow 1"]);
  });

  it("that were given up also free their holder's room", () => {
    const { open, pass } = setUp();
    open("a").take(50);
    open("b").take(50);
    pass(2_000);
    const next = open("a");
    next.take(10);
    next.release();
    open("a").take(50);
  });

  it("are not given up once they are complete", () => {
    const { open, pass, givenUp } = setUp();
    for (const holder of ["a", "b"]) {
      const share = open(holder);
      share.take(50);
      share.settle();
    }
    pass(60_000);
    assert.throws(() => open("c").take(1), refusedWith("OVERLOADED"));
    assert.deepEqual(givenUp, []);
  });

  const rows: readonly [string, string][] = [
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:1"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2"],
    ["::1", "0:0:0:0"],
    ["fe80::", "fe80:0:0:0"],
    ["2001:db8::3:4:5:192.0.2.1", "2001:db8:0:3"],
  ];
  for (const [address, holder] of rows) {
    it(`know ${address} as ${holder}`, () => assert.equal(holderOfAddress(address), holder));
  }
});
