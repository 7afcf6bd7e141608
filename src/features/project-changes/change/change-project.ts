import type { Actor } from "../../../lib/actor.ts";
import { isForeignKeyViolation, type Transaction } from "../../../db/database.ts";
import { findDeploymentUnderWay } from "../../deployments/queries.ts";
import { AppError, type Fault } from "../../../lib/errors.ts";
import { CONFIGURATION_ERRORS } from "../../configuration/errors.ts";
import { DEPLOYMENT_ERRORS } from "../../deployments/errors.ts";
import { PROJECT_CHANGE_ERRORS } from "../errors.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import { changeOf, recordAudit } from "../../audit/record-audit.ts";
import { applyConfiguration, moveFiles } from "../../environments/apply-configuration.ts";
import { getProjectDetails } from "../../projects/queries.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { listChangeFaults, planChange } from "./plan-change.ts";
import type { PreparedChange } from "./prepare-change.ts";
import type { Project, ProjectDetails } from "../../projects/project.ts";
import { CHANGE_PROJECT, requireMayChange } from "../../project-access/may-change.ts";
import { lockActiveProject, updateProject } from "../../projects/commands.ts";

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
  const { before, wanted, fields, read } = prepared;
  const { organizationId, id } = before;
  const project = await lockActiveProject(tx, organizationId, id);
  await requireMayChange(tx, actor, CHANGE_PROJECT, [{ projectId: id, environmentId: null }]);
  const [refusal] = prepared.refusals;
  if (refusal !== undefined) throw refusal;
  if (read === null && fields.length === 0) return await getProjectDetails(tx, organizationId, id);
  if (read === null) return await record(tx, actor, project, { ...project, name: wanted.name }, fields, null);

  // Access, branches and configuration were checked for the project as it was.
  if (project.updatedAt.getTime() !== before.updatedAt.getTime()) throw changedMeanwhile();
  const deployment = await findDeploymentUnderWay(tx, organizationId, id);
  if (deployment !== null) throw deploymentUnderWay(deployment);
  const plan = await planChange(tx, prepared);
  const faults = listChangeFaults(prepared, plan);
  if (faults.length > 0) throw notApplicable(faults);
  const isSame = plan.environments.every(({ change }) => change === "UNCHANGED");
  if (fields.length === 0 && isSame) return await getProjectDetails(tx, organizationId, id);
  // A file of the repository may say something else now.
  const told = isSame || fields.includes("config") ? fields : [...fields, "config"];
  const changed = await record(tx, actor, project, wanted, told, read.rawConfig);
  const { environments } = plan.present;
  if (prepared.appliesNow) await apply(tx, jobs, actor, wanted, environments, read.configuration);
  else
    for (const service of environments.flatMap(({ services }) => services))
      await moveFiles(tx, jobs, wanted, service);
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
  recordAudit(
    tx,
    actor,
    "project.updated",
    project.id,
    changeOf(shownInAudit(before), shownInAudit(changed)),
  );
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
    const attached = await applyConfiguration(tx, jobs, actor, project, present, configuration);
    if (attached.length > 0) throw gotDomains();
  } catch (error) {
    // A group was created since the check.
    if (!isForeignKeyViolation(error)) throw error;
    throw gotDomains(error);
  }
}

function changedMeanwhile(): AppError {
  return new AppError(
    PROJECT_CHANGE_ERRORS.PROJECT_CHANGED_MEANWHILE,
    "Another request changed the project while this one was being checked. Read the project, then send this request again.",
  );
}

function deploymentUnderWay({ id, status }: { readonly id: string; readonly status: string }): AppError {
  return new AppError(
    DEPLOYMENT_ERRORS.DEPLOYMENT_UNDER_WAY,
    `The deployment ${id} is ${status} and uses the project's present configuration. Wait until it has ended, or cancel it.`,
  );
}

function notApplicable(faults: readonly Fault[]): AppError {
  return new AppError(
    CONFIGURATION_ERRORS.CONFIG_NOT_APPLICABLE,
    "The configuration cannot be applied to the existing environments. See `errors`.",
    { faults },
  );
}

function gotDomains(cause?: unknown): AppError {
  return new AppError(
    CONFIGURATION_ERRORS.CONFIG_NOT_APPLICABLE,
    "A domain certificate group was just created for a service that the configuration no longer has. Delete the group first, or keep the service.",
    { cause },
  );
}
