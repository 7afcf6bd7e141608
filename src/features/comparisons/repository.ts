/** The branches and recent commits of a project's repository, as its git host says now. */
import { findBranches, type FoundBranches } from "../../git/find-branches.ts";
import { type GitAccess, GitError, type LoggedCommit, type Repository } from "../../git/git.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import { AppError } from "../../lib/errors.ts";
import { type GitDeps, openGitAccess } from "../git-integrations/queries.ts";
import { getProject } from "../projects/queries.ts";

type Answer = {
  /** Why the git host's answer is missing; null if it answered. */
  readonly problem: string | null;
};
export type ProjectBranches = Answer & FoundBranches;
export type ProjectCommits = Answer & { readonly branch: string; readonly commits: readonly LoggedCommit[] };

/** If the git host cannot be asked, the answer says why. @throws AppError `NOT_FOUND` */
export async function listProjectBranches(
  deps: GitDeps,
  organizationId: string,
  projectId: string,
  search?: string,
): Promise<ProjectBranches> {
  const none = (problem: string): ProjectBranches => ({ branches: [], hasMore: false, problem });
  return await askHost(deps, organizationId, projectId, none, async (access, repository) => ({
    ...findBranches(await deps.git.listBranches(access, repository), search),
    problem: null,
  }));
}

/** The newest first. If the git host cannot be asked, or has no such branch, the answer says why. @throws AppError `NOT_FOUND` */
export async function listProjectCommits(
  deps: GitDeps,
  organizationId: string,
  projectId: string,
  branch: string,
): Promise<ProjectCommits> {
  const none = (problem: string): ProjectCommits => ({ branch, commits: [], problem });
  return await askHost(deps, organizationId, projectId, none, async (access, repository) => {
    const head = (await deps.git.listBranches(access, repository)).find(({ name }) => name === branch);
    if (head === undefined) return none(noBranch(branch));
    return { branch, commits: await deps.git.listCommits(access, repository, head.commit), problem: null };
  });
}

export function noBranch(branch: string): string {
  return `The repository has no branch ${JSON.stringify(branch)}.`;
}

/**
 * Asks the git host about a project's repository.
 * @param without makes the answer if the host cannot be asked
 * @throws AppError `NOT_FOUND`
 */
export async function askHost<A>(
  deps: GitDeps,
  organizationId: string,
  projectId: string,
  without: (problem: string) => A,
  ask: (access: GitAccess, repository: Repository) => Promise<A>,
): Promise<A> {
  const project = await getProject(deps.db, organizationId, projectId);
  try {
    const access = await openGitAccess(deps, organizationId, project.provider, project.host);
    return await ask(access, parseRepositoryUrl(project.normalizedRepoUrl));
  } catch (error) {
    // Their messages are for people, and hold no secret.
    if (error instanceof GitError || error instanceof AppError) return without(error.message);
    throw error;
  }
}
