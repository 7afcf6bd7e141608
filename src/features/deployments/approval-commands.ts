/** The decisions of people on deployments that wait for an approval. */
import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, notFound } from "../../lib/errors.ts";
import { emit } from "../events/emit.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { findOtherCreator } from "../api-keys/queries.ts";
import { findUser } from "../users/queries.ts";
import { DEPLOY, requireMayChange } from "../project-access/may-change.ts";
import { lockActiveProject } from "../projects/commands.ts";
import type { Approval, Deployment, DeploymentDetails } from "./deployment.ts";
import { DEPLOYMENT_ERRORS } from "./errors.ts";
import { DEPLOYMENT_EVENTS } from "./events.ts";
import { getDeployment, getDeploymentDetails } from "./queries.ts";
import { approvalData, approving, endHeldRun, eventOfApproval, queueRun } from "./queue-runs.ts";
import { sumUpDeployment } from "./record.ts";
import { approvals, runs } from "./run-store.ts";

export type Decision = {
  /** Null: every environment that waits. */
  readonly environmentId: string | null;
  readonly comment: string | null;
};

/**
 * Lets a deployment begin where it waits for an approval.
 * @param isBypass without a second person, which takes an admin of the project
 * @throws AppError `NOT_FOUND`, `PROJECT_DELETING`, `NO_APPROVAL_AWAITED`, `SECOND_PERSON_REQUIRED`, `ROLE_TOO_LOW`,
 * `ENVIRONMENT_PROTECTED`
 */
export async function approveDeployment(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  id: string,
  { environmentId, comment, isBypass }: Decision & { readonly isBypass: boolean },
): Promise<DeploymentDetails> {
  const { organizationId, userId: decidedBy } = actor;
  const { deployment, waiting, keyCreatedBy } = await requireDecider(tx, actor, id, environmentId, isBypass);
  const action = isBypass ? "deployment.approval-bypassed" : "deployment.approved";
  const decision = { status: "APPROVED", decidedBy, comment, isBypass } as const;
  for (const approval of waiting) {
    const decided = await approvals.decide(tx, approval, decision);
    if (decided === null) continue;
    emit(tx, actor, {
      type: DEPLOYMENT_EVENTS["deployment.approved"],
      ...eventOfApproval(deployment, approval),
      data: { ...approvalData(deployment, approval), comment, isBypass },
    });
    recordAudit(tx, actor, action, id, shownInAudit(decided, keyCreatedBy));
    const run = { ...approval, change: "KEPT" } as const;
    await runs.insert(tx, run);
    await queueRun(tx, jobs, deployment, run);
  }
  await sumUpDeployment(tx, { organizationId, deploymentId: id });
  await jobs.enqueue(tx, "deployment", { organizationId, id });
  return await getDeploymentDetails(tx, organizationId, id);
}

/**
 * Cancels a deployment where it waits for an approval.
 * @throws AppError `NOT_FOUND`, `PROJECT_DELETING`, `NO_APPROVAL_AWAITED`, `SECOND_PERSON_REQUIRED`, `ROLE_TOO_LOW`,
 * `ENVIRONMENT_PROTECTED`
 */
export async function rejectDeployment(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  id: string,
  { environmentId, comment }: Decision,
): Promise<DeploymentDetails> {
  const { organizationId, userId: decidedBy } = actor;
  const { deployment, waiting, keyCreatedBy } = await requireDecider(tx, actor, id, environmentId, false);
  const decided = { status: "REJECTED", decidedBy, comment } as const;
  const message = comment === null ? "It was rejected." : `It was rejected: ${comment}`;
  for (const approval of waiting) {
    emit(tx, actor, {
      type: DEPLOYMENT_EVENTS["deployment.rejected"],
      ...eventOfApproval(deployment, approval),
      data: { ...approvalData(deployment, approval), comment },
    });
    const details = shownInAudit({ ...approval, comment }, keyCreatedBy);
    recordAudit(tx, actor, "deployment.rejected", id, details);
    await endHeldRun(tx, approval, decided, { code: "APPROVAL_REJECTED", message }, actor);
  }
  await jobs.enqueue(tx, "deployment", { organizationId, id });
  return await getDeploymentDetails(tx, organizationId, id);
}

/** The project's lock lets one decision see the other. */
async function findWaiting(
  tx: Transaction,
  actor: Actor,
  id: string,
  environmentId: string | null,
): Promise<{ readonly deployment: Deployment; readonly waiting: readonly Approval[] }> {
  const { organizationId } = actor;
  const { projectId } = await getDeployment(tx, organizationId, id);
  await lockActiveProject(tx, organizationId, projectId);
  await requireMayChange(tx, actor, DEPLOY, [{ projectId, environmentId }]);
  const deployment = await getDeployment(tx, organizationId, id);
  const all = (await approvals.list(tx, organizationId, id)).filter(
    (one) => environmentId === null || one.environmentId === environmentId,
  );
  if (environmentId !== null && all.length === 0) throw notFound("environmentId");
  const waiting = all.filter(({ status }) => status === "WAITING");
  if (waiting.length > 0) return { deployment, waiting };
  const where = environmentId === null ? "" : " in this environment";
  throw new AppError(
    DEPLOYMENT_ERRORS.NO_APPROVAL_AWAITED,
    `The deployment does not wait for an approval${where}; it is ${deployment.status}.`,
  );
}

/**
 * Finds the approvals to decide on. Requires a person who may deploy there, has the role that the environment requires,
 * and did not start the deployment. A bypass requires an admin of the project, who may also have started it.
 */
async function requireDecider(
  tx: Transaction,
  actor: Actor,
  id: string,
  onlyIn: string | null,
  isBypass: boolean,
) {
  const { deployment, waiting } = await findWaiting(tx, actor, id, onlyIn);
  const { projectId, startedBy } = deployment;
  for (const { environmentId, approvers } of waiting)
    await requireMayChange(tx, actor, approving({ approvers, isBypass }), [{ projectId, environmentId }]);
  const user = await findUser(tx, actor.organizationId, actor.userId);
  if (user?.kind !== "person")
    throw new AppError(
      DEPLOYMENT_ERRORS.SECOND_PERSON_REQUIRED,
      "A person has to decide on a deployment, and this is a program.",
    );
  if (startedBy === actor.userId && !isBypass)
    throw new AppError(
      DEPLOYMENT_ERRORS.SECOND_PERSON_REQUIRED,
      "You started this deployment, so a second person has to decide on it. You can cancel it.",
    );
  return { deployment, waiting, keyCreatedBy: await findOtherCreator(tx, actor) };
}

/** @param keyCreatedBy the user who created the key that decided: that user may have it too, and act as two persons */
function shownInAudit({ environmentId, comment }: Approval, keyCreatedBy: string | null) {
  return {
    after: {
      environmentId,
      ...(comment === null ? {} : { comment }),
      ...(keyCreatedBy === null ? {} : { keyCreatedBy }),
    },
  };
}
