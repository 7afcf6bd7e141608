/**
 * Changes of a project: what a change needs from the outside world before its transaction, what it would do and why it
 * may be refused (`POST …/plan`), and the change itself.
 */
import { isDeepStrictEqual } from "node:util";
import type { Actor } from "../../lib/actor.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import { requireConnected } from "../cloud-accounts/aws-account.ts";
import { AppError, invalidRequest, type DeclaredError, type Fault } from "../../lib/errors.ts";
import { GIT_ERRORS } from "../../git/errors.ts";
import { GitError } from "../../git/git.ts";
import { identifyRepository } from "../../git/repository-url.ts";
import { getProjectDetails, listConfiguredParts } from "../projects/queries.ts";
import { listConfigurationFaults, withoutUserInfo } from "./create-project.ts";
import {
  type OpenRepository,
  openRepository,
  readBranchConfiguration,
  requireBranches,
} from "./open-repository.ts";
import type { Project, ProjectDetails } from "../projects/project.ts";
import { findConfigTypeChangeFaults, type ProjectChange } from "./body.ts";
import type { ReadConfiguration, RepositoryDeps } from "../configuration/read-configuration-file.ts";
import { requireActive, lockActiveProject, updateProject } from "../projects/commands.ts";
import { findFailedStores } from "../data-stores/queries.ts";
import { findRestoreFaults } from "../data-stores/restore.ts";
import { listServiceDomains } from "../custom-domains/queries.ts";
import { type Sql, isForeignKeyViolation, type Transaction } from "../../db/database.ts";
import { findDeploymentUnderWay } from "../deployments/queries.ts";
import { CLOUD_ACCOUNT_ERRORS } from "../cloud-accounts/errors.ts";
import { CONFIGURATION_ERRORS } from "../configuration/errors.ts";
import { DEPLOYMENT_ERRORS } from "../deployments/errors.ts";
import { listVariablesOfScopes } from "../variables/queries.ts";
import { decideProjectPlan, type PresentProject, type ProjectPlan } from "./decide-project-plan.ts";
import { PROJECT_CHANGE_ERRORS } from "./errors.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { changeOf, recordAudit } from "../audit/record-audit.ts";
import { applyConfiguration, moveFiles } from "../environments/apply-configuration.ts";
import type { Configuration } from "../configuration/configuration.ts";
import { CHANGE_PROJECT, requireMayChange } from "../project-access/may-change.ts";

