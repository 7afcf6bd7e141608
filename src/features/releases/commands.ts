/** Removes releases from the platform, in the background. The rows of their owners may be deleted at once. */
import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { EnvironmentPlace, RemovedService } from "./removal.ts";
import { environmentRemovals, removals, serviceRemovals } from "./store.ts";

/** For services of one environment. Call it while their deployments exist, which show what the platform may have. */
export async function requestServiceRemoval(
  tx: Transaction,
  jobs: Jobs,
  place: EnvironmentPlace,
  services: readonly RemovedService[],
): Promise<void> {
  const { organizationId } = place;
  for (const id of await serviceRemovals.insert(tx, place, services))
    await jobs.enqueue(tx, "service-removal", { organizationId, id });
}

/**
 * Removes what the services of an environment share, after all of them. The previews of a template share its network,
 * which is removed after the last of them and the template.
 */
export async function requestEnvironmentRemoval(
  tx: Transaction,
  jobs: Jobs,
  place: EnvironmentPlace,
): Promise<void> {
  const { organizationId, environmentId: id, templateId } = place;
  const isRemoved = await environmentRemovals.insert(tx, place);
  if (isRemoved && templateId !== null) {
    await environmentRemovals.insertNetwork(tx, place, templateId);
    await jobs.enqueue(tx, "environment-removal", { organizationId, id: templateId });
  }
  // The network of a template waits for the deletion of the template.
  if (isRemoved || (await environmentRemovals.find(tx, organizationId, id)) !== null)
    await jobs.enqueue(tx, "environment-removal", { organizationId, id });
}

export const { forgetOfProject: forgetRemovalsOfProject } = removals;
