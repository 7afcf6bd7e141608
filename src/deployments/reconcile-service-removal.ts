import type { Clock } from "../clock.ts";
import { getConnectedAccount } from "../cloud-accounts/commands.ts";
import type { Platform } from "../cloud/platform.ts";
import type { Database } from "../db/database.ts";
import type { Reconcile } from "../jobs/jobs.ts";
import { serviceRemovals } from "./store.ts";

const NOT_CONNECTED_MS = 60_000;
const NO_PLATFORM_MS = 3_600_000;
/**
 * A call for the service that was under way when it was removed may still arrive (a worker that stood still
 * is replaced after 10 s). So it is removed once more after this.
 */
const SETTLED_MS = 60_000;

/** Removes from the platform what services that are gone had there. */
export function reconcileServiceRemoval(deps: {
  readonly db: Database;
  readonly platform: Platform | null;
  readonly clock: Clock;
}): Reconcile {
  const { db, platform, clock } = deps;
  return async ({ organizationId, id }) => {
    const removal = await serviceRemovals.find(db, organizationId, id);
    if (removal === null) return "done";
    if (platform === null) return { runAfterMs: NO_PLATFORM_MS };
    const account = await getConnectedAccount(db, organizationId, removal.awsAccountId);
    if (account === null) return { runAfterMs: NOT_CONNECTED_MS };
    const age = clock.now().getTime() - removal.requestedAt.getTime();
    await platform.services.remove(account, { serviceId: id, region: removal.region });
    if (age < SETTLED_MS) return { runAfterMs: SETTLED_MS - age };
    await serviceRemovals.delete(db, organizationId, id);
    return "done";
  };
}
