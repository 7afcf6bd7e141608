/**
 * Puts runs in the queues of their environments, now or once they are approved. A run that waits for an approval has no
 * row until it is decided: then it begins as every other run, or is recorded as ended.
 */
import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Needs } from "../../lib/access.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ConfiguredEnvironment } from "../configuration/configuration.ts";
import { emit } from "../events/emit.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { DEPLOY, mayChange } from "../project-access/may-change.ts";
import { type Environment, isProtected } from "../projects/project.ts";
import { type Begin, decideBegin } from "./decide-begin.ts";
import type { Approval, Deployment, DeploymentError, Run } from "./deployment.ts";
import { SUPERSEDED } from "./errors.ts";
import { DEPLOYMENT_EVENTS } from "./events.ts";
import { emitRecorded, recordRun, sumUpDeployment } from "./record.ts";
import { approvals, type Decided, type RunKey, runs } from "./run-store.ts";

type NewRun = RunKey & Pick<Run, "configId" | "change">;
/** What identifies a run that waits for an approval. */
type HeldRun = RunKey & Pick<Run, "configId">;

/** A run that the configuration asks for. */
export type Planned = {
  readonly run: NewRun;
  readonly begin: Begin;
  /** As it is now. */
  readonly environment: Environment;
};

/**
 * Creates the runs of a deployment, or asks for their approval. The deployment's status sums them up, so all are there
 * before anything is recorded of one. The project is locked.
 */
export async function addRuns(
  tx: Transaction,
  { jobs, clock }: { readonly jobs: Jobs; readonly clock: Clock },
  deployment: Deployment,
  planned: readonly Planned[],
): Promise<void> {
  for (const { run, begin, environment } of planned) {
    if (begin === "held") await requestApproval(tx, run, environment, clock);
    else await runs.insert(tx, run);
  }
  for (const { run, begin } of planned) {
    if (begin === "held") await settleHeldRun(tx, deployment, run);
    else if (typeof begin === "object") await recordNew(tx, run, begin, "ERROR");
    else await queueRun(tx, jobs, deployment, run);
  }
  if (planned.some(({ begin }) => begin === "held"))
    await sumUpDeployment(tx, { ...deployment, deploymentId: deployment.id });
}

/** Puts a new run in its environment's queue, of which the newest is next. */
export async function queueRun(
  tx: Transaction,
  jobs: Jobs,
  deployment: Deployment,
  run: NewRun,
): Promise<void> {
  if (await runs.hasNewer(tx, run)) return await recordNew(tx, run, SUPERSEDED, "SUPERSEDED");
  if (deployment.trigger !== "restart") {
    for (const older of await runs.listWaitingBefore(tx, run))
      await recordRun(tx, older, { status: "SUPERSEDED", error: SUPERSEDED });
    await supersedeHeldRuns(tx, run);
  }
  const { organizationId, environmentId } = run;
  const first = await runs.findNext(tx, organizationId, environmentId);
  if (first !== null && first.deploymentId !== run.deploymentId) {
    const reason = `The environment ${run.configId} is busy with the deployment ${first.deploymentId}.`;
    const own = await runs.lock(tx, run);
    if (own !== null) await recordRun(tx, own, { status: "PENDING", reason });
  }
  await jobs.enqueue(tx, "environment-deployments", { organizationId, id: environmentId });
}

async function recordNew(
  tx: Transaction,
  run: NewRun,
  error: DeploymentError,
  status: "ERROR" | "SUPERSEDED",
): Promise<void> {
  const own = await runs.lock(tx, run);
  if (own !== null) await recordRun(tx, own, { status, error });
}

const HOUR_MS = 3_600_000;

async function requestApproval(
  tx: Transaction,
  run: HeldRun,
  { approvers, approvalHours }: Environment,
  clock: Clock,
): Promise<void> {
  if (approvers === null || approvalHours === null) throw new Error("The environment requires no approval.");
  const expiresAt = new Date(clock.now().getTime() + approvalHours * HOUR_MS);
  await approvals.insert(tx, { ...run, approvers, expiresAt });
}

