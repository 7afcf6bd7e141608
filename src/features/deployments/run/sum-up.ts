import { type DeploymentStatus, hasEnded, type Run } from "../deployment.ts";

/** The most important status first, for runs that end differently. */
const GRAVEST_FIRST = ["ERROR", "BUILD_ERROR", "CANCELLED", "SUCCESS", "SUPERSEDED"] as const;
const LATEST_FIRST = ["DEPLOYING", "BUILDING", "INPROGRESS"] as const;

/**
 * The status of a deployment, from the statuses of its runs (at least one). Pure. While a run is active, it is the
 * furthest status of the active ones; when all have ended, the gravest. It only waits for an approval when it waits for
 * nothing else.
 */
export function sumUp(
  runs: readonly Pick<Run, "status" | "statusReason" | "error">[],
): Pick<Run, "status" | "statusReason" | "error"> {
  const pick = (status: DeploymentStatus) => {
    const found = runs.find((run) => run.status === status);
    return { status, statusReason: found?.statusReason ?? null, error: found?.error ?? null };
  };
  const has = (status: DeploymentStatus): boolean => runs.some((run) => run.status === status);
  if (runs.every(({ status }) => hasEnded(status))) return pick(GRAVEST_FIRST.find(has) ?? "SUCCESS");
  const furthest = LATEST_FIRST.find(has);
  if (furthest !== undefined) return pick(furthest);
  if (!has("PENDING")) return pick("PENDING_APPROVAL");
  // Some may have ended while others still wait.
  return pick(runs.some(({ status }) => hasEnded(status)) ? "INPROGRESS" : "PENDING");
}
