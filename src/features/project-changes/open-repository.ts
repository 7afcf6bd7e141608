/** The three rules of access (specification, Authentication 3), and what is read of a repository after them. */
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { GIT_ERRORS } from "../../git/errors.ts";
import { PROJECT_CHANGE_ERRORS } from "./errors.ts";
import {
  type Branch,
  describeBranches,
  type GitAccess,
  type Repository,
  requireBranch,
} from "../../git/git.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import { openGitAccess } from "../git-integrations/queries.ts";
import { getUser } from "../users/queries.ts";
import type { Configuration } from "../configuration/configuration.ts";
import type { CodeSource } from "./body.ts";
import {
  type ReadConfiguration,
  readConfigurationFile,
  type RepositoryDeps,
} from "../configuration/read-configuration-file.ts";

export type OpenRepository = {
  readonly repository: Repository;
  readonly access: GitAccess;
  readonly branches: readonly Branch[];
};

/**
 * Opens a repository for the user of a key: both the organization's integration and the user must be able to read it.
 * @throws AppError `GIT_INTEGRATION_MISSING`, `REPOSITORY_USER_DENIED`; GitError
 */
export async function openRepository(
  deps: RepositoryDeps,
  actor: Actor,
  { provider, host }: CodeSource,
  repoUrl: string,
): Promise<OpenRepository> {
  const repository = parseRepositoryUrl(repoUrl);
  const access = await openGitAccess(deps, actor.organizationId, provider, host);
  const branches = await deps.git.listBranches(access, repository);
  // Before anything else of the repository is shown: the integration may see more than this user may.
  await requireUserAccess(deps, actor, access, repository);
  return { repository, access, branches };
}

async function requireUserAccess(
  { db, git }: RepositoryDeps,
  actor: Actor,
  access: GitAccess,
  repository: Repository,
): Promise<void> {
  const user = await getUser(db, actor.organizationId, actor.userId);
  // Without a login the user is unknown to the provider, and may only read public repositories.
  if (await git.userCanRead(access, repository, user.gitLogin ?? "")) return;
  const { normalizedUrl } = repository;
  throw new AppError(
    PROJECT_CHANGE_ERRORS.REPOSITORY_USER_DENIED,
    user.gitLogin === null
      ? `The user ${user.name} has no login at the git provider, so Slipway cannot check their access to ${normalizedUrl}. An admin can enter it on the page of the user.`
      : `The git provider's user ${user.gitLogin} may not read ${normalizedUrl}. Give the user access there, or have an admin correct the login on the page of the user.`,
  );
}

/**
 * The configuration file at the head of a branch.
 * @throws AppError `BRANCH_NOT_FOUND`, `CONFIG_FILE_NOT_FOUND`, `CONFIG_INVALID`; GitError
 */
export async function readBranchConfiguration(
  deps: RepositoryDeps,
  { access, repository, branches }: OpenRepository,
  {
    configFilePath,
    configFileBranch,
  }: { readonly configFilePath: string; readonly configFileBranch: string },
): Promise<ReadConfiguration> {
  const commit = requireBranch(branches, configFileBranch, ", which configFileBranch names");
  const at = { path: configFilePath, commit, place: `on the branch ${configFileBranch}` };
  return await readConfigurationFile(deps, access, repository, at);
}

/**
 * Otherwise, a mistyped branch would only show when nothing is ever deployed.
 * @throws AppError `BRANCH_NOT_FOUND`
 */
export function requireBranches({ environments }: Configuration, { branches }: OpenRepository): void {
  const known = new Set(branches.map(({ name }) => name));
  const missing = environments.filter(({ branch }) => !known.has(branch));
  if (missing.length === 0) return;
  const named = missing.map(({ id, branch }) => `${JSON.stringify(branch)} (environment ${id})`).join(", ");
  throw new AppError(
    GIT_ERRORS.BRANCH_NOT_FOUND,
    `The repository has no branch ${named}. ${describeBranches(branches)}`,
  );
}
