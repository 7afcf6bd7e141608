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
  it("are allowed until three in a row have timed out", () => {
    const { circuits, timeOut } = make();
    timeOut(2);
    assert.ok(circuits.admits("aws_1"));
    timeOut(1);
    assert.ok(!circuits.admits("aws_1"));
  });

  it("are allowed if there was an answer between the time-outs", () => {
    const { circuits, timeOut } = make();
    timeOut(2);
    circuits.report("aws_1", "answered");
    timeOut(2);
    assert.ok(circuits.admits("aws_1"));
  });

  it("of another connection are not affected", () => {
    const { circuits, timeOut } = make();
    timeOut(3);
    assert.ok(circuits.admits("aws_2"));
  });

  it("are allowed one at a time after a rest, and all again after an answer", () => {
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

  it("rest again after a failed try", () => {
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
