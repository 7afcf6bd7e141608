/** Has what is on the platform removed, in the background; the rows of what had it there may go at once. */
import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { EnvironmentPlace } from "./removal.ts";
import { environmentRemovals, removals, serviceRemovals } from "./store.ts";

/** Of services of one environment, while its deployments are there, which say what the platform may know. */
export async function requestServiceRemoval(
  tx: Transaction,
  jobs: Jobs,
  place: EnvironmentPlace,
  serviceIds: readonly string[],
): Promise<void> {
  const { organizationId } = place;
  for (const id of await serviceRemovals.insert(tx, place, serviceIds))
    await jobs.poke(tx, "service-removal", { organizationId, id });
}

/** What the services of an environment share is removed after all of them. */
export async function requestEnvironmentRemoval(
  tx: Transaction,
  jobs: Jobs,
  place: EnvironmentPlace,
): Promise<void> {
  const { organizationId, environmentId: id } = place;
  if (await environmentRemovals.insert(tx, place))
    await jobs.poke(tx, "environment-removal", { organizationId, id });
}

/** Gives up what cannot be removed from the platform. */
export async function forgetRemovalsOfProject(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<void> {
  await removals.forgetOfProject(tx, organizationId, projectId);
}
