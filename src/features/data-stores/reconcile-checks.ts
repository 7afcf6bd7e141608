/** Checks whether the data stores of an account still run. A data store gets work of its own only if that changed. */
import { CloudError } from "../../cloud/cloud.ts";
import type { Platform } from "../../cloud/platform.ts";
import type { Database } from "../../db/database.ts";
import type { Jobs, Reconcile } from "../../jobs/jobs.ts";
import { reportDenial } from "../cloud-accounts/commands.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { isDown } from "./data-stores.ts";
import { dataStores } from "./store.ts";

const CHECK_MS = 120_000;
const NO_PLATFORM_MS = 3_600_000;

type Deps = { readonly db: Database; readonly platform: Platform | null; readonly jobs: Jobs };

/** @returns a reconciler of the data stores of a cloud account connection, by its id */
export function reconcileStoreChecks({ db, platform, jobs }: Deps): Reconcile {
  return async ({ organizationId, id }) => {
    const made = await dataStores.listMade(db, organizationId, id);
    // The next data store that becomes available makes this due again.
    if (made.length === 0) return "done";
    if (platform === null) return { runAfterMs: NO_PLATFORM_MS };
    const account = await getConnectedAccount(db, organizationId, id, id);
    if (account === null) return { runAfterMs: CHECK_MS };
    const down = await platform.stores.listDown(account, made).catch(async (error: unknown) => {
      if (!(error instanceof CloudError) || error.kind === "retryable") throw error;
      await reportDenial({ db, jobs }, error, organizationId, id);
      return null;
    });
    const changed = down === null ? [] : made.filter((one) => isDown(one) !== down.has(one.serviceId));
    if (changed.length > 0)
      await db.transaction(async (tx) => {
        for (const { serviceId } of changed)
          await jobs.enqueue(tx, "data-store", { organizationId, id: serviceId, awsAccountId: id });
      });
    return { runAfterMs: CHECK_MS };
  };
}