/** The newest run that waits is the one to decide on. @param run that waits since just now */
async function settleHeldRun(tx: Transaction, deployment: Deployment, run: HeldRun): Promise<void> {
  if ((await runs.hasNewer(tx, run)) || (await approvals.hasNewerWaiting(tx, run)))
    return await endHeldRun(tx, run, { status: "SUPERSEDED" }, SUPERSEDED);
  if (deployment.trigger !== "restart") await supersedeHeldRuns(tx, run);
  const own = (await approvals.list(tx, run.organizationId, run.deploymentId)).find(
    ({ environmentId }) => environmentId === run.environmentId,
  );
  if (own === undefined) return;
  emit(tx, slipwayOf(run.organizationId), {
    type: DEPLOYMENT_EVENTS["deployment.approval_requested"],
    ...eventOfApproval(deployment, own),
    data: {
      ...approvalData(deployment, own),
      approvers: own.approvers,
      expiresAt: own.expiresAt.toISOString(),
    },
  });
}

/** What the events of an approval are about. */
export function eventOfApproval({ id, projectId }: Deployment, { environmentId }: Approval) {
  return { subjectId: id, projectId, environmentId };
}

export function approvalData({ branch, commitHash, trigger, startedBy }: Deployment, { configId }: Approval) {
  return { branch, commit: commitHash, trigger, startedBy, environment: configId };
}

/** Supersedes the approvals that older deployments wait for in the same environment. */
async function supersedeHeldRuns(tx: Transaction, run: HeldRun): Promise<void> {
  for (const older of await approvals.listWaitingBefore(tx, run))
    await endHeldRun(tx, older, { status: "SUPERSEDED" }, SUPERSEDED);
}

/** Records a run that will not begin, unless it no longer waits. */
export async function endHeldRun(
  tx: Transaction,
  { organizationId, deploymentId, environmentId, configId }: HeldRun,
  decided: Decided,
  error: DeploymentError,
  actor: Actor = slipwayOf(organizationId),
): Promise<void> {
  const run = { organizationId, deploymentId, environmentId, configId };
  if ((await approvals.decide(tx, run, decided)) === null) return;
  const status = decided.status === "SUPERSEDED" ? "SUPERSEDED" : "CANCELLED";
  const outcome = { status, statusReason: error.message, error } as const;
  await runs.insert(tx, { ...run, change: "KEPT" });
  await runs.setStatus(tx, { ...run, status: "PENDING" }, outcome);
  await emitRecorded(tx, { ...run, status: "PENDING_APPROVAL" }, outcome, actor);
}

/** Ends a run whose approval timed out. */
export async function timeOut(tx: Transaction, approval: Approval): Promise<void> {
  const { requestedAt, expiresAt } = approval;
  const hours = Math.round((expiresAt.getTime() - requestedAt.getTime()) / HOUR_MS);
  await endHeldRun(
    tx,
    approval,
    { status: "TIMED_OUT" },
    {
      code: "APPROVAL_TIMED_OUT",
      message: `It was not approved within ${hours} ${hours === 1 ? "hour" : "hours"}.`,
    },
  );
}

/**
 * Whether a deployment may begin in an environment now: its protection, and the roles of the users who started and
 * approved the deployment, may have changed since. @param environment as it is while its project is locked
 */
export async function checkBegin(
  tx: Transaction,
  { organizationId, id, projectId, startedBy, trigger }: Deployment,
  environment: Environment,
  configured: Pick<ConfiguredEnvironment, "branch"> | null,
): Promise<Begin> {
  if (!isProtected(environment)) return "free";
  const place = { projectId, environmentId: environment.id };
  const given = (await approvals.list(tx, organizationId, id)).find(
    ({ environmentId, status }) => environmentId === environment.id && status === "APPROVED",
  );
  return decideBegin({
    environment,
    trigger,
    configured,
    starterMay: await mayChange(tx, organizationId, startedBy, DEPLOY, place),
    approverMay:
      given === undefined
        ? null
        : await mayChange(tx, organizationId, given.decidedBy, approving(given), place),
  });
}

/** What it takes to approve, or to bypass the approval. */
export function approving({ approvers, isBypass }: Pick<Approval, "approvers" | "isBypass">): Needs {
  return { ...DEPLOY, role: isBypass ? "admin" : approvers };
}
