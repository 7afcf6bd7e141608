import type { Transaction } from "../db/database.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { type ServiceRemoval, serviceRemovals } from "./store.ts";

/** Has what services may have on the platform removed, in the background; their rows may go at once. */
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
