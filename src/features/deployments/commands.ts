import { announceChange } from "../../db/changes.ts";
import { type Database, isForeignKeyViolation, type Transaction } from "../../db/database.ts";
import { requireBranch } from "../../git/git.ts";
import { identifyRepository, repositoryKeyOf } from "../../git/repository-url.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { requireNeeds, requireSeen, sees } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, COMMON_FAULTS, invalidRequest, notFound, orNotFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { requireConnected } from "../cloud-accounts/aws-account.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import { emit } from "../events/emit.ts";
import { type GitDeps, openGitAccess } from "../git-integrations/queries.ts";
import { DEPLOY, requireMayChange } from "../project-access/may-change.ts";
import { lockActiveProject, lockProject, requireActive } from "../projects/commands.ts";
import { type Environment, isGateway, isProtected, type Project } from "../projects/project.ts";
import {
  getEnvironment,
  getProject,
  listProjectEnvironments,
  listProjectsOfRepository,
} from "../projects/queries.ts";
import { decideReached, decideTarget } from "./decide-targets.ts";
import {
  type Deployment,
  type DeploymentError,
  type DeploymentSource,
  hasEnded,
  type PreparedDeployment,
  type Run,
} from "./deployment.ts";
import { CANCELLED_WAITING, DEPLOYMENT_ERRORS, PROJECT_DELETED } from "./errors.ts";
import { DEPLOYMENT_EVENTS } from "./events.ts";
import { getDeployment, requireRestorable } from "./queries.ts";
import { endHeldRun } from "./queue-runs.ts";
import { deploymentData, emitStatus, recordRun } from "./record.ts";
import { deployedServices, runs } from "./run-store.ts";
import { deployments } from "./store.ts";

type DeploymentRequest = {
  readonly repoUrl: string;
  readonly branch?: string;
  readonly filter?: { readonly projectId?: string; readonly environmentId?: string };
};

/**
 * Finds the project, and the branch's current commit at its git host.
 * @throws AppError `PROJECT_NOT_FOUND`, `SEVERAL_PROJECTS_MATCH`, `NOT_FOUND` for the id of a filter,
 * `PROJECT_DELETING`, `AWS_ACCOUNT_NOT_CONNECTED`, `INVALID_REQUEST` without a branch if there are several,
 * `GIT_INTEGRATION_MISSING`, `BRANCH_NOT_FOUND`; GitError
 */
export async function prepareDeployment(
  deps: GitDeps,
  actor: Actor,
  request: DeploymentRequest,
): Promise<PreparedDeployment> {
  const { db, git } = deps;
  const { organizationId } = actor;
  const repository = identifyRepository(request.repoUrl);
  const { filter = {} } = request;
  const only = await findEnvironmentOf(db, actor, filter);
  const projectId = filter.projectId ?? only?.projectId ?? null;
  const project = await findProject(db, actor, repository.normalizedUrl, projectId);
  requireNeeds(actor, DEPLOY, { projectId: project.id, environmentId: null });
  requireActive(project);
  requireConnected(await getAwsAccount(db, organizationId, project.awsAccountId));
  const environments = await listProjectEnvironments(db, organizationId, project.id);
  const target = decideTarget(environments, request.branch ?? null, only);
  if (target.kind === "ambiguous") {
    throw invalidRequest([
      {
        path: "/branch",
        code: COMMON_FAULTS.REQUIRED.code,
        message: `is required, because the project's environments follow several branches: ${target.branches.join(", ")}; name one of them, or an environment`,
      },
    ]);
  }
  const { branch, environmentId } = target;
  const isForOneEnvironment = only !== null;
  const isPreview = only !== null && only.templateId !== null;
  const deployment = { branch, trigger: "api", isForOneEnvironment, environmentId } as const;
  // Before the git host is asked; `createDeployment` checks again.
  for (const { id } of decideReached(deployment, only === null ? environments : [only]))
    requireNeeds(actor, DEPLOY, { projectId: project.id, environmentId: id });
  const access = await openGitAccess(deps, organizationId, project.provider, project.host);
  const branches = await git.listBranches(access, repository);
  const commitHash = requireBranch(branches, branch);
  return { projectId: project.id, environmentId, isForOneEnvironment, isPreview, branch, commitHash };
}

/** The environment that a request names; null for none. @throws AppError `NOT_FOUND` */
async function findEnvironmentOf(
  db: Database,
  actor: Actor,
  { projectId, environmentId }: NonNullable<DeploymentRequest["filter"]>,
): Promise<Environment | null> {
  if (environmentId === undefined) return null;
  const field = "filter.environmentId";
  const environment = await getEnvironment(db, actor.organizationId, environmentId, field);
  requireSeen(actor, environment.projectId, field);
  if (projectId !== undefined && environment.projectId !== projectId) throw notFound(field);
  if (isGateway(environment))
    throw invalidRequest([
      {
        path: "/filter/environmentId",
        code: COMMON_FAULTS.NOT_ALLOWED.code,
        message: "is not deployed: it only has the domain of previews; name a preview's environment",
      },
    ]);
  return environment;
}

const NAMED_PROJECTS_MAX = 10;

