/**
 * Runs that wait for an approval. They have no row until it is decided: then a run begins as every other one, or is
 * recorded as ended.
 */
import type { Transaction } from "../../../db/database.ts";
import type { Actor } from "../../../lib/actor.ts";
import type { Clock } from "../../../lib/clock.ts";
import { slipwayOf } from "../../audit/record-audit.ts";
import type { Environment } from "../../projects/project.ts";
import { type Decided, approvals } from "../approval-store.ts";
import type { Approval, Deployment, DeploymentError, Run } from "../deployment.ts";
import { SUPERSEDED } from "../errors.ts";
import { runs } from "../run-store.ts";
import { tellRecorded } from "./record.ts";
import { emitApprovalRequested } from "./emit-status.ts";

const HOUR_MS = 3_600_000;

/** What identifies a run, also before it has a row. */
export type RunKey = Pick<Run, "organizationId" | "deploymentId" | "environmentId" | "configId">;

/** Asks for the approval of a run in an environment that asks for it. */
export async function awaitApproval(
  tx: Transaction,
  run: RunKey,
  { approvers, approvalHours }: Pick<Environment, "approvers" | "approvalHours">,
  clock: Clock,
): Promise<void> {
  if (approvers === null || approvalHours === null) throw new Error("The environment asks for no approval.");
  const expiresAt = new Date(clock.now().getTime() + approvalHours * HOUR_MS);
  await approvals.insert(tx, { ...run, approvers, expiresAt });
}

/** The newest that waits is the one to decide on. @param run that waits since just now */
export async function settleHeldRun(tx: Transaction, deployment: Deployment, run: RunKey): Promise<void> {
  if ((await runs.hasNewer(tx, run)) || (await approvals.hasNewerWaiting(tx, run))) {
    await endHeldRun(tx, run, { status: "SUPERSEDED" }, SUPERSEDED);
    return;
  }
  await supersedeHeldRuns(tx, run);
  const own = (await approvals.list(tx, run.organizationId, run.deploymentId)).find(
    ({ environmentId }) => environmentId === run.environmentId,
  );
  if (own !== undefined) emitApprovalRequested(tx, deployment, own);
}

/** What older deployments wait for in the same environment. */
export async function supersedeHeldRuns(tx: Transaction, run: RunKey): Promise<void> {
  for (const older of await approvals.listWaitingBefore(tx, run))
    await endHeldRun(tx, older, { status: "SUPERSEDED" }, SUPERSEDED);
}

/** Records a run that will not begin, unless it no longer waits. */
export async function endHeldRun(
  tx: Transaction,
  { organizationId, deploymentId, environmentId, configId }: RunKey,
  decided: Decided,
  error: DeploymentError,
  actor: Actor = slipwayOf(organizationId),
): Promise<void> {
  const key = { organizationId, deploymentId, environmentId, configId };
  if ((await approvals.decide(tx, key, decided)) === null) return;
  const status = decided.status === "SUPERSEDED" ? "SUPERSEDED" : "CANCELLED";
  const outcome = { status, statusReason: error.message, error } as const;
  await runs.insert(tx, { ...key, change: "KEPT" });
  await runs.setStatus(tx, { ...key, status: "PENDING" }, outcome, true);
  await tellRecorded(tx, { ...key, status: "PENDING_APPROVAL" }, outcome, actor);
}

/** Ends a run whose approval timed out. */
export async function timeOut(tx: Transaction, approval: Approval): Promise<void> {
  await endHeldRun(tx, approval, { status: "TIMED_OUT" }, timedOut(approval));
}

function timedOut({ requestedAt, expiresAt }: Approval): DeploymentError {
  const hours = Math.round((expiresAt.getTime() - requestedAt.getTime()) / HOUR_MS);
  return {
    code: "APPROVAL_TIMED_OUT",
    message: `Nobody approved it within ${hours} ${hours === 1 ? "hour" : "hours"}.`,
  };
}

/** Why it was rejected. @param comment of the person who rejected it */
export function rejection(comment: string | null): DeploymentError {
  return {
    code: "APPROVAL_REJECTED",
    message: comment === null ? "It was rejected." : `It was rejected: ${comment}`,
  };
}
