/** What creating a project needs from the outside world, before its transaction. */
import type { Actor } from "../../../lib/actor.ts";
import type { AwsAccount } from "../../cloud-accounts/aws-account.ts";
import { getAwsAccount, requireConnected } from "../../cloud-accounts/commands.ts";
import type { Repository } from "../../../git/git.ts";
import { readHost } from "../../git-integrations/provider-host.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import type { CodeSource, NewProject } from "./body.ts";
import {
  openRepository,
  type ProjectDeps,
  readBranchConfiguration,
  requireBranches,
} from "../open-repository.ts";

/** All parts of a project, looked up and checked. */
export type PreparedProject = {
  readonly request: NewProject;
  readonly awsAccount: AwsAccount;
  readonly repository: Repository;
  readonly codeSource: CodeSource;
  /** The configuration as written, and as parsed. */
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
  const awsAccount = await getAwsAccount(deps.db, actor.organizationId, request.awsAccountId, "awsAccountId");
  requireConnected(awsAccount);

  const codeSource = { provider: request.codeSource.provider, host: readHost(request.codeSource) };
  const opened = await openRepository(deps, actor, codeSource, request.repoUrl);
  const { configFilePath = "", configFileBranch = "" } = request;
  const { rawConfig, configuration } =
    request.configType === "gui"
      ? { rawConfig: request.config, configuration: deps.parseConfiguration(request.config) }
      : await readBranchConfiguration(deps, opened, { configFilePath, configFileBranch });
  requireBranches(configuration, opened);
  return { request, awsAccount, repository: opened.repository, codeSource, rawConfig, configuration };
}
