import type { CleanupAccount, CleanupProblem, Orphan } from "./preview-removal.ts";

/** A provider may need half an hour to remove a distribution. */
const LATE_MS = 60 * 60_000;
/** Their next attempt may succeed. */
const PASSING = new Set(["THROTTLED", "UNAVAILABLE", "TIMEOUT", "STALE_ETAG", "UNKNOWN"]);

export type CleanupFacts = {
  readonly requestedAt: Date;
  readonly account: CleanupAccount;
  /** At least one. */
  readonly left: readonly Pick<Orphan, "kind" | "name" | "errorCode">[];
  readonly now: Date;
};

/** What keeps a removal from completing, and who must act; null while it only takes its time. Pure. */
export function decideCleanup({ requestedAt, account, left, now }: CleanupFacts): CleanupProblem | null {
  const { givenId, status } = account;
  const these = left.length === 1 ? "1 resource" : `${left.length} resources`;
  if (status !== "CONNECTED")
    return {
      code: "ACCOUNT_NOT_CONNECTED",
      message: `The cloud account ${givenId} is ${status}, so ${these} of the preview cannot be removed. An admin creates the account's stack again; then the removal continues.`,
      waitsFor: "admin",
    };
  const refused = left.find(({ errorCode }) => errorCode !== null && !PASSING.has(errorCode));
  if (refused !== undefined)
    return {
      code: refused.errorCode ?? "",
      message: `The cloud account ${givenId} refuses to remove the ${refused.kind} ${refused.name} (${refused.errorCode}). An admin corrects the account's permissions, or removes it there; Slipway tries again.`,
      waitsFor: "admin",
    };
  if (now.getTime() - requestedAt.getTime() < LATE_MS) return null;
  return {
    code: "LATE",
    message: `After an hour, ${these} of the preview may still be in the cloud account ${givenId}. Slipway tries again until they are removed.`,
    waitsFor: "slipway",
  };
}
