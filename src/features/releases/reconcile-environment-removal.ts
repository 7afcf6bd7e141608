import { getConnectedAccount } from "../cloud-accounts/commands.ts";
import type { Platform } from "../../cloud/platform.ts";
import type { Database } from "../../db/database.ts";
import type { Reconcile } from "../../jobs/jobs.ts";
import { environmentRemovals, serviceRemovals } from "./store.ts";

const NOT_CONNECTED_MS = 60_000;
const NO_PLATFORM_MS = 3_600_000;
/** Removing services takes at least a minute, so earlier calls have arrived by then. */
const SERVICES_MS = 15_000;

/** Removes the shared resources of a deleted environment's services from the platform, after the services. */
export function reconcileEnvironmentRemoval(deps: {
  readonly db: Database;
  readonly platform: Platform | null;
}): Reconcile {
  const { db, platform } = deps;
  return async ({ organizationId, id }) => {
    const removal = await environmentRemovals.find(db, organizationId, id);
    if (removal === null) return "done";
    if (platform === null) return { runAfterMs: NO_PLATFORM_MS };
    if (await serviceRemovals.hasOfEnvironment(db, organizationId, id)) return { runAfterMs: SERVICES_MS };
    const account = await getConnectedAccount(db, organizationId, removal.awsAccountId, id);
    if (account === null) return { runAfterMs: NOT_CONNECTED_MS };
    await platform.environments.remove(account, { environmentId: id, region: removal.region });
    await environmentRemovals.delete(db, organizationId, id);
    return "done";
  };
}
