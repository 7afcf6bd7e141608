import { listServiceDomains } from "../custom-domains/queries.ts";
import type { Transaction } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { requestFinalSnapshots } from "../data-stores/snapshot-commands.ts";
import { requestEnvironmentRemoval, requestServiceRemoval } from "../releases/commands.ts";
import { enqueueRoutes, releaseServiceDistributions } from "../distributions/commands.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { EnvironmentPlace } from "../releases/removal.ts";
import type { Environment, Project, Service } from "../projects/project.ts";
import { forgetVersions } from "../variables/commands.ts";
import { type LinkTo, listLinksTo } from "../variables/queries.ts";
import { deleteEnvironmentRow, deleteServiceRows, lockService } from "../projects/commands.ts";

/** A service that cannot be removed. */
export type KeptService = {
  readonly service: Service;
  /** The names of its domains, none if its groups are empty; null without groups. */
  readonly domains: readonly string[] | null;
  /** The variables that link to it and stay, in words. */
  readonly links: readonly string[];
};

/**
 * Removes services of an environment, and in the background what they have in the cloud; or, when one of
 * them has domain certificate groups or variables link to it, removes none and returns those.
 * @param place with `isRemoved` if the environment is removed with them
 */
export async function removeServices(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  place: { readonly project: Project; readonly environment: Environment; readonly isRemoved?: boolean },
  removed: readonly Service[],
): Promise<readonly KeptService[]> {
  if (removed.length === 0) return [];
  const { project, environment, isRemoved = false } = place;
  const { organizationId } = project;
  const ids = removed.map(({ id }) => id);
  // A variable that is being set now links to a service before this, or finds none.
  for (const id of ids.toSorted()) await lockService(tx, organizationId, id);
  const kept = await findKeptServices(tx, organizationId, removed, isRemoved ? environment.id : null);
  if (kept.length > 0) return kept;
  await releaseServiceDistributions(tx, jobs, organizationId, ids);
  // A group created since the check above makes this throw: the step runs again and sees it.
  await deleteServiceRows(tx, actor, ids);
  await enqueueRoutes(tx, jobs, organizationId, environment.templateId);
  await forgetVersions(tx, organizationId, ids);
  await requestFinalSnapshots(tx, project, environment, removed);
  await requestServiceRemoval(tx, jobs, placeOf(project, environment), removed);
  // After the rows are deleted, because from then on no value can be accepted.
  for (const id of ids) await jobs.enqueue(tx, "variable-scope", { organizationId, id });
  return [];
}

/**
 * Finds the services, among some, that have domain certificate groups or that other variables link to.
 * @param environmentId of an environment that is removed with them
 */
export async function findKeptServices(
  tx: Transaction,
  organizationId: string,
  services: readonly Service[],
  environmentId: string | null,
): Promise<readonly KeptService[]> {
  if (services.length === 0) return [];
  const ids = services.map(({ id }) => id);
  const domains = await listServiceDomains(tx, organizationId, ids);
  const links = await listLinksTo(tx, organizationId, ids, [
    ...ids,
    ...(environmentId === null ? [] : [environmentId]),
  ]);
  return services.flatMap((service) => {
    const names = domains.get(service.id) ?? null;
    const ofService = links.filter(({ linkedServiceId }) => linkedServiceId === service.id);
    if (names === null && ofService.length === 0) return [];
    return [{ service, domains: names, links: ofService.map(describeLink) }];
  });
}

/** A variable by the service that has it, or its environment. Pure. */
export function describeLink({ name, serviceConfigId }: Pick<LinkTo, "name" | "serviceConfigId">): string {
  return `${name} of ${serviceConfigId ?? "the environment"}`;
}

/** As a removal of its services, or of itself, has it. Pure. */
export function placeOf(
  { organizationId, id: projectId, awsAccountId }: Project,
  { id, configId: environmentConfigId, templateId, region }: Environment,
): EnvironmentPlace {
  const place = { organizationId, projectId, environmentId: id, environmentConfigId };
  return { ...place, templateId, awsAccountId, region };
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
  // Its previews end.
  if (environment.template !== null) await jobs.enqueue(tx, "previews", { organizationId, id: project.id });
}
