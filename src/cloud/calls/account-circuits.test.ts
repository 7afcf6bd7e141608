import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAccountCircuits } from "./account-circuits.ts";

function make() {
  const clock = { nowMs: 0 };
  const circuits = createAccountCircuits(() => clock.nowMs);
  const timeOut = (times: number, connectionId = "aws_1"): void => {
    for (let time = 0; time < times; time += 1) circuits.report(connectionId, "timed-out");
  };
  return { clock, circuits, timeOut };
}

describe("the calls to an account", () => {
  it("are admitted until three in a row have timed out", () => {
    const { circuits, timeOut } = make();
    timeOut(2);
    assert.ok(circuits.admits("aws_1"));
    timeOut(1);
    assert.ok(!circuits.admits("aws_1"));
  });

  it("are admitted when an answer came between the time-outs", () => {
    const { circuits, timeOut } = make();
    timeOut(2);
    circuits.report("aws_1", "answered");
    timeOut(2);
    assert.ok(circuits.admits("aws_1"));
  });

  it("of another connection are not touched", () => {
    const { circuits, timeOut } = make();
    timeOut(3);
    assert.ok(circuits.admits("aws_2"));
  });

  it("are tried by one alone after a rest, and by all once it was answered", () => {
    const { circuits, clock, timeOut } = make();
    timeOut(3);
    clock.nowMs = 9_999;
    assert.ok(!circuits.admits("aws_1"));
    clock.nowMs = 10_000;
    assert.ok(circuits.admits("aws_1"));
    assert.ok(!circuits.admits("aws_1"), "one is asking already");
    circuits.report("aws_1", "answered");
    assert.ok(circuits.admits("aws_1") && circuits.admits("aws_1"));
  });

  it("rest as long again after a try in vain", () => {
    const { circuits, clock, timeOut } = make();
    timeOut(3);
    clock.nowMs = 10_000;
    assert.ok(circuits.admits("aws_1"));
    clock.nowMs = 15_000;
    timeOut(1);
    clock.nowMs = 24_999;
    assert.ok(!circuits.admits("aws_1"));
    clock.nowMs = 25_000;
    assert.ok(circuits.admits("aws_1"));
  });
});
