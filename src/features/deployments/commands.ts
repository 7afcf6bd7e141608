import type { Actor } from "../../lib/actor.ts";
import { getAwsAccount, requireConnected } from "../cloud-accounts/commands.ts";
import { announceChange } from "../../db/changes.ts";
import { isForeignKeyViolation, type Sql, type Transaction } from "../../db/database.ts";
import { AppError, notFound } from "../../lib/errors.ts";
import { emit } from "../events/emit.ts";
import { CANCELLED_WAITING, DEPLOYMENT_ERRORS, PROJECT_DELETED } from "./errors.ts";
import { DEPLOYMENT_EVENTS } from "./events.ts";
import { newId } from "../../lib/ids.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { recordAudit } from "../audit/record-audit.ts";
import {
  type DeployedService,
  type Deployment,
  type DeploymentDetails,
  type DeploymentTrigger,
  hasEnded,
  type Run,
} from "./deployment.ts";
import type { PreparedDeployment } from "./prepare-deployment.ts";
import { decideReached } from "./run/decide-targets.ts";
import { recordRun } from "./run/record.ts";
import { deploymentData, emitStatus } from "./run/emit-status.ts";
import { approvals } from "./approval-store.ts";
import { endHeldRun } from "./run/await-approval.ts";
import { deployedServices } from "./deployed-service-store.ts";
import { type DeploymentFilter, deployments } from "./store.ts";
import type { Visible } from "../../lib/access.ts";
import type { Page } from "../../db/page.ts";
import { runs } from "./run-store.ts";
import { DEPLOY, requireMayChange } from "../project-access/may-change.ts";
import { lockActiveProject, lockProject } from "../projects/commands.ts";
import { isProtected } from "../projects/project.ts";
import { listProjectEnvironments } from "../projects/queries.ts";

/**
 * Accepts a deployment of a commit that the git host has. A push is accepted even if the account does not work: no
 * caller waits for a refusal, and the deployment's error explains it.
 * @throws AppError `NOT_FOUND` if the project was deleted, `PROJECT_DELETING`, `AWS_ACCOUNT_NOT_CONNECTED`,
 * `ENVIRONMENT_PROTECTED`
 */
export async function createDeployment(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  prepared: PreparedDeployment,
  source: { readonly trigger: DeploymentTrigger; readonly rollbackOf: string | null } = {
    trigger: "api",
    rollbackOf: null,
  },
): Promise<Deployment> {
  const { organizationId } = actor;
  const id = newId("depl");
  const project = await lockActiveProject(tx, organizationId, prepared.projectId);
  if (source.trigger !== "push") {
    await requireMayReach(tx, actor, { ...prepared, ...source });
    requireConnected(await getAwsAccount(tx, organizationId, project.awsAccountId));
  }
  try {
    const deployment = await deployments.insert(tx, {
      organizationId,
      id,
      startedBy: actor.userId,
      ...prepared,
      ...source,
    });
    if (deployment === null) throw notFound();
    await jobs.enqueue(tx, "deployment", { organizationId, id });
    recordAudit(tx, actor, "deployment.created", id);
    const { projectId, environmentId, rollbackOf } = deployment;
    emit(tx, actor, {
      type: DEPLOYMENT_EVENTS["deployment.created"],
      subjectId: id,
      projectId,
      environmentId,
      data: { ...deploymentData(deployment), rollbackOf },
    });
    return deployment;
  } catch (error) {
    if (isForeignKeyViolation(error)) throw notFound();
    throw error;
  }
}

/** One page of an organization's deployments that match all filters, and one more. */
export async function listDeployments(
  sql: Sql,
  organizationId: string,
  page: Page,
  filter: DeploymentFilter,
  visible: Visible,
): Promise<readonly Deployment[]> {
  return await deployments.list(sql, organizationId, page, filter, visible);
}

