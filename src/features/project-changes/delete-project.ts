import type { Actor } from "../../lib/actor.ts";
import { type AwsAccount, requireLost } from "../cloud-accounts/aws-account.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import {
  type Abandoned,
  isNothing,
  type LeftInAccount,
  wouldStay,
} from "../cloud-accounts/left-in-account.ts";
import type { Platform } from "../../cloud/platform.ts";
import { abandonGroupsOfProject, listLeftOfGroups } from "../custom-domains/remove.ts";
import { hasDomainGroups } from "../custom-domains/queries.ts";
import { announceChange } from "../../db/changes.ts";
import { isForeignKeyViolation, type Transaction, type Sql } from "../../db/database.ts";
import {
  forgetRemovalsOfProject,
  requestEnvironmentRemoval,
  requestServiceRemoval,
} from "../releases/commands.ts";
import { abandonSnapshots, requestFinalSnapshots } from "../data-stores/snapshot-commands.ts";
import { forgetDistributionsOfProject, releaseDistributions } from "../distributions/commands.ts";
import { AppError, orNotFound } from "../../lib/errors.ts";
import { PROJECT_CHANGE_ERRORS } from "./errors.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { forgetProjectValues, removeProjectVariables, forgetVersions } from "../variables/commands.ts";
import { reportEndOfPreviews } from "../previews/commands.ts";
import { getProjectDetails, listProjectParts } from "../projects/queries.ts";
import { findProtectedStores, REMOVE_PROTECTION } from "../projects/existing-values.ts";
import type { Project, ProjectDetails } from "../projects/project.ts";
import { CHANGE_PROJECT, requireMayChange } from "../project-access/may-change.ts";
import { placeOf } from "../environments/remove-services.ts";
import {
  deleteEnvironmentsOfProject,
  deleteProjectRow,
  lockProject,
  markProjectDeleting,
} from "../projects/commands.ts";
import { deleteDeploymentsOfProject } from "../deployments/commands.ts";
import { listLeftBeyondGroups } from "../account-removal/queries.ts";

type Deps = { readonly jobs: Jobs; readonly platform: Platform | null };

/**
 * Deletes a project with its environments, services and deployments. Its cloud resources are removed in the background,
 * and the project is `DELETING` until then. A project that is `DELETING` already stays as it is.
 * @returns null when it was deleted at once, because it has no cloud resources
 * @throws AppError `NOT_FOUND`, `ENVIRONMENT_PROTECTED`, `PROJECT_IN_USE`, `DATA_STORE_PROTECTED`, `RESOURCES_WOULD_STAY`
 */
export async function deleteProject(
  tx: Transaction,
  { jobs, platform }: Deps,
  actor: Actor,
  id: string,
): Promise<ProjectDetails | null> {
  const { organizationId } = actor;
  const project = orNotFound(await lockProject(tx, organizationId, id));
  await requireMayChange(tx, actor, CHANGE_PROJECT, [{ projectId: id, environmentId: null }]);
  if (project.deletionRequestedAt !== null) return await getProjectDetails(tx, organizationId, id);
  const account = await getAwsAccount(tx, organizationId, project.awsAccountId);
  const left = await listLeftOfProject(tx, platform, project, account);
  if (account.status !== "CONNECTED" && !isNothing(left)) throw wouldStay(account, left, "the project has");
  if (await hasDomainGroups(tx, organizationId, id)) throw inUse();
  const parts = await listProjectParts(tx, organizationId, id);
  const kept = findProtectedStores(parts.flatMap(({ services }) => services));
  if (kept.length > 0) throw hasProtectedStores(kept.map(({ configId }) => configId));
  await releaseDistributions(tx, jobs, organizationId, id);
  await requestRemovals(tx, jobs, project, parts);
  await deleteParts(tx, actor, id, parts);
  await removeProjectVariables(tx, jobs, organizationId, id);
  recordAudit(tx, actor, "project.deleted", id);
  if (isNothing(left)) {
    await deleteProjectRow(tx, actor, id, false);
    return null;
  }
  await reportEndOfPreviews(tx, organizationId, id);
  await jobs.enqueue(tx, "project-removal", { organizationId, id });
  return await markProjectDeleting(tx, actor, project);
}

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
): Promise<Abandoned> {
  const { organizationId } = actor;
  const project = orNotFound(await lockProject(tx, organizationId, id));
  await requireMayChange(tx, actor, CHANGE_PROJECT, [{ projectId: id, environmentId: null }]);
  const account = await getAwsAccount(tx, organizationId, project.awsAccountId);
  requireLost(account, "project");
  const left = await listLeftOfProject(tx, platform, project, account);
  await abandonGroupsOfProject(tx, actor, id);
  await forgetDistributionsOfProject(tx, organizationId, id);
  await forgetRemovalsOfProject(tx, organizationId, id);
  await abandonSnapshots(tx, organizationId, id);
  await deleteParts(tx, actor, id, await listProjectParts(tx, organizationId, id));
  await forgetProjectValues(tx, organizationId, id);
  await deleteProjectRow(tx, actor, id, true);
  recordAudit(tx, actor, "project.abandoned", id);
  return { id, left };
}

type Parts = Awaited<ReturnType<typeof listProjectParts>>;

/** Removes the platform's resources of the project's services and environments in the background. */
async function requestRemovals(tx: Transaction, jobs: Jobs, project: Project, parts: Parts): Promise<void> {
  for (const { environment, services } of parts) {
    const place = placeOf(project, environment);
    const serviceIds = services.map(({ id }) => id);
    await requestFinalSnapshots(tx, project, environment, services);
    await requestServiceRemoval(tx, jobs, place, services);
    await requestEnvironmentRemoval(tx, jobs, place);
    for (const part of [environment.id, ...serviceIds]) announceChange(tx, part);
  }
}

/** From then on, values are refused for the project, and its deployments end. @throws AppError `PROJECT_IN_USE` */
async function deleteParts(tx: Transaction, actor: Actor, id: string, parts: Parts): Promise<void> {
  await deleteDeploymentsOfProject(tx, actor, id);
  try {
    await deleteEnvironmentsOfProject(tx, actor, id);
  } catch (error) {
    // A group was created since the check.
    if (!isForeignKeyViolation(error)) throw error;
    throw inUse(error);
  }
  const scopeIds = parts.flatMap(({ environment, services }) =>
    [environment, ...services].map((one) => one.id),
  );
  await forgetVersions(tx, actor.organizationId, scopeIds);
}

function hasProtectedStores(configIds: readonly string[]): AppError {
  return new AppError(
    PROJECT_CHANGE_ERRORS.DATA_STORE_PROTECTED,
    `The project has data stores that must not be deleted: ${configIds.join(", ")}. Their removal ${REMOVE_PROTECTION}.`,
  );
}

function inUse(cause?: unknown): AppError {
  return new AppError(
    PROJECT_CHANGE_ERRORS.PROJECT_IN_USE,
    "Services of the project have domain certificate groups. Delete those first, and remove previews.domain from the configuration, which deletes the group of the previews. Wait until they are deleted.",
    { cause },
  );
}

/** All that a project has in its account, or may have. If it is being deleted, what is still there. */
async function listLeftOfProject(
  sql: Sql,
  platform: Platform | null,
  { organizationId, id: projectId }: Project,
  { connectedAwsAccountId }: AwsAccount,
): Promise<LeftInAccount> {
  return {
    connectedAwsAccountId,
    ...(await listLeftBeyondGroups(sql, platform, organizationId, { projectId })),
    ...(await listLeftOfGroups(sql, organizationId, projectId)),
  };
}
