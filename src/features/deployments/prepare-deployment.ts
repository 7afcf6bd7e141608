/** The outside calls of a deployment request, before its transaction. */
import type { Database } from "../../db/database.ts";
import { GIT_ERRORS } from "../../git/errors.ts";
import { describeBranches, type Git } from "../../git/git.ts";
import { identifyRepository, repositoryKeyOf } from "../../git/repository-url.ts";
import { requireNeeds, requireSeen, sees } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, COMMON_FAULTS, invalidRequest, notFound } from "../../lib/errors.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import { requireConnected } from "../cloud-accounts/aws-account.ts";
import { openGitAccess } from "../git-integrations/queries.ts";
import { DEPLOY } from "../project-access/may-change.ts";
import { requireActive } from "../projects/commands.ts";
import type { Environment, Project } from "../projects/project.ts";
import {
  getEnvironment,
  getProject,
  listProjectEnvironments,
  listProjectsOfRepository,
} from "../projects/queries.ts";
import { decideReached, decideTarget } from "./decide-targets.ts";
import type { PreparedDeployment } from "./deployment.ts";
import { DEPLOYMENT_ERRORS } from "./errors.ts";

export type DeploymentRequest = {
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
  deps: { readonly db: Database; readonly git: Git; readonly atRest: AtRestSealing },
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
  const deployment = { branch, trigger: "api", isForOneEnvironment, environmentId } as const;
  // Before the git host is asked; `createDeployment` asks again.
  for (const { id } of decideReached(deployment, environments))
    requireNeeds(actor, DEPLOY, { projectId: project.id, environmentId: id });
  const access = await openGitAccess(deps, organizationId, project.provider, project.host);
  const branches = await git.listBranches(access, repository);
  const found = branches.find(({ name }) => name === branch);
  if (found === undefined) {
    throw new AppError(
      GIT_ERRORS.BRANCH_NOT_FOUND,
      `The repository has no branch ${JSON.stringify(branch)}. ${describeBranches(branches)}`,
    );
  }
  return { projectId: project.id, environmentId, isForOneEnvironment, branch, commitHash: found.commit };
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
  const seen = found.filter(({ id }) => sees(actor, id));
  const active = seen.filter(({ deletionRequestedAt }) => deletionRequestedAt === null);
  // A project that is being deleted does not hide the project that replaced it.
  const [project, ...others] = active.length > 0 ? active : seen.slice(0, 1);
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
