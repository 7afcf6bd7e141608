/** What creating a project needs from the outside world, before its transaction. */
import type { Actor } from "../../lib/actor.ts";
import { type AwsAccount, requireConnected } from "../cloud-accounts/aws-account.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import type { Repository } from "../../git/git.ts";
import { readHost } from "../git-integrations/provider-host.ts";
import { CONFIGURATION_ERRORS } from "../configuration/errors.ts";
import type { Configuration } from "../configuration/configuration.ts";
import type { CodeSource, NewProject } from "./body.ts";
import { openRepository, readBranchConfiguration, requireBranches } from "./open-repository.ts";
import { isForeignKeyViolation, type Transaction } from "../../db/database.ts";
import { AppError, type Fault, notFound } from "../../lib/errors.ts";
import { gitIntegrationMissing } from "../git-integrations/queries.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { findRestoreFaults } from "../data-stores/restore.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { RepositoryDeps } from "../configuration/read-configuration-file.ts";
import { applyConfiguration } from "../environments/apply-configuration.ts";
import type { Project, ProjectDetails } from "../projects/project.ts";
import { insertProject } from "../projects/commands.ts";

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
  deps: RepositoryDeps,
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

/** Creates a project with its environments and services. @throws AppError `NOT_FOUND`, `GIT_INTEGRATION_MISSING` */
export async function createProject(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  prepared: PreparedProject,
): Promise<ProjectDetails> {
  const project = await recordProject(tx, actor, prepared);
  const restored = prepared.configuration.environments.map((one, index) => ({
    ...one,
    index,
    environment: null,
  }));
  const faults = await findRestoreFaults(tx, project, restored, new Map());
  if (faults.length > 0)
    throw new AppError(
      CONFIGURATION_ERRORS.CONFIG_NOT_APPLICABLE,
      "The project's data stores cannot be created from the snapshots that its configuration names. See `errors`.",
      { faults: listConfigurationFaults(project, faults) },
    );
  await applyConfiguration(tx, jobs, actor, project, [], prepared.configuration);
  recordAudit(tx, actor, "project.created", project.id);
  return project;
}

async function recordProject(
  tx: Transaction,
  actor: Actor,
  { request, awsAccount, repository, codeSource, rawConfig }: PreparedProject,
): Promise<ProjectDetails> {
  try {
    return await insertProject(
      tx,
      actor,
      {
        organizationId: actor.organizationId,
        name: request.name,
        awsAccountId: awsAccount.id,
        repoUrl: withoutUserInfo(request.repoUrl),
        normalizedRepoUrl: repository.normalizedUrl,
        provider: codeSource.provider,
        host: codeSource.host,
        configType: request.configType,
        configFilePath: request.configFilePath ?? null,
        configFileBranch: request.configFileBranch ?? null,
      },
      rawConfig,
    );
  } catch (error) {
    // Another request deleted it since it was looked up.
    if (isForeignKeyViolation(error, "projects_aws_account_fk")) throw notFound("awsAccountId");
    if (isForeignKeyViolation(error, "projects_git_integration_fk")) {
      throw gitIntegrationMissing(codeSource.provider, codeSource.host, error);
    }
    throw error;
  }
}

/** A token in the address would be readable in the database; access needs a git integration. */
export function withoutUserInfo(repoUrl: string): string {
  return repoUrl.replace(/^(https|ssh):\/\/[^/?#]*@/i, "$1://");
}

/** Faults of a configuration, with JSON Pointers into the body of a request that gives it, or names its file. */
export function listConfigurationFaults(
  { configType }: Pick<Project, "configType">,
  faults: readonly Fault[],
): readonly Fault[] {
  return faults.map(({ path, code, message }) =>
    configType === "gui"
      ? { path: `/config${path}`, code, message }
      : {
          path: "/configFilePath",
          code,
          message: `names a file that cannot be applied: ${path} ${message}`,
        },
  );
}