async function findProject(
  db: Database,
  actor: Actor,
  normalizedUrl: string,
  projectId: string | null,
): Promise<Project> {
  const { organizationId } = actor;
  if (projectId !== null) {
    requireSeen(actor, projectId, "filter.projectId");
    const project = await getProject(db, organizationId, projectId, "filter.projectId");
    if (repositoryKeyOf(project.normalizedRepoUrl) === repositoryKeyOf(normalizedUrl)) return project;
    throw new AppError(
      DEPLOYMENT_ERRORS.PROJECT_NOT_FOUND,
      `The project ${projectId} has the repository ${project.normalizedRepoUrl}, and not ${normalizedUrl}. Correct repoUrl or filter.projectId.`,
    );
  }
  const found = await listProjectsOfRepository(db, organizationId, normalizedUrl, NAMED_PROJECTS_MAX);
  const visible = found.filter(({ id }) => sees(actor, id));
  const active = visible.filter(({ deletionRequestedAt }) => deletionRequestedAt === null);
  // A project that is being deleted does not hide the project that replaced it.
  const [project, ...others] = active.length > 0 ? active : visible.slice(0, 1);
  if (project === undefined) {
    throw new AppError(
      DEPLOYMENT_ERRORS.PROJECT_NOT_FOUND,
      `No project of the organization has the repository ${normalizedUrl}. Check repoUrl, or create the project first.`,
    );
  }
  if (others.length === 0) return project;
  const named = [project, ...others].map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new AppError(
    DEPLOYMENT_ERRORS.SEVERAL_PROJECTS_MATCH,
    `Several projects have this repository: ${named}. Set filter.projectId to one of them.`,
  );
}

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
  source: DeploymentSource = { trigger: "api", rollbackOf: null },
): Promise<Deployment> {
  const { organizationId } = actor;
  const project = await lockActiveProject(tx, organizationId, prepared.projectId);
  // Under the lock, so that the ids of a project's deployments have the order in which they were accepted.
  const id = newId("depl");
  if (source.trigger !== "push") {
    await requireMayReach(tx, actor, { ...prepared, ...source });
    requireConnected(await getAwsAccount(tx, organizationId, project.awsAccountId));
  }
  try {
    const own = { organizationId, id, startedBy: actor.userId };
    const deployment = orNotFound(await deployments.insert(tx, { ...own, ...prepared, ...source }));
    await jobs.enqueue(tx, "deployment", { organizationId, id });
    const { projectId, environmentId, rollbackOf, restartedServiceId } = deployment;
    const details = restartedServiceId === null ? null : { after: { restartedServiceId } };
    recordAudit(tx, actor, "deployment.created", id, details);
    emit(tx, actor, {
      type: DEPLOYMENT_EVENTS["deployment.created"],
      subjectId: id,
      projectId,
      environmentId,
      serviceId: restartedServiceId,
      data: { ...deploymentData(deployment), rollbackOf },
    });
    return deployment;
  } catch (error) {
    if (isForeignKeyViolation(error)) throw notFound();
    throw error;
  }
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
  await stop(tx, jobs, actor, deployment, all);
  recordAudit(tx, actor, "deployment.cancelled", id);
  return await getDeployment(tx, organizationId, id);
}

/** Stops what was started in a preview: a newer commit is there, or it is being deleted. The project is locked. */
export async function stopPreviewDeployments(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  environmentId: string,
): Promise<void> {
  for (const deployment of await deployments.listUnendedOfPreview(tx, actor.organizationId, environmentId))
    await stop(tx, jobs, actor, deployment, await runs.list(tx, actor.organizationId, deployment.id));
}

async function stop(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  { organizationId, id }: Deployment,
  all: readonly Run[],
): Promise<void> {
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
}

/**
 * @param deployment whose runs are not created yet
 * @throws AppError `ENVIRONMENT_PROTECTED` if the caller may not deploy to one of the environments that it may reach
 */
async function requireMayReach(
  tx: Transaction,
  actor: Actor,
  deployment: PreparedDeployment & Pick<Deployment, "trigger" | "rollbackOf">,
): Promise<void> {
  const { projectId, environmentId, isPreview, rollbackOf } = deployment;
  if (isPreview) return await requireMayChange(tx, actor, DEPLOY, [{ projectId, environmentId }]);
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

function sameAs(source: Deployment): PreparedDeployment {
  const { projectId, environmentId, isForOneEnvironment, isPreview, branch, commitHash } = source;
  return { projectId, environmentId, isForOneEnvironment, isPreview, branch, commitHash };
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

/** The execution of `postDeployCommand` has ended. */
export async function recordPostDeployEnd(
  tx: Transaction,
  execution: {
    readonly organizationId: string;
    readonly id: string;
    readonly serviceId: string;
    readonly deploymentId: string | null;
    readonly error: DeploymentError | null;
  },
): Promise<void> {
  const { organizationId, id: executionId, serviceId, deploymentId, error } = execution;
  if (deploymentId === null) return;
  const status = error === null ? "SUCCEEDED" : "FAILED";
  await deployedServices.setPostDeploy(
    tx,
    { organizationId, deploymentId, serviceId },
    { executionId, status, error },
  );
  announceChange(tx, deploymentId);
}
