/** What changing a project needs from the outside world, before its transaction. */
import { isDeepStrictEqual } from "node:util";
import type { Actor } from "../../../lib/actor.ts";
import { getAwsAccount, requireConnected } from "../../cloud-accounts/commands.ts";
import { AppError, invalidRequest } from "../../../lib/errors.ts";
import { GIT_ERRORS } from "../../../git/errors.ts";
import { GitError } from "../../../git/git.ts";
import { identifyRepository } from "../../../git/repository-url.ts";
import { getProjectDetails } from "../../projects/queries.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { withoutUserInfo } from "../create/create-project.ts";
import {
  type OpenRepository,
  openRepository,
  type ProjectDeps,
  readBranchConfiguration,
  requireBranches,
} from "../open-repository.ts";
import type { Project, ProjectDetails } from "../../projects/project.ts";
import { findConfigTypeChangeFaults, type ProjectChange } from "./body.ts";
import type { ReadConfiguration } from "../../configuration/read-configuration-file.ts";
import { requireActive } from "../../projects/commands.ts";

export type PreparedChange = {
  /** The project when the change was checked. */
  readonly before: ProjectDetails;
  readonly wanted: Project;
  /** Fields of the project that change. */
  readonly fields: readonly string[];
  /**
   * Whether the change applies the configuration to environments and services. Otherwise a deployment does, as for each
   * commit of an `iac` project.
   */
  readonly appliesNow: boolean;
  /** Null when it was not read, or cannot be read. */
  readonly read: ReadConfiguration | null;
  /** Why the outside world refuses the change; empty if it does not. */
  readonly refusals: readonly AppError[];
};

/**
 * Merges a change into its project, with the checks of a new project: access to the repository, its branches, the
 * configuration.
 * @param alwaysChecks also checks when only the name changes: for a plan
 * @throws AppError `NOT_FOUND`, `PROJECT_DELETING`, `INVALID_REQUEST`, `GIT_HOST_UNAVAILABLE`
 */
export async function prepareChange(
  deps: ProjectDeps,
  actor: Actor,
  projectId: string,
  change: ProjectChange,
  alwaysChecks: boolean,
): Promise<PreparedChange> {
  const before = await getProjectDetails(deps.db, actor.organizationId, projectId);
  requireActive(before);
  const faults = findConfigTypeChangeFaults(before, change);
  if (faults.length > 0) throw invalidRequest(faults);
  const wanted = merge(before, change);
  const fields = Object.keys(change).filter((name) => isChanged(name as keyof ProjectChange, before, change));
  const appliesNow = wanted.configType === "gui" && change.config !== undefined;
  const { name: _name, ...more } = change;
  if (Object.keys(more).length === 0 && !alwaysChecks) {
    return { before, wanted, fields, appliesNow, read: null, refusals: [] };
  }
  const refusals: AppError[] = [];
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      refusals.push(toRefusal(error));
      return null;
    }
  };
  if (appliesNow) await attempt(() => requireAccount(deps, actor, wanted));
  const opened = await attempt(() => openRepository(deps, actor, wanted, wanted.normalizedRepoUrl));
  const read = await attempt(() => readWanted(deps, opened, wanted, change.config ?? before.config));
  if (opened !== null && read !== null)
    await attempt(async () => requireBranches(read.configuration, opened));
  return { before, wanted, fields, appliesNow, read, refusals };
}

function merge(before: ProjectDetails, change: ProjectChange): Project {
  const { config: _config, ...project } = before;
  const configType = change.configType ?? before.configType;
  const isFile = configType === "iac";
  const { repoUrl } = change;
  return {
    ...project,
    name: change.name ?? before.name,
    ...(repoUrl === undefined
      ? {}
      : {
          repoUrl: withoutUserInfo(repoUrl),
          normalizedRepoUrl: identifyRepository(repoUrl).normalizedUrl,
        }),
    configType,
    configFilePath: isFile ? (change.configFilePath ?? before.configFilePath) : null,
    configFileBranch: isFile ? (change.configFileBranch ?? before.configFileBranch) : null,
  };
}

function isChanged(name: keyof ProjectChange, before: ProjectDetails, change: ProjectChange): boolean {
  if (name === "config") return !isDeepStrictEqual(change.config, before.config);
  return change[name] !== before[name];
}

async function requireAccount(
  { db }: ProjectDeps,
  { organizationId }: Actor,
  { awsAccountId }: Project,
): Promise<void> {
  requireConnected(await getAwsAccount(db, organizationId, awsAccountId));
}

/** Null for a file of a repository that cannot be opened. */
async function readWanted(
  deps: ProjectDeps,
  opened: OpenRepository | null,
  { configType, configFilePath, configFileBranch }: Project,
  config: unknown,
): Promise<ReadConfiguration | null> {
  if (configType === "gui") return { rawConfig: config, configuration: parse(deps, config) };
  if (opened === null) return null;
  return await readBranchConfiguration(deps, opened, {
    configFilePath: configFilePath ?? "",
    configFileBranch: configFileBranch ?? "",
  });
}

function parse({ parseConfiguration }: ProjectDeps, config: unknown): Configuration {
  return parseConfiguration(config);
}

/** @throws the error itself if it is not a refusal of the outside world, or may be temporary */
function toRefusal(error: unknown): AppError {
  const refusal = error instanceof GitError ? error.toAppError() : error;
  if (!(refusal instanceof AppError) || refusal.declaration === GIT_ERRORS.GIT_HOST_UNAVAILABLE) throw error;
  return refusal;
}
