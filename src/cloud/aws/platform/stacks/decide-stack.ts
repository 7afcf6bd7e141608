/**
 * Decides the next step towards a stack that is as the desired operation makes it, from CloudFormation's status
 * and the outcome of that operation. Pure.
 *
 * | status                                       | operation not begun        | operation begun           |
 * |----------------------------------------------|----------------------------|---------------------------|
 * | no stack                                     | create                     | create                    |
 * | CREATE_COMPLETE, UPDATE_COMPLETE, …          | update                     | done, or failed           |
 * | UPDATE_IN_PROGRESS                           | cancel the other update    | wait                      |
 * | any other …_IN_PROGRESS                      | wait                       | wait; done if cleaning up |
 * | ROLLBACK_COMPLETE, CREATE_FAILED, …          | delete, then create again  | failed                    |
 * | UPDATE_ROLLBACK_FAILED                       | continue the rollback      | failed                    |
 *
 * Each operation starts a deletion or a rollback at most once, with its own token. If that fails too, the
 * stack is stuck: the customer has to fix it by hand.
 */
export type Outcome = "running" | "succeeded" | "failed";

export type StackStep =
  | "create"
  | "update"
  | "wait"
  | "breakOff"
  | "continueRollback"
  | "delete"
  | "done"
  | "failed"
  | "stuck";

/** The outcome of the desired operation, and of the deletion or rollback before it; null if not begun. */
export type Outcomes = { readonly desired: Outcome | null; readonly fixing: Outcome | null };

/** The stack does not work and cannot be updated. REVIEW_IN_PROGRESS: a change set was never executed. */
const DEAD: ReadonlySet<string> = new Set([
  "ROLLBACK_COMPLETE",
  "ROLLBACK_FAILED",
  "CREATE_FAILED",
  "DELETE_FAILED",
  "REVIEW_IN_PROGRESS",
]);

/** Whether the outcome of an operation says more about the stack than its status. */
export function isDead(status: string): boolean {
  return DEAD.has(status);
}

export function decideStack(status: string | null, { desired, fixing }: Outcomes): StackStep {
  if (status === null || status === "DELETE_COMPLETE") return "create";
  // The status was read before the events, so its outputs are outdated.
  const isStale = status === "CREATE_IN_PROGRESS" || status === "UPDATE_IN_PROGRESS";
  if (desired === "succeeded") return isStale ? "wait" : "done";
  const isBegun = desired !== null;
  if (status === "UPDATE_IN_PROGRESS") return isBegun ? "wait" : "breakOff";
  if (status.endsWith("_IN_PROGRESS") && !DEAD.has(status)) return "wait";
  // Nothing is running, so what was begun has ended, with our token or another.
  if (isBegun) return "failed";
  const fix = DEAD.has(status) ? "delete" : status === "UPDATE_ROLLBACK_FAILED" ? "continueRollback" : null;
  if (fix === null) return "update";
  return fixing === "failed" ? "stuck" : fix;
}

/** The next step towards an existing stack, whatever was done to it since its creation. */
export function decideExistence(status: string | null, { desired, fixing }: Outcomes): StackStep {
  if (status === null || status === "DELETE_COMPLETE") return "create";
  if (DEAD.has(status)) {
    if (desired !== null) return "failed";
    return fixing === "failed" ? "stuck" : "delete";
  }
  const isForming = ["CREATE_IN_PROGRESS", "DELETE_IN_PROGRESS", "ROLLBACK_IN_PROGRESS"];
  return isForming.includes(status) ? "wait" : "done";
}

/**
 * The next step towards an existing stack with something that other operations may add too, as long as it lacks that.
 * Such an operation is never cancelled.
 */
export function decideAddition(status: string | null, outcomes: Outcomes): StackStep {
  const step = decideExistence(status, outcomes);
  if (step !== "done") return step;
  if (status === null || status.endsWith("_IN_PROGRESS")) return "wait";
  const { desired, fixing } = outcomes;
  // The status was read before the events, so its outputs are outdated.
  if (desired === "succeeded") return "wait";
  if (desired !== null) return "failed";
  if (status !== "UPDATE_ROLLBACK_FAILED") return "update";
  return fixing === "failed" ? "stuck" : "continueRollback";
}

/** The outcome of an operation, from its newest stack event. */
export function outcomeOf(eventStatus: string): Outcome {
  if (eventStatus === "CREATE_COMPLETE" || eventStatus.startsWith("UPDATE_COMPLETE")) return "succeeded";
  return eventStatus.endsWith("_IN_PROGRESS") ? "running" : "failed";
}
