import { listServiceDomains } from "../custom-domains/queries.ts";
import type { Transaction } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { requestEnvironmentRemoval, requestServiceRemoval } from "../releases/commands.ts";
import { enqueueRoutes, releaseServiceDistributions } from "../distributions/commands.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { EnvironmentPlace } from "../releases/removal.ts";
import type { Environment, Project, Service } from "../projects/project.ts";
import { forgetVersions } from "../variables/commands.ts";
import { deleteEnvironmentRow, deleteServiceRows } from "../projects/commands.ts";

/** A service that cannot be removed, with the names of its domains (none if its groups are empty). */
export type AttachedService = { readonly service: Service; readonly domains: readonly string[] };

/**
 * Removes services of an environment, and in the background what they have in the cloud; or, when one of
 * them has domain certificate groups, removes none and returns those.
 */
export async function removeServices(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  { project, environment }: { readonly project: Project; readonly environment: Environment },
  removed: readonly Service[],
): Promise<readonly AttachedService[]> {
  const { organizationId } = project;
  const ids = removed.map(({ id }) => id);
  const attached = await findAttachedServices(tx, organizationId, removed);
  if (attached.length > 0 || ids.length === 0) return attached;
  await releaseServiceDistributions(tx, jobs, organizationId, ids);
  // A group created since the check above makes this throw: the step runs again and sees it.
  await deleteServiceRows(tx, actor, ids);
  await enqueueRoutes(tx, jobs, organizationId, environment.templateId);
  await forgetVersions(tx, organizationId, ids);
  await requestServiceRemoval(tx, jobs, placeOf(project, environment), ids);
  // After the rows are deleted, because from then on no value can be accepted.
  for (const id of ids) await jobs.enqueue(tx, "variable-scope", { organizationId, id });
  return [];
}

/** Finds the services, among some, that have domain certificate groups. */
export async function findAttachedServices(
  tx: Transaction,
  organizationId: string,
  services: readonly Service[],
): Promise<readonly AttachedService[]> {
  const domains = await listServiceDomains(
    tx,
    organizationId,
    services.map(({ id }) => id),
  );
  return services.flatMap((service) => {
    const names = domains.get(service.id);
    return names === undefined ? [] : [{ service, domains: names }];
  });
}

/** As a removal of its services, or of itself, has it. Pure. */
export function placeOf(
  { organizationId, id: projectId, awsAccountId }: Project,
  { id, templateId, region }: Environment,
): EnvironmentPlace {
  return { organizationId, projectId, environmentId: id, templateId, awsAccountId, region };
}

/** Deletes an environment whose services are removed already. */
export async function deleteEnvironment(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  project: Project,
  environment: Environment,
): Promise<void> {
  const { organizationId, id } = environment;
  await requestEnvironmentRemoval(tx, jobs, placeOf(project, environment));
  await deleteEnvironmentRow(tx, actor, environment);
  await forgetVersions(tx, organizationId, [id]);
  await jobs.enqueue(tx, "variable-scope", { organizationId, id });
}
