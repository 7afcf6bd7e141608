import type { Actor } from "../actor.ts";
import { hasDomainGroups } from "../custom-domains/commands.ts";
import { announceChange } from "../db/changes.ts";
import { isForeignKeyViolation, type Transaction } from "../db/database.ts";
import { requestEnvironmentRemoval, requestServiceRemoval } from "../deployments/removals.ts";
import { releaseDistributions } from "../distributions/commands.ts";
import { AppError, notFound } from "../errors.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { recordAudit } from "../organizations/audit.ts";
import { removeProjectVariables } from "../variables/commands.ts";
import { listEnvironmentServices, listProjectEnvironments } from "./commands.ts";
import type { Project } from "./project.ts";
import { projects } from "./store.ts";

/**
 * Deletes a project with its environments, services and deployments; what it has in the cloud is removed
 * in the background.
 * @throws AppError `NOT_FOUND`, `PROJECT_IN_USE`
 */
export async function deleteProject(tx: Transaction, jobs: Jobs, actor: Actor, id: string): Promise<void> {
  const { organizationId } = actor;
  const project = await projects.lock(tx, organizationId, id);
  if (project === null) throw notFound();
  if (await hasDomainGroups(tx, organizationId, id)) throw inUse();
  await releaseDistributions(tx, jobs, organizationId, id);
  await removeParts(tx, jobs, project);
  try {
    await projects.delete(tx, organizationId, id);
  } catch (error) {
    // A group that was created since the look above.
    if (!isForeignKeyViolation(error)) throw error;
    throw inUse(error);
  }
  // After the rows are gone: from then on no value can be accepted.
  await removeProjectVariables(tx, jobs, organizationId, id);
  announceChange(tx, id);
  recordAudit(tx, actor, "project.deleted", id);
}

/** Its environments and services go with its row; what the platform has of them, in the background. */
async function removeParts(tx: Transaction, jobs: Jobs, project: Project): Promise<void> {
  const { organizationId, awsAccountId } = project;
  for (const { id, region } of await listProjectEnvironments(tx, organizationId, project.id)) {
    const going = await listEnvironmentServices(tx, organizationId, id);
    const place = { organizationId, environmentId: id, awsAccountId, region };
    const removals = going.map((service) => ({ ...place, serviceId: service.id }));
    await requestServiceRemoval(tx, jobs, removals);
    await requestEnvironmentRemoval(tx, jobs, place);
    for (const part of [id, ...going.map((service) => service.id)]) announceChange(tx, part);
  }
}

function inUse(cause?: unknown): AppError {
  return new AppError(
    "PROJECT_IN_USE",
    "Services of the project have domain certificate groups. Delete those first, and wait until they are gone.",
    { cause },
  );
}
