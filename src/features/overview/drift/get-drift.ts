import type { Database } from "../../../db/database.ts";
import type { Commit } from "../../../git/commit-texts.ts";
import { type Git, type GitAccess, GitError, type Repository } from "../../../git/git.ts";
import { parseRepositoryUrl } from "../../../git/repository-url.ts";
import { AppError } from "../../../lib/errors.ts";
import type { AtRestSealing } from "../../../sealing/at-rest.ts";
import { listLiveCommits } from "../../deployments/commands.ts";
import { openGitAccess } from "../../git-integrations/open-git-access.ts";
import { getEnvironment, getProject, listEnvironmentServices } from "../../projects/queries.ts";
import type { Environment } from "../../projects/project.ts";
import { decideDrift } from "./decide-drift.ts";
import type { Drift, NewestCommit } from "./drift.ts";

type Deps = { readonly db: Database; readonly git: Git; readonly atRest: AtRestSealing };

/** Asks the git host for the newest commit. If it is not known, the answer says why. @throws AppError `NOT_FOUND` */
export async function getDrift(deps: Deps, organizationId: string, environmentId: string): Promise<Drift> {
  const { db } = deps;
  const environment = await getEnvironment(db, organizationId, environmentId);
  const [services, head] = await Promise.all([
    listEnvironmentServices(db, organizationId, environmentId),
    askHost(deps, environment),
  ]);
  // After the host, which may take long: a commit that went live meanwhile is not reported as behind.
  const live = await listLiveCommits(
    db,
    organizationId,
    services.map(({ id }) => id),
  );
  return { branch: environment.branch, ...head, ...decideDrift(services, live, head.newest?.hash ?? null) };
}

type Head = Pick<Drift, "newest" | "problem">;

async function askHost(deps: Deps, { organizationId, projectId, branch }: Environment): Promise<Head> {
  const project = await getProject(deps.db, organizationId, projectId);
  try {
    const access = await openGitAccess(deps, organizationId, project.provider, project.host);
    const repository = parseRepositoryUrl(project.normalizedRepoUrl);
    const newest = await findNewest(deps.git, access, repository, branch);
    const gone = `The repository has no branch ${JSON.stringify(branch)}.`;
    return { newest, problem: newest === null ? gone : null };
  } catch (error) {
    // Their messages are for people, and hold no secret.
    if (error instanceof GitError || error instanceof AppError)
      return { newest: null, problem: error.message };
    throw error;
  }
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
  const texts = await readTexts(git, access, repository, found.commit);
  return { hash: found.commit, message: texts?.message ?? null, author: texts?.author ?? null };
}

/** The comparison does not depend on the texts, so a host that fails here is not reported as a problem. */
async function readTexts(
  git: Git,
  access: GitAccess,
  repository: Repository,
  commit: string,
): Promise<Commit | null> {
  try {
    return await git.readCommit(access, repository, commit);
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}
