/**
 * How an execution is, from what ECS says of its task. Pure.
 *
 * | task                                                    | execution                                      |
 * |---------------------------------------------------------|------------------------------------------------|
 * | not known soon after its start                          | `STARTING`                                     |
 * | not known later, its end was never seen                 | `FAILED` (`INTERRUPTED`)                       |
 * | its container has not begun                             | `STARTING`                                     |
 * | its container runs                                      | `RUNNING`, and stopped beyond its limit        |
 * | stopped by Slipway                                      | `TIMED_OUT`, `CANCELLED`                       |
 * | stopped with exit code 0                                | `SUCCEEDED`                                    |
 * | stopped with another                                    | `FAILED` (`COMMAND_FAILED`, `OUT_OF_MEMORY`)   |
 * | stopped before its container began                      | `FAILED` (`NOT_STARTED`, …)                    |
 * | stopped by ECS, or by hand                              | `FAILED` (`INTERRUPTED`)                       |
 */
import type { Task } from "@aws-sdk/client-ecs";
import { cutText } from "../../../../lib/cut-text.ts";
import type { ObservedExecution } from "../../../platform.ts";

export type Stopping = "TIMED_OUT" | "CANCELLED";
export type ExecutionState = Omit<ObservedExecution, "token">;
type Failure = NonNullable<ObservedExecution["failure"]>;

/** ECS may not know a new task at once. */
const SETTLE_MS = 5 * 60_000;
const REASON_CHARACTERS = 400;

export type ExecutionDecision = {
  readonly state: ExecutionState;
  /** It runs beyond its limit. */
  readonly isOverdue: boolean;
};

export function decideExecution(
  task: Task | null,
  execution: {
    readonly requestedAtMs: number;
    readonly timeLimitSeconds: number;
    /** That Slipway has begun to stop it, and why. */
    readonly stopping: Stopping | null;
    readonly memoryGb: number;
  },
  nowMs: number,
): ExecutionDecision {
  const startedAt = task?.startedAt ?? null;
  const running = (status: "STARTING" | "RUNNING", isOverdue = false): ExecutionDecision => ({
    state: { status, exitCode: null, failure: null, startedAt, endedAt: null },
    isOverdue,
  });
  if (task === null) {
    if (nowMs - execution.requestedAtMs < SETTLE_MS) return running("STARTING");
    return { state: endedWith(FORGOTTEN, null, new Date(nowMs)), isOverdue: false };
  }
  if (task.lastStatus !== "STOPPED") {
    if (startedAt === null) return running("STARTING");
    const limitMs = execution.timeLimitSeconds * 1_000;
    return running("RUNNING", nowMs - startedAt.getTime() >= limitMs);
  }
  const endedAt = task.executionStoppedAt ?? task.stoppedAt ?? new Date(nowMs);
  const state = { ...endOf(task, execution), startedAt, endedAt };
  return { state, isOverdue: false };
}

type End = Pick<ExecutionState, "status" | "exitCode" | "failure">;

function endOf(
  { stopCode, stoppedReason = "", containers = [], startedAt }: Task,
  { stopping, timeLimitSeconds, memoryGb }: Parameters<typeof decideExecution>[1],
): End {
  const { exitCode = null, reason = "" } = containers[0] ?? {};
  const words = [stoppedReason, reason].flatMap((text) =>
    text === "" ? [] : [cutText(text, REASON_CHARACTERS).replace(/[.\s]+$/, "")],
  );
  const why = words.join(" (") + ")".repeat(Math.max(0, words.length - 1));
  const failed = (failure: Failure): End => ({ status: "FAILED", exitCode, failure });
  const isStopped = stopCode === "UserInitiated";
  if (isStopped && stopping !== null) {
    const failure = stopping === "CANCELLED" ? CANCELLED : timedOut(timeLimitSeconds);
    return { status: stopping, exitCode: null, failure };
  }
  if (/OutOfMemory/.test(reason)) {
    const message = `The command needed more than its ${memoryGb} GiB of memory. Give it more.`;
    return failed({ code: "OUT_OF_MEMORY", message });
  }
  if (startedAt === undefined) return failed(notStarted(why));
  if (isStopped || exitCode === null || INTERRUPTIONS.has(stopCode ?? "")) {
    const message = `ECS stopped the command: ${why}. It is not run again: what it did before is not known.`;
    return { ...failed({ code: "INTERRUPTED", message }), exitCode: null };
  }
  if (exitCode === 0) return { status: "SUCCEEDED", exitCode, failure: null };
  const message = `The command ended with exit code ${exitCode}; the log says why.`;
  return failed({ code: "COMMAND_FAILED", message });
}

/** https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_Task.html (stopCode) */
const INTERRUPTIONS: ReadonlySet<string> = new Set(["SpotInterruption", "TerminationNotice"]);

function notStarted(why: string): Failure {
  const message = `ECS could not start the command: ${why}.`;
  if (/CannotPull|pull image/i.test(why)) return { code: "IMAGE_NOT_AVAILABLE", message };
  if (/secret|parameter/i.test(why)) return { code: "VALUES_UNAVAILABLE", message };
  return { code: "NOT_STARTED", message };
}

function timedOut(seconds: number): Failure {
  const message = `The command did not end within its limit of ${seconds} seconds, and was stopped.`;
  return { code: "TIMED_OUT", message };
}

export const CANCELLED: Failure = { code: "CANCELLED", message: "The execution was cancelled." };
const FORGOTTEN: Failure = {
  code: "INTERRUPTED",
  message:
    "ECS no longer knows how the command ended, because Slipway could not ask for an hour. It is not run again: the log may say what it did.",
};

/** A failed execution without an exit code. */
export function endedWith(failure: Failure, startedAt: Date | null, endedAt: Date): ExecutionState {
  return { status: "FAILED", exitCode: null, failure, startedAt, endedAt };
}
