import type { Sql } from "../../db/database.ts";
import { type Git, type GitAccess, GitError, type Repository } from "../../git/git.ts";
import { requireSeen } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import {
  type Configuration,
  ConfigurationError,
  type ParseConfiguration,
} from "../configuration/configuration.ts";
import {
  findAppliedDeployment,
  findDeploymentConfiguration,
  findKeptServices,
  findPreviousSuccess,
  getDeployment,
  isLive,
  listLiveCommits,
  listRestorableRuns,
} from "../deployments/queries.ts";
import type { GitDeps } from "../git-integrations/queries.ts";
import type { Environment } from "../projects/project.ts";
import { findEnvironment, getEnvironment, listEnvironmentServices } from "../projects/queries.ts";
import { type Comparison, decideDifferences, type RollbackPlan } from "./decide-differences.ts";
import { decideDrift, type Drift, type NewestCommit } from "./decide-drift.ts";
import { askHost, noBranch } from "./repository.ts";

/**
 * Compares a deployment with another one, or with the successful one before it.
 * @throws AppError `NOT_FOUND`
 */
export async function compareDeployments(
  sql: Sql,
  actor: Actor,
  parse: ParseConfiguration,
  deploymentId: string,
  otherId: string | null,
): Promise<Comparison> {
  const { organizationId } = actor;
  const deployment = await getDeployment(sql, organizationId, deploymentId);
  const comparedWith =
    otherId === null
      ? await findPreviousSuccess(sql, deployment)
      : await getDeployment(sql, organizationId, otherId);
  if (comparedWith === null) return { deployment, comparedWith, configuration: null };
  requireSeen(actor, comparedWith.projectId);
  const [before, after] = await Promise.all(
    [comparedWith, deployment].map(async ({ id }) =>
      read(parse, await findDeploymentConfiguration(sql, organizationId, id)),
    ),
  );
  const configuration =
    before === undefined || before === null || after === undefined || after === null
      ? null
      : decideDifferences(before, after);
  return { deployment, comparedWith, configuration };
}

/**
 * What a rollback to a deployment changes in each environment that it ran in and that still exists.
 * @throws AppError `NOT_FOUND`, `DEPLOYMENT_NOT_RESTORABLE`
 */
export async function planRollback(
  sql: Sql,
  { organizationId }: Actor,
  parse: ParseConfiguration,
  deploymentId: string,
): Promise<readonly RollbackPlan[]> {
  const runs = await listRestorableRuns(sql, organizationId, deploymentId);
  const configurationOf = async (id: string | null) =>
    id === null ? null : read(parse, await findDeploymentConfiguration(sql, organizationId, id));
  const target = await configurationOf(deploymentId);
  const plans = runs.map(async (run): Promise<RollbackPlan | null> => {
    const environment = await findEnvironment(sql, organizationId, run.environmentId);
    if (environment === null) return null;
    const { id, name, configId } = environment;
    const applied = await configurationOf(await findAppliedDeployment(sql, organizationId, id));
    const changes =
      applied === null || target === null
        ? null
        : decideDifferences(onlyEnvironment(applied, configId), onlyEnvironment(target, configId));
    return { id, name, isLive: await isLive(sql, run), changes };
  });
  return (await Promise.all(plans)).filter((plan) => plan !== null);
}

function onlyEnvironment(configuration: Configuration, configId: string): Configuration {
  return { ...configuration, environments: configuration.environments.filter(({ id }) => id === configId) };
}

/** Null if there is none, or it is not valid, which is why its deployment failed. */
function read(parse: ParseConfiguration, config: unknown): Configuration | null {
  if (config === null) return null;
  try {
    return parse(config);
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}

/** Asks the git host for the newest commit. If it is not known, the answer says why. @throws AppError `NOT_FOUND` */
export async function getDrift(deps: GitDeps, organizationId: string, environmentId: string): Promise<Drift> {
  const { db } = deps;
  const environment = await getEnvironment(db, organizationId, environmentId);
  const [services, head] = await Promise.all([
    listEnvironmentServices(db, organizationId, environmentId),
    findHead(deps, environment),
  ]);
  // After the host, which may take long: a commit that went live meanwhile is not reported as behind.
  const [live, kept] = await Promise.all([
    listLiveCommits(
      db,
      organizationId,
      services.map(({ id }) => id),
    ),
    findKeptServices(db, organizationId, environmentId),
  ]);
  const drift = decideDrift(services, live, head.newest?.hash ?? null, kept);
  return { branch: environment.branch, ...head, ...drift };
}

async function findHead(
  deps: GitDeps,
  { organizationId, projectId, branch }: Environment,
): Promise<Pick<Drift, "newest" | "problem">> {
  const none = (problem: string) => ({ newest: null, problem });
  return await askHost(deps, organizationId, projectId, none, async (access, repository) => {
    const newest = await findNewest(deps.git, access, repository, branch);
    return newest === null ? none(noBranch(branch)) : { newest, problem: null };
  });
}

/** Null if there is no such branch. @throws GitError */
async function findNewest(
  git: Git,
  access: GitAccess,
  repository: Repository,
  branch: string,
): Promise<NewestCommit | null> {
  const found = (await git.listBranches(access, repository)).find(({ name }) => name === branch);
  if (found === undefined) return null;
  const { commit: hash } = found;
  try {
    const texts = await git.readCommit(access, repository, hash);
    return { hash, message: texts?.message ?? null, author: texts?.author ?? null };
  } catch (error) {
    // The comparison does not depend on the texts, so a host that fails here is not reported as a problem.
    if (error instanceof GitError) return { hash, message: null, author: null };
    throw error;
  }
}
