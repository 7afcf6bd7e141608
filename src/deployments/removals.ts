/** Has what is on the platform removed, in the background; the rows of what had it there may go at once. */
import type { Transaction } from "../db/database.ts";
import type { Jobs } from "../jobs/jobs.ts";
import {
  type EnvironmentRemoval,
  environmentRemovals,
  type ServiceRemoval,
  serviceRemovals,
} from "./store.ts";

export async function requestServiceRemoval(
  tx: Transaction,
  jobs: Jobs,
  removals: readonly ServiceRemoval[],
): Promise<void> {
  for (const removal of removals) {
    await serviceRemovals.insert(tx, removal);
    const { organizationId, serviceId: id } = removal;
    await jobs.poke(tx, "service-removal", { organizationId, id });
  }
}

/** What the services of an environment share is removed after all of them. */
export async function requestEnvironmentRemoval(
  tx: Transaction,
  jobs: Jobs,
  removal: EnvironmentRemoval,
): Promise<void> {
  await environmentRemovals.insert(tx, removal);
  const { organizationId, environmentId: id } = removal;
  await jobs.poke(tx, "environment-removal", { organizationId, id });
}
