/**
 * The next step towards a stack that is as a token's operation wants it, from CloudFormation's status and
 * from what became of that operation. Pure.
 *
 * | status                                       | the operation is not begun | begun                     |
 * |----------------------------------------------|----------------------------|---------------------------|
 * | no stack                                     | create                     | create                    |
 * | CREATE_COMPLETE, UPDATE_COMPLETE, …          | update                     | done, or failed           |
 * | UPDATE_IN_PROGRESS                           | break the other off        | wait                      |
 * | any other …_IN_PROGRESS                      | wait                       | wait; done in a cleanup   |
 * | ROLLBACK_COMPLETE, CREATE_FAILED, …          | delete, to create anew     | failed                    |
 * | UPDATE_ROLLBACK_FAILED                       | continue the rollback      | failed                    |
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
  | "failed";

/** Where nothing works any more and nothing can be updated. */
const DEAD: ReadonlySet<string> = new Set([
  "ROLLBACK_COMPLETE",
  "ROLLBACK_FAILED",
  "CREATE_FAILED",
  "DELETE_FAILED",
  "DELETE_COMPLETE",
]);
const STUCK: ReadonlySet<string> = new Set(["UPDATE_ROLLBACK_FAILED", "UPDATE_FAILED"]);

/** Whether an operation's outcome says more of it than the status does. */
export function isDead(status: string): boolean {
  return DEAD.has(status);
}

/** @param outcome of the wanted operation; null when it was not begun */
export function decideStack(status: string | null, outcome: Outcome | null): StackStep {
  if (status === null || status === "DELETE_COMPLETE") return "create";
  // The status was read before the events, and with it the outputs, which are old.
  const isStale = status === "CREATE_IN_PROGRESS" || status === "UPDATE_IN_PROGRESS";
  if (outcome === "succeeded") return isStale ? "wait" : "done";
  const isBegun = outcome !== null;
  if (status === "UPDATE_IN_PROGRESS") return isBegun ? "wait" : "breakOff";
  if (status.endsWith("_IN_PROGRESS")) return "wait";
  // It has come to rest, so whatever was begun has ended, under our token's name or another's.
  if (isBegun) return "failed";
  if (DEAD.has(status)) return "delete";
  return STUCK.has(status) ? "continueRollback" : "update";
}

/** The next step towards a stack that exists, whatever was done to it since it was made. */
export function decideExistence(status: string | null, outcome: Outcome | null): StackStep {
  if (status === null || status === "DELETE_COMPLETE") return "create";
  if (DEAD.has(status)) return outcome === null ? "delete" : "failed";
  const isForming = [
    "CREATE_IN_PROGRESS",
    "DELETE_IN_PROGRESS",
    "ROLLBACK_IN_PROGRESS",
    "REVIEW_IN_PROGRESS",
  ];
  return isForming.includes(status) ? "wait" : "done";
}

/** What the newest stack event of an operation says of it. */
export function outcomeOf(eventStatus: string): Outcome {
  if (eventStatus === "CREATE_COMPLETE" || eventStatus.startsWith("UPDATE_COMPLETE")) return "succeeded";
  return eventStatus.endsWith("_IN_PROGRESS") ? "running" : "failed";
}
