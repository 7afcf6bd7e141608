import type { Actor } from "../../../lib/actor.ts";
import type { AwsAccount } from "../../cloud-accounts/aws-account.ts";
import { getAwsAccount, works } from "../../cloud-accounts/commands.ts";
import { inWords, isNothing, type LeftInAccount } from "../../cloud-accounts/left-in-account.ts";
import type { Platform } from "../../../cloud/platform.ts";
import { abandonGroupsOfProject } from "../../custom-domains/abandon-group.ts";
import { hasDomainGroups } from "../../custom-domains/queries.ts";
import { announceChange } from "../../../db/changes.ts";
import { isForeignKeyViolation, type Transaction } from "../../../db/database.ts";
import {
  forgetRemovalsOfProject,
  requestEnvironmentRemoval,
  requestServiceRemoval,
} from "../../releases/commands.ts";
import { forgetDistributionsOfProject, releaseDistributions } from "../../distributions/commands.ts";
import { AppError, notFound } from "../../../lib/errors.ts";
import { PROJECT_CHANGE_ERRORS } from "../errors.ts";
import { CLOUD_ACCOUNT_ERRORS } from "../../cloud-accounts/errors.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import { recordAudit } from "../../audit/record-audit.ts";
import { forgetProjectValues, removeProjectVariables } from "../../variables/commands.ts";
import {
  getProjectDetails,
  listEnvironmentServices,
  listProjectEnvironments,
} from "../../projects/queries.ts";
import { forgetVersions } from "../../variables/history/commands.ts";
import { listLeftOfProject } from "./left-of-project.ts";
import type { Project, ProjectDetails } from "../../projects/project.ts";
import { CHANGE_PROJECT, requireMayChange } from "../../project-access/may-change.ts";
import { placeOf } from "../../environments/remove-services.ts";
import {
  deleteEnvironmentsOfProject,
  deleteProjectRow,
  lockProject,
  markProjectDeleting,
} from "../../projects/commands.ts";
import { deleteDeploymentsOfProject } from "../../deployments/commands.ts";

type Deps = { readonly jobs: Jobs; readonly platform: Platform | null };

/**
 * Deletes a project with its environments, services and deployments. Its cloud resources are removed in the background,
 * and the project is `DELETING` until then. A project that is `DELETING` already stays as it is.
 * @returns null when it was deleted at once, because it has no cloud resources
 * @throws AppError `NOT_FOUND`, `ENVIRONMENT_PROTECTED`, `PROJECT_IN_USE`, `RESOURCES_WOULD_STAY`
 */
export async function deleteProject(
  tx: Transaction,
  { jobs, platform }: Deps,
  actor: Actor,
  id: string,
): Promise<ProjectDetails | null> {
  const { organizationId } = actor;
  const project = await lockProject(tx, organizationId, id);
  if (project === null) throw notFound();
  await requireMayChange(tx, actor, CHANGE_PROJECT, [{ projectId: id, environmentId: null }]);
  if (project.deletionRequestedAt !== null) return await getProjectDetails(tx, organizationId, id);
  const account = await getAwsAccount(tx, organizationId, project.awsAccountId);
  const left = await listLeftOfProject(tx, platform, project, account);
  if (account.status !== "CONNECTED" && !isNothing(left)) throw wouldStay(account, left);
  if (await hasDomainGroups(tx, organizationId, id)) throw inUse();
  await releaseDistributions(tx, jobs, organizationId, id);
  await requestRemovals(tx, jobs, project);
  await deleteParts(tx, actor, project);
  await removeProjectVariables(tx, jobs, organizationId, id);
  recordAudit(tx, actor, "project.deleted", id);
  if (isNothing(left)) {
    await deleteProjectRow(tx, actor, id, false);
    return null;
  }
  await jobs.enqueue(tx, "project-removal", { organizationId, id });
  return await markProjectDeleting(tx, actor, project);
}

export type AbandonedProject = { readonly id: string; readonly left: LeftInAccount };

/**
 * Deletes a project at once, with its domain certificate groups, even if it is `DELETING` already. Its cloud resources
 * stay. Refused while the account works, because then they can be removed. @throws AppError `NOT_FOUND`,
 * `AWS_ACCOUNT_WORKS`, `ENVIRONMENT_PROTECTED`
 */
export async function abandonProject(
  tx: Transaction,
  platform: Platform | null,
  actor: Actor,
  id: string,
): Promise<AbandonedProject> {
  const { organizationId } = actor;
  const project = await lockProject(tx, organizationId, id);
  if (project === null) throw notFound();
  await requireMayChange(tx, actor, CHANGE_PROJECT, [{ projectId: id, environmentId: null }]);
  const account = await getAwsAccount(tx, organizationId, project.awsAccountId);
  if (works(account)) {
    throw new AppError(
      CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_WORKS,
      `The cloud account ${account.givenId} works. Delete the project, and Slipway removes what it created there.`,
    );
  }
  const left = await listLeftOfProject(tx, platform, project, account);
  await abandonGroupsOfProject(tx, actor, id);
  await forgetDistributionsOfProject(tx, organizationId, id);
  await forgetRemovalsOfProject(tx, organizationId, id);
  await deleteParts(tx, actor, project);
  await forgetProjectValues(tx, organizationId, id);
  await deleteProjectRow(tx, actor, id, true);
  recordAudit(tx, actor, "project.abandoned", id);
  return { id, left };
}

/** Removes the platform's resources of the project's services and environments in the background. */
async function requestRemovals(tx: Transaction, jobs: Jobs, project: Project): Promise<void> {
  const { organizationId } = project;
  for (const environment of await listProjectEnvironments(tx, organizationId, project.id)) {
    const going = await listEnvironmentServices(tx, organizationId, environment.id);
    const place = placeOf(project, environment);
    await requestServiceRemoval(
      tx,
      jobs,
      place,
      going.map((service) => service.id),
    );
    await requestEnvironmentRemoval(tx, jobs, place);
    for (const part of [environment.id, ...going.map((service) => service.id)]) announceChange(tx, part);
  }
}

/** From then on, values are refused for the project, and its deployments end. @throws AppError `PROJECT_IN_USE` */
async function deleteParts(tx: Transaction, actor: Actor, { organizationId, id }: Project): Promise<void> {
  await deleteDeploymentsOfProject(tx, actor, id);
  const scopeIds = await listScopeIds(tx, organizationId, id);
  try {
    await deleteEnvironmentsOfProject(tx, actor, id);
  } catch (error) {
    // A group was created since the check.
    if (!isForeignKeyViolation(error)) throw error;
    throw inUse(error);
  }
  await forgetVersions(tx, organizationId, scopeIds);
}

/** The environments of a project and their services. */
async function listScopeIds(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const { id } of await listProjectEnvironments(tx, organizationId, projectId)) {
    const services = await listEnvironmentServices(tx, organizationId, id);
    ids.push(id, ...services.map((service) => service.id));
  }
  return ids;
}

function inUse(cause?: unknown): AppError {
  return new AppError(
    PROJECT_CHANGE_ERRORS.PROJECT_IN_USE,
    "Services of the project have domain certificate groups. Delete those first, and wait until they are gone.",
    { cause },
  );
}

function wouldStay({ givenId, status }: AwsAccount, left: LeftInAccount): AppError {
  return new AppError(
    CLOUD_ACCOUNT_ERRORS.RESOURCES_WOULD_STAY,
    `The cloud account ${givenId} is ${status}, so what the project has there cannot be removed: ${inWords(left)}. Fix the account's stack and delete again, or give these resources up with POST …/abandon, which returns the list.`,
    { extensions: { leftInAccount: left } },
  );
}
