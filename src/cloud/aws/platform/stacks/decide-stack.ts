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
 *
 * A deletion or a rollback is ordered once for each operation, with a token of its own. Where that fails too,
 * somebody has to fix the stack by hand: it is stuck.
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

/** What became of the wanted operation, and of the deletion or rollback before it; null of what was not begun. */
export type Outcomes = { readonly wanted: Outcome | null; readonly fixing: Outcome | null };

/** Where nothing works any more and nothing can be updated. Of a change set that nobody executed, there is nothing at all. */
const DEAD: ReadonlySet<string> = new Set([
  "ROLLBACK_COMPLETE",
  "ROLLBACK_FAILED",
  "CREATE_FAILED",
  "DELETE_FAILED",
  "REVIEW_IN_PROGRESS",
]);

/** Whether an operation's outcome says more of it than the status does. */
export function isDead(status: string): boolean {
  return DEAD.has(status);
}

export function decideStack(status: string | null, { wanted, fixing }: Outcomes): StackStep {
  if (status === null || status === "DELETE_COMPLETE") return "create";
  // The status was read before the events, and with it the outputs, which are old.
  const isStale = status === "CREATE_IN_PROGRESS" || status === "UPDATE_IN_PROGRESS";
  if (wanted === "succeeded") return isStale ? "wait" : "done";
  const isBegun = wanted !== null;
  if (status === "UPDATE_IN_PROGRESS") return isBegun ? "wait" : "breakOff";
  if (status.endsWith("_IN_PROGRESS") && !DEAD.has(status)) return "wait";
  // It has come to rest, so whatever was begun has ended, under our token's name or another's.
  if (isBegun) return "failed";
  const fix = DEAD.has(status) ? "delete" : status === "UPDATE_ROLLBACK_FAILED" ? "continueRollback" : null;
  if (fix === null) return "update";
  return fixing === "failed" ? "stuck" : fix;
}

/** The next step towards a stack that exists, whatever was done to it since it was made. */
export function decideExistence(status: string | null, { wanted, fixing }: Outcomes): StackStep {
  if (status === null || status === "DELETE_COMPLETE") return "create";
  if (DEAD.has(status)) {
    if (wanted !== null) return "failed";
    return fixing === "failed" ? "stuck" : "delete";
  }
  const isForming = ["CREATE_IN_PROGRESS", "DELETE_IN_PROGRESS", "ROLLBACK_IN_PROGRESS"];
  return isForming.includes(status) ? "wait" : "done";
}

/** What the newest stack event of an operation says of it. */
export function outcomeOf(eventStatus: string): Outcome {
  if (eventStatus === "CREATE_COMPLETE" || eventStatus.startsWith("UPDATE_COMPLETE")) return "succeeded";
  return eventStatus.endsWith("_IN_PROGRESS") ? "running" : "failed";
}
