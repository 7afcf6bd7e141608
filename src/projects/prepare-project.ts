/** What creating a project asks of the outside world, before its transaction. */
import type { Actor } from "../actor.ts";
import type { AwsAccount } from "../cloud-accounts/aws-account.ts";
import { getAwsAccount } from "../cloud-accounts/commands.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Branch, Git, GitAccess, Repository } from "../git/git.ts";
import { parseRepositoryUrl } from "../git/repository-url.ts";
import { openGitAccess } from "../git-integrations/open-git-access.ts";
import { readHost } from "../git-integrations/provider-host.ts";
import { getUser } from "../organizations/commands.ts";
import type { AtRestSealing } from "../sealing/at-rest.ts";
import type { Configuration, ParseConfiguration } from "./configuration.ts";
import type { CodeSource, NewProject } from "./new-project.ts";
import { type ReadConfiguration, readConfigurationFile } from "./read-configuration-file.ts";

export type ProjectDeps = {
  readonly db: Database;
  readonly git: Git;
  readonly atRest: AtRestSealing;
  readonly parseConfiguration: ParseConfiguration;
};

/** All that a project is made of, looked up and found right. */
export type PreparedProject = {
  readonly request: NewProject;
  readonly awsAccount: AwsAccount;
  readonly repository: Repository;
  readonly codeSource: CodeSource;
  /** The configuration as it was written, and as it was read. */
  readonly rawConfig: unknown;
  readonly configuration: Configuration;
};

/**
 * Checks everything that creation needs (specification, Authentication 3) and reads the configuration.
 * @throws AppError `NOT_FOUND` for the cloud account, `AWS_ACCOUNT_NOT_CONNECTED`, `GIT_INTEGRATION_MISSING`,
 * `REPOSITORY_USER_DENIED`, `BRANCH_NOT_FOUND`, `CONFIG_FILE_NOT_FOUND`, `CONFIG_INVALID`; GitError
 */
export async function prepareProject(
  deps: ProjectDeps,
  actor: Actor,
  request: NewProject,
): Promise<PreparedProject> {
  const { db, git } = deps;
  const { organizationId } = actor;
  const awsAccount = await getAwsAccount(db, organizationId, request.awsAccountId, "awsAccountId");
  if (awsAccount.status !== "CONNECTED") throw notConnected(awsAccount);

  const repository = parseRepositoryUrl(request.repoUrl);
  const codeSource = { provider: request.codeSource.provider, host: readHost(request.codeSource) };
  const access = await openGitAccess(deps, organizationId, codeSource.provider, codeSource.host);
  const branches = await git.listBranches(access, repository);
  // Before anything else of the repository is told: the integration may see what this user may not.
  await requireUserAccess(deps, actor, access, repository);

  const { rawConfig, configuration } =
    request.configType === "gui"
      ? { rawConfig: request.config, configuration: deps.parseConfiguration(request.config) }
      : await readBranchConfiguration(deps, access, repository, branches, request);
  requireBranches(configuration, branches);
  return { request, awsAccount, repository, codeSource, rawConfig, configuration };
}

function notConnected({ id, status }: AwsAccount): AppError {
  return new AppError(
    "AWS_ACCOUNT_NOT_CONNECTED",
    status === "DISCONNECTED"
      ? `The cloud account ${id} is DISCONNECTED: its role no longer works. Read its lastCheckError, and mend the stack.`
      : `The cloud account ${id} is ${status}. Create the stack at its cloudStack.consoleUrl and wait until it is CONNECTED.`,
  );
}

async function requireUserAccess(
  { db, git }: ProjectDeps,
  actor: Actor,
  access: GitAccess,
  repository: Repository,
): Promise<void> {
  const user = await getUser(db, actor.organizationId, actor.userId);
  // Without a login it is nobody in particular who asks, and only a public repository is theirs to read.
  if (await git.userCanRead(access, repository, user.gitLogin ?? "")) return;
  const { normalizedUrl } = repository;
  throw new AppError(
    "REPOSITORY_USER_DENIED",
    user.gitLogin === null
      ? `The user of this API key has no gitLogin, so whether they may read ${normalizedUrl} cannot be told. An admin sets it with PATCH /v1/users/${user.id}.`
      : `The git provider's user ${user.gitLogin} may not read ${normalizedUrl}. Give them access there, or have an admin correct gitLogin with PATCH /v1/users/${user.id}.`,
  );
}

async function readBranchConfiguration(
  deps: ProjectDeps,
  access: GitAccess,
  repository: Repository,
  branches: readonly Branch[],
  { configFilePath = "", configFileBranch = "" }: NewProject,
): Promise<ReadConfiguration> {
  const branch = branches.find(({ name }) => name === configFileBranch);
  if (branch === undefined) {
    throw new AppError(
      "BRANCH_NOT_FOUND",
      `The repository has no branch ${JSON.stringify(configFileBranch)}, which configFileBranch names. Push it, or name another.`,
    );
  }
  const at = { path: configFilePath, commit: branch.commit, place: `on the branch ${configFileBranch}` };
  return await readConfigurationFile(deps, access, repository, at);
}

/** A mistyped branch would otherwise show only when nothing is ever deployed. */
function requireBranches({ environments }: Configuration, branches: readonly Branch[]): void {
  const known = new Set(branches.map(({ name }) => name));
  const missing = environments.filter(({ branch }) => !known.has(branch));
  if (missing.length === 0) return;
  const named = missing.map(({ id, branch }) => `${JSON.stringify(branch)} (environment ${id})`).join(", ");
  throw new AppError("BRANCH_NOT_FOUND", `The repository has no branch ${named}. Push it, or name another.`);
}
