import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decideExecution } from "./decide-execution.ts";

const AT = Date.parse("2026-11-27T01:00:00Z");
const MINUTE_MS = 60_000;
const ASKED = { requestedAtMs: AT, timeLimitSeconds: 60, stopping: null, memoryGb: 1 } as const;
const STARTED = new Date(AT + 10_000);
type Task = Parameters<typeof decideExecution>[0];

describe("an execution", () => {
  const statusOf = (task: Task, afterMs: number, asked: Parameters<typeof decideExecution>[1] = ASKED) => {
    const { state, isOverdue } = decideExecution(task, asked, AT + afterMs);
    return [state.status, state.failure?.code ?? null, isOverdue];
  };

  test("starts while ECS does not know its task yet, and is lost if that lasts", () => {
    assert.deepEqual(statusOf(null, 4 * MINUTE_MS), ["STARTING", null, false]);
    assert.deepEqual(statusOf(null, 6 * MINUTE_MS), ["FAILED", "INTERRUPTED", false]);
  });

  test("is overdue by the start of its container, not by its request", () => {
    assert.deepEqual(statusOf({ lastStatus: "PENDING" }, 30 * MINUTE_MS), ["STARTING", null, false]);
    const running = { lastStatus: "RUNNING", startedAt: STARTED };
    assert.deepEqual(statusOf(running, 69_999), ["RUNNING", null, false]);
    assert.deepEqual(statusOf(running, 70_000), ["RUNNING", null, true]);
  });

  test("that ended before Slipway could stop it has its own end", () => {
    const ended = {
      lastStatus: "STOPPED",
      stopCode: "EssentialContainerExited",
      startedAt: STARTED,
      containers: [{ exitCode: 0 }],
    } as const;
    for (const stopping of ["CANCELLED", "TIMED_OUT"] as const)
      assert.deepEqual(statusOf({ ...ended, containers: [...ended.containers] }, 0, { ...ASKED, stopping }), [
        "SUCCEEDED",
        null,
        false,
      ]);
  });

  test("that was stopped before its container began is cancelled, too", () => {
    const stopped = { lastStatus: "STOPPED", stopCode: "UserInitiated" } as const;
    const asked = { ...ASKED, stopping: "CANCELLED" } as const;
    assert.deepEqual(statusOf(stopped, 0, asked), ["CANCELLED", "CANCELLED", false]);
  });
});
