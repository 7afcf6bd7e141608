/** Emits a deployment's events: its own status, its approvals, how it ended in an environment, and what went live. */
import type { Transaction } from "../../../db/database.ts";
import type { Actor } from "../../../lib/actor.ts";
import { codedErrorOf } from "../../events/error-views.ts";
import { emit } from "../../events/emit.ts";
import { slipwayOf } from "../../audit/record-audit.ts";
import type { Approval, DeployedService, Deployment, DeploymentError, Run } from "../deployment.ts";
import { DEPLOYMENT_EVENTS as EVENTS } from "../events.ts";
import type { Outcome } from "../run-store.ts";

/** The deployment itself has all; an event stays small. */
const SERVICES_MAX = 10;
/** In characters, of one message among several. */
const SHORT_MESSAGE = 200;

const NO_REASON: DeploymentError = { code: "UNKNOWN", message: "No reason was recorded." };

/** The data of all events of a deployment. */
export function deploymentData({ status, branch, commitHash, trigger }: Deployment) {
  return { status, branch, commit: commitHash, trigger };
}

/**
 * The deployment has another status.
 * @param before as it is in the database, while its row is locked
 * @param runs in its environments
 */
export function emitStatus(
  tx: Transaction,
  actor: Actor,
  before: Deployment,
  { status, error }: Pick<Outcome, "status" | "error">,
  runs: readonly Run[],
): void {
  if (status === before.status) return;
  const { id: subjectId, projectId, environmentId } = before;
  const of = { subjectId, projectId, environmentId };
  const changed = { ...deploymentData({ ...before, status }), previousStatus: before.status };
  const ended = { ...changed, environments: runs.map(endOfRun) };
  const early = { ...ended, error: codedErrorOf(error ?? NO_REASON) };
  switch (status) {
    case "PENDING":
    case "PENDING_APPROVAL":
    case "INPROGRESS":
      return;
    case "BUILDING":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.building"], data: changed });
    case "DEPLOYING":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.deploying"], data: changed });
    case "SUCCESS":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.succeeded"], data: ended });
    case "ERROR":
    case "BUILD_ERROR":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.failed"], data: early });
    case "CANCELLED":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.cancelled"], data: early });
    case "SUPERSEDED":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.superseded"], data: early });
  }
}

function endOfRun({ environmentId: id, configId: environment, status, error }: Run) {
  return { id, environment, status, error: error === null ? null : codedErrorOf(error, SHORT_MESSAGE) };
}

/** The fields of a run that its events need. */
export type RunBefore = Pick<
  Run,
  "organizationId" | "deploymentId" | "environmentId" | "configId" | "status"
>;

/** The deployment ended in one environment. @param before the run until now @param services of the run, if it failed */
export function emitEndOfRun(
  tx: Transaction,
  actor: Actor,
  deployment: Deployment,
  before: RunBefore,
  { status, error }: Pick<Outcome, "status" | "error">,
  services: readonly DeployedService[],
): void {
  const { environmentId, configId: environment, status: previousStatus } = before;
  if (status === previousStatus) return;
  const of = { subjectId: deployment.id, projectId: deployment.projectId, environmentId };
  const ended = { ...deploymentData({ ...deployment, status }), previousStatus, environment };
  const early = { ...ended, error: codedErrorOf(error ?? NO_REASON) };
  switch (status) {
    case "PENDING":
    case "PENDING_APPROVAL":
    case "INPROGRESS":
    case "BUILDING":
    case "DEPLOYING":
      return;
    case "SUCCESS":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.environment_succeeded"], data: ended });
    case "ERROR":
    case "BUILD_ERROR": {
      const data = { ...early, services: failuresOf(services) };
      return emit(tx, actor, { ...of, type: EVENTS["deployment.environment_failed"], data });
    }
    case "CANCELLED":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.environment_cancelled"], data: early });
    case "SUPERSEDED":
      return emit(tx, actor, { ...of, type: EVENTS["deployment.environment_superseded"], data: early });
  }
}

function failuresOf(services: readonly DeployedService[]) {
  return services
    .filter(({ status }) => status === "ERROR" || status === "BUILD_ERROR")
    .slice(0, SERVICES_MAX)
    .map(({ serviceId: id, configId: service, status, error }) => {
      return { id, service, status, error: error === null ? null : codedErrorOf(error, SHORT_MESSAGE) };
    });
}

/** A deployment waits for a decision in one environment. */
export function emitApprovalRequested(tx: Transaction, deployment: Deployment, approval: Approval): void {
  const { approvers, expiresAt } = approval;
  emit(tx, slipwayOf(deployment.organizationId), {
    type: EVENTS["deployment.approval_requested"],
    ...ofApproval(deployment, approval),
    data: { ...approvalData(deployment, approval), approvers, expiresAt: expiresAt.toISOString() },
  });
}

/** A person approved or rejected the deployment in one environment. */
export function emitDecision(
  tx: Transaction,
  actor: Actor,
  deployment: Deployment,
  approval: Approval,
): void {
  const { comment, isBypass, status } = approval;
  const of = ofApproval(deployment, approval);
  const data = { ...approvalData(deployment, approval), comment };
  if (status === "APPROVED")
    emit(tx, actor, { type: EVENTS["deployment.approved"], ...of, data: { ...data, isBypass } });
  else emit(tx, actor, { type: EVENTS["deployment.rejected"], ...of, data });
}

function ofApproval({ id: subjectId, projectId }: Deployment, { environmentId }: Approval) {
  return { subjectId, projectId, environmentId };
}

function approvalData({ branch, commitHash, trigger, startedBy }: Deployment, { configId }: Approval) {
  return { branch, commit: commitHash, trigger, startedBy, environment: configId };
}

/** A release went live. Call it once, where the service's status became `SUCCESS`. */
export function emitReleased(
  tx: Transaction,
  { commitHash: commit, projectId }: Deployment,
  { organizationId, deploymentId, serviceId, environmentId, configId: service }: DeployedService,
  url: string | null,
): void {
  emit(tx, slipwayOf(organizationId), {
    type: EVENTS["service.released"],
    subjectId: serviceId,
    projectId,
    environmentId,
    serviceId,
    data: { deploymentId, service, commit, url },
  });
}
