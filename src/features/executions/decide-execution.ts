/** The next step of an execution that has not ended. */
import { STRAGGLER_MS } from "../../cloud/calls/stragglers.ts";
import type { ObservedExecution } from "../../cloud/platform.ts";
import { ENDINGS } from "./endings.ts";
import type { Execution, Outcome } from "./execution.ts";

/** After its limit, the platform may take this long to stop a command. */
const STOP_GRACE_MS = 5 * 60_000;
/** Without an account, and for a start: an execution may wait for others. */
const WAIT_MAX_MS = 24 * 3_600_000;

export type ExecutionStep =
  /** Choose the live release, and hand the command to the platform. */
  | { readonly kind: "start" }
  | { readonly kind: "running"; readonly startedAt: Date }
  | { readonly kind: "cancel"; readonly runAfterMs: number }
  | { readonly kind: "wait"; readonly runAfterMs: number }
  | { readonly kind: "end"; readonly outcome: Outcome };

/**
 * Pure.
 * @param observed null if the platform has no such execution; "no-account" if it cannot be asked
 */
export function decideExecution(
  execution: Execution,
  observed: ObservedExecution | "no-account" | null,
  now: Date,
): ExecutionStep {
  const { status, cancelRequestedAt, createdAt, startedAt, timeLimitSeconds } = execution;
  const ageMs = now.getTime() - createdAt.getTime();
  if (status === "QUEUED" && cancelRequestedAt !== null) return end("CANCELLED", ENDINGS.cancelled);
  if (observed === "no-account")
    return ageMs > WAIT_MAX_MS ? end("FAILED", ENDINGS.accountLost) : { kind: "wait", runAfterMs: 60_000 };
  if (observed === null) {
    if (status === "RUNNING") return end("FAILED", ENDINGS.lost);
    if (cancelRequestedAt === null) return { kind: "start" };
    // A call that another worker sent before may still arrive, and start the command.
    const isCertain = now.getTime() - cancelRequestedAt.getTime() > STRAGGLER_MS;
    return isCertain ? end("CANCELLED", ENDINGS.cancelled) : { kind: "wait", runAfterMs: pollMs(ageMs) };
  }
  if (observed.status !== "STARTING" && observed.status !== "RUNNING") return ended(observed);
  if (cancelRequestedAt !== null) return { kind: "cancel", runAfterMs: pollMs(ageMs) };
  if (observed.status === "RUNNING" && status !== "RUNNING")
    return { kind: "running", startedAt: observed.startedAt ?? now };
  const begun = (startedAt ?? observed.startedAt)?.getTime();
  const overdueMs =
    begun === undefined ? ageMs - WAIT_MAX_MS : now.getTime() - begun - timeLimitSeconds * 1_000;
  if (overdueMs > 2 * STOP_GRACE_MS) return end("TIMED_OUT", ENDINGS.timedOut);
  // The platform stops it; this is for a platform that does not.
  if (overdueMs > STOP_GRACE_MS) return { kind: "cancel", runAfterMs: 30_000 };
  return { kind: "wait", runAfterMs: pollMs(ageMs) };
}

/** A short command is seen to end at once, and a long one costs few calls. */
function pollMs(ageMs: number): number {
  if (ageMs < 10_000) return 500;
  return ageMs < 120_000 ? 2_000 : 10_000;
}

function ended({ status, exitCode, failure, startedAt, endedAt }: ObservedExecution): ExecutionStep {
  if (status === "STARTING" || status === "RUNNING") throw new Error("It has not ended.");
  return { kind: "end", outcome: { status, exitCode, error: failure, startedAt, endedAt } };
}

function end(status: Outcome["status"], error: Outcome["error"]): ExecutionStep {
  return { kind: "end", outcome: { status, error } };
}