export type PreparedChange = {
  /** The project when the change was checked. */
  readonly before: ProjectDetails;
  readonly desired: Project;
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
  deps: RepositoryDeps,
  actor: Actor,
  projectId: string,
  change: ProjectChange,
  alwaysChecks: boolean,
): Promise<PreparedChange> {
  const before = await getProjectDetails(deps.db, actor.organizationId, projectId);
  requireActive(before);
  const faults = findConfigTypeChangeFaults(before, change);
  if (faults.length > 0) throw invalidRequest(faults);
  const desired = merge(before, change);
  const fields = Object.keys(change).filter((name) => isChanged(name as keyof ProjectChange, before, change));
  const appliesNow = desired.configType === "gui" && change.config !== undefined;
  const { name: _name, ...more } = change;
  if (Object.keys(more).length === 0 && !alwaysChecks) {
    return { before, desired, fields, appliesNow, read: null, refusals: [] };
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
  if (appliesNow) {
    const { organizationId, awsAccountId } = desired;
    await attempt(async () => requireConnected(await getAwsAccount(deps.db, organizationId, awsAccountId)));
  }
  const opened = await attempt(() => openRepository(deps, actor, desired, desired.normalizedRepoUrl));
  const read = await attempt(() => readDesired(deps, opened, desired, change.config ?? before.config));
  if (opened !== null && read !== null)
    await attempt(async () => requireBranches(read.configuration, opened));
  return { before, desired, fields, appliesNow, read, refusals };
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

/** Null for a file of a repository that cannot be opened. */
async function readDesired(
  deps: RepositoryDeps,
  opened: OpenRepository | null,
  { configType, configFilePath, configFileBranch }: Project,
  config: unknown,
): Promise<ReadConfiguration | null> {
  if (configType === "gui") return { rawConfig: config, configuration: deps.parseConfiguration(config) };
  if (opened === null) return null;
  return await readBranchConfiguration(deps, opened, {
    configFilePath: configFilePath ?? "",
    configFileBranch: configFileBranch ?? "",
  });
}

/** @throws the error itself if it is not a refusal of the outside world, or may be temporary */
function toRefusal(error: unknown): AppError {
  const refusal = error instanceof GitError ? error.toAppError() : error;
  if (!(refusal instanceof AppError) || refusal.declaration === GIT_ERRORS.GIT_HOST_UNAVAILABLE) throw error;
  return refusal;
}

/** One reason why a change is refused. `path` is a JSON Pointer into the body, or empty. */
export type PlanRefusal = { readonly path: string; readonly code: string; readonly message: string };

/** Compares the project with the configuration that it would have; with none if that cannot be read. */
export async function planChange(
  sql: Sql,
  { before, desired, read }: PreparedChange,
): Promise<ProjectPlan & { readonly present: PresentProject }> {
  const present = await gather(sql, before);
  if (read === null) return { present, environments: [], faults: [] };
  // A file describes the environments of its own branch; other branches have their own file.
  const { configFileBranch: branch } = desired;
  const plan = decideProjectPlan(present, read.configuration, branch);
  const restored = read.configuration.environments.flatMap((one, index) => {
    const environment = present.environments.find((known) => known.environment.configId === one.id) ?? null;
    return branch !== null && one.branch !== branch ? [] : [{ ...one, index, environment }];
  });
  const faults = [...plan.faults, ...(await findRestoreFaults(sql, desired, restored, present.failedStores))];
  return { present, environments: plan.environments, faults };
}

/** The plan's faults that prevent the change, with JSON Pointers into its body. */
function listChangeFaults(
  { desired, appliesNow }: PreparedChange,
  { faults }: ProjectPlan,
): readonly Fault[] {
  return desired.configType === "iac" || appliesNow ? listConfigurationFaults(desired, faults) : [];
}

/** All reasons why a change is refused now. */
export async function listRefusals(
  sql: Sql,
  prepared: PreparedChange,
  plan: ProjectPlan,
): Promise<readonly PlanRefusal[]> {
  const { organizationId, id } = prepared.before;
  const deployment = await findDeploymentUnderWay(sql, organizationId, id);
  const isTouched = prepared.fields.some((name) => name !== "name");
  return [
    ...prepared.refusals.flatMap((refusal) => toRefusals(refusal, prepared.desired)),
    ...listChangeFaults(prepared, plan),
    ...(deployment === null || !isTouched
      ? []
      : [
          {
            path: "",
            code: DEPLOYMENT_ERRORS.DEPLOYMENT_UNDER_WAY.code,
            message: `The deployment ${deployment.id} is ${deployment.status}. Wait until it has ended, or cancel it.`,
          },
        ]),
  ];
}

function toRefusals(
  { code, declaration, message, faults }: AppError,
  desired: Project,
): readonly PlanRefusal[] {
  const path = placeOf(declaration, desired);
  if (faults.length === 0) return [{ path, code, message }];
  return faults.map((fault) => ({ path, code: fault.code, message: `${fault.path} ${fault.message}` }));
}

/** The field of the body that a refusal is about. */
function placeOf(declaration: DeclaredError, { configType }: Project): string {
  switch (declaration) {
    case GIT_ERRORS.BRANCH_NOT_FOUND:
      return configType === "gui" ? "/config/environments" : "/configFileBranch";
    case CONFIGURATION_ERRORS.CONFIG_FILE_NOT_FOUND:
    case GIT_ERRORS.CONFIG_INVALID:
      return "/configFilePath";
    case CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_NOT_CONNECTED:
      return "";
    default:
      return "/repoUrl";
  }
}

async function gather(sql: Sql, { organizationId, id }: Project): Promise<PresentProject> {
  const environments = await listConfiguredParts(sql, organizationId, id);
  const serviceIds = environments.flatMap(({ services }) => services.map((service) => service.id));
  const scopeIds = [...serviceIds, ...environments.map(({ environment }) => environment.id)];
  return {
    environments,
    variables: await listVariablesOfScopes(sql, organizationId, scopeIds),
    domains: await listServiceDomains(sql, organizationId, serviceIds),
    failedStores: await findFailedStores(
      sql,
      organizationId,
      environments.flatMap(({ services }) => services),
    ),
  };
}

/**
 * Changes a project, and with `config` its environments and services, all in one transaction. Removed services and
 * environments are removed from the cloud in the background.
 * @throws AppError for refusals of the outside world, `NOT_FOUND`, `PROJECT_DELETING`, `PROJECT_CHANGED_MEANWHILE`,
 * `DEPLOYMENT_UNDER_WAY`, `CONFIG_NOT_APPLICABLE`, `ENVIRONMENT_PROTECTED`
 */
export async function changeProject(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  prepared: PreparedChange,
): Promise<ProjectDetails> {
  const { before, desired, fields, read } = prepared;
  const { organizationId, id } = before;
  const project = await lockActiveProject(tx, organizationId, id);
  await requireMayChange(tx, actor, CHANGE_PROJECT, [{ projectId: id, environmentId: null }]);
  const [refusal] = prepared.refusals;
  if (refusal !== undefined) throw refusal;
  if (read === null && fields.length === 0) return await getProjectDetails(tx, organizationId, id);
  if (read === null)
    return await record(tx, actor, project, { ...project, name: desired.name }, fields, null);

  // Access, branches and configuration were checked for the project as it was.
  if (project.updatedAt.getTime() !== before.updatedAt.getTime())
    throw new AppError(
      PROJECT_CHANGE_ERRORS.PROJECT_CHANGED_MEANWHILE,
      "Another request changed the project while this one was being checked. Read the project, then send this request again.",
    );
  const deployment = await findDeploymentUnderWay(tx, organizationId, id);
  if (deployment !== null)
    throw new AppError(
      DEPLOYMENT_ERRORS.DEPLOYMENT_UNDER_WAY,
      `The deployment ${deployment.id} is ${deployment.status} and uses the project's present configuration. Wait until it has ended, or cancel it.`,
    );
  const plan = await planChange(tx, prepared);
  const faults = listChangeFaults(prepared, plan);
  if (faults.length > 0)
    throw new AppError(
      CONFIGURATION_ERRORS.CONFIG_NOT_APPLICABLE,
      "The configuration cannot be applied to the existing environments. See `errors`.",
      { faults },
    );
  const isSame = plan.environments.every(({ change }) => change === "UNCHANGED");
  if (fields.length === 0 && isSame) return await getProjectDetails(tx, organizationId, id);
  // A file of the repository may say something else now.
  const changedFields = isSame || fields.includes("config") ? fields : [...fields, "config"];
  const changed = await record(tx, actor, project, desired, changedFields, read.rawConfig);
  const { environments } = plan.present;
  if (prepared.appliesNow) await apply(tx, jobs, actor, desired, environments, read.configuration);
  else
    for (const service of environments.flatMap(({ services }) => services))
      await moveFiles(tx, jobs, desired, service);
  return changed;
}

async function record(
  tx: Transaction,
  actor: Actor,
  before: Project,
  project: Project,
  fields: readonly string[],
  config: unknown,
): Promise<ProjectDetails> {
  const changed = await updateProject(tx, actor, project, fields, config);
  const details = changeOf(shownInAudit(before), shownInAudit(changed));
  recordAudit(tx, actor, "project.updated", project.id, details);
  return changed;
}

/** Without the configuration, which may hold secret values. */
function shownInAudit({ name, normalizedRepoUrl, configType, configFilePath, configFileBranch }: Project) {
  return { name, repoUrl: normalizedRepoUrl, configType, configFilePath, configFileBranch };
}

async function apply(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  project: Project,
  present: Parameters<typeof applyConfiguration>[4],
  configuration: Configuration,
): Promise<void> {
  try {
    const refused = await applyConfiguration(tx, jobs, actor, project, present, configuration);
    if (refused.length > 0) throw isUsedNow();
  } catch (error) {
    // A group was created since the check.
    if (!isForeignKeyViolation(error)) throw error;
    throw isUsedNow(error);
  }
}

function isUsedNow(cause?: unknown): AppError {
  return new AppError(
    CONFIGURATION_ERRORS.CONFIG_NOT_APPLICABLE,
    "A domain certificate group was just created for a service that the configuration no longer has, or a variable was just set that links to it. Delete it first, or keep the service.",
    { cause },
  );
}