/** The last deployment of a branch, ended or not; null if there is none. */
export async function findNewestDeployment(
  sql: Sql,
  organizationId: string,
  projectId: string,
  branch: string,
): Promise<Pick<Deployment, "commitHash" | "trigger" | "status" | "createdAt"> | null> {
  return await deployments.findNewest(sql, organizationId, projectId, branch);
}

/** A deployment of a project that has not ended; null if there is none. */
export async function findDeploymentUnderWay(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<Pick<Deployment, "id" | "status"> | null> {
  return await deployments.findUnended(sql, organizationId, projectId);
}

/** The last deployment of the same branch that succeeded before this one was accepted; null if there is none. */
export async function findPreviousSuccess(sql: Sql, deployment: Deployment): Promise<Deployment | null> {
  return await deployments.findPreviousSuccess(sql, deployment);
}

/** As it was written; null until it is read. */
export async function findDeploymentConfiguration(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<unknown> {
  return await deployments.findConfig(sql, organizationId, id);
}

/** The deployment whose configuration an environment has now; null before the first. */
export async function findAppliedDeployment(
  sql: Sql,
  organizationId: string,
  environmentId: string,
): Promise<string | null> {
  return await runs.findApplied(sql, organizationId, environmentId);
}

/** The runs of a deployment that can be rolled back to. @throws AppError `NOT_FOUND`, `DEPLOYMENT_NOT_RESTORABLE` */
export async function listRestorableRuns(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<readonly Run[]> {
  requireRestorable(await getDeployment(sql, organizationId, id));
  return await runs.list(sql, organizationId, id);
}

/** Whether what a deployment released in an environment is all that runs there. */
export async function isLive(sql: Sql, run: Run): Promise<boolean> {
  return run.status === "SUCCESS" && !(await runs.isReplaced(sql, run));
}

/** What runs as a service; null before its first release. */
export async function findLiveRelease(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<DeployedService | null> {
  return await deployedServices.findLive(sql, organizationId, serviceId);
}

/** The hash of the commit that runs as each of some services, by the service's id; none before its first release. */
export async function listLiveCommits(
  sql: Sql,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (serviceIds.length === 0) return new Map();
  const rows = await deployedServices.listLiveCommits(sql, organizationId, serviceIds);
  return new Map(rows.map(({ serviceId, commitHash }) => [serviceId, commitHash]));
}

/** @throws AppError `NOT_FOUND` */
export async function getDeployment(sql: Sql, organizationId: string, id: string): Promise<Deployment> {
  const deployment = await deployments.find(sql, organizationId, id);
  if (deployment === null) throw notFound();
  return deployment;
}

/** @throws AppError `NOT_FOUND` */
export async function getDeploymentDetails(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<DeploymentDetails> {
  const deployment = await getDeployment(sql, organizationId, id);
  return {
    deployment,
    runs: await runs.list(sql, organizationId, id),
    services: await deployedServices.list(sql, organizationId, id, null),
    approvals: await approvals.list(sql, organizationId, id),
  };
}

/**
 * Stops a deployment: services that are not live yet will not go live, and live services stay. The caller must be
 * allowed to deploy to each environment in which it runs, or may still run.
 * @throws AppError `NOT_FOUND`, `DEPLOYMENT_ENDED`, `ENVIRONMENT_PROTECTED`
 */
export async function cancelDeployment(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  id: string,
): Promise<Deployment> {
  const { organizationId } = actor;
  const { projectId } = await getDeployment(tx, organizationId, id);
  // It may be approved in this moment.
  await lockProject(tx, organizationId, projectId);
  const deployment = await getDeployment(tx, organizationId, id);
  const { status, configReadAt } = deployment;
  const all = await runs.list(tx, organizationId, id);
  if (configReadAt === null) await requireMayReach(tx, actor, deployment);
  const places = all.map(({ environmentId }) => ({ projectId, environmentId }));
  await requireMayChange(tx, actor, DEPLOY, places);
  if (hasEnded(status)) {
    throw new AppError(
      DEPLOYMENT_ERRORS.DEPLOYMENT_ENDED,
      `The deployment has already ended: ${status}. To go back to an earlier one, roll back.`,
    );
  }
  for (const run of all) {
    if (run.status === "PENDING_APPROVAL") {
      await endHeldRun(tx, run, { status: "CANCELLED" }, CANCELLED_WAITING, actor);
      continue;
    }
    // It may take long until it would start.
    if (run.status === "PENDING")
      await recordRun(tx, run, { status: "CANCELLED", error: CANCELLED_WAITING }, actor);
    await jobs.enqueue(tx, "environment-deployments", { organizationId, id: run.environmentId });
  }
  await deployments.requestCancel(tx, organizationId, id);
  await jobs.enqueue(tx, "deployment", { organizationId, id });
  announceChange(tx, id);
  recordAudit(tx, actor, "deployment.cancelled", id);
  return await getDeployment(tx, organizationId, id);
}

/**
 * @param deployment whose runs are not created yet
 * @throws AppError `ENVIRONMENT_PROTECTED` if the caller may not deploy to one of the environments that it may reach
 */
async function requireMayReach(
  tx: Transaction,
  actor: Actor,
  deployment: Pick<PreparedDeployment, "projectId" | "branch" | "isForOneEnvironment" | "environmentId"> &
    Pick<Deployment, "trigger" | "rollbackOf">,
): Promise<void> {
  const { projectId, rollbackOf } = deployment;
  const present = await listProjectEnvironments(tx, actor.organizationId, projectId);
  if (!present.some(isProtected)) return;
  const before = rollbackOf === null ? [] : await runs.list(tx, actor.organizationId, rollbackOf);
  const reached = decideReached(
    deployment,
    present,
    before.map(({ configId }) => configId),
  );
  const places = reached.filter(isProtected).map(({ id }) => ({ projectId, environmentId: id }));
  await requireMayChange(tx, actor, DEPLOY, places);
}

/**
 * Creates a deployment with the commit, the configuration and the artifacts of a successful one.
 * @throws AppError `NOT_FOUND`, `DEPLOYMENT_NOT_RESTORABLE`, `ENVIRONMENT_PROTECTED`
 */
export async function rollBackTo(tx: Transaction, jobs: Jobs, actor: Actor, id: string): Promise<Deployment> {
  const source = await getDeployment(tx, actor.organizationId, id);
  await requireMayReach(tx, actor, { ...source, trigger: "rollback", rollbackOf: id });
  requireRestorable(source);
  return await createDeployment(tx, jobs, actor, sameAs(source), { trigger: "rollback", rollbackOf: id });
}

/**
 * Creates a deployment of the same commit as another one, which is built again.
 * @throws AppError `NOT_FOUND`, `PROJECT_DELETING`, `ENVIRONMENT_PROTECTED`, `AWS_ACCOUNT_NOT_CONNECTED`
 */
export async function redeploy(tx: Transaction, jobs: Jobs, actor: Actor, id: string): Promise<Deployment> {
  return await createDeployment(tx, jobs, actor, sameAs(await getDeployment(tx, actor.organizationId, id)));
}

function requireRestorable({ status }: Deployment): void {
  if (status === "SUCCESS") return;
  throw new AppError(
    DEPLOYMENT_ERRORS.DEPLOYMENT_NOT_RESTORABLE,
    `The deployment is ${status}. You can only roll back to a deployment that ended with SUCCESS.`,
  );
}

function sameAs(source: Deployment): PreparedDeployment {
  const { projectId, environmentId, isForOneEnvironment, branch, commitHash } = source;
  return { projectId, environmentId, isForOneEnvironment, branch, commitHash };
}

/** Ends and deletes all deployments of a project that is being deleted. */
export async function deleteDeploymentsOfProject(
  tx: Transaction,
  actor: Actor,
  projectId: string,
): Promise<void> {
  for (const unended of await deployments.deleteOfProject(tx, actor.organizationId, projectId))
    emitStatus(tx, actor, unended, { status: "CANCELLED", error: PROJECT_DELETED }, []);
}
