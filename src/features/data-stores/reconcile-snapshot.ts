/** Takes a snapshot that a user asked for, or deletes one. The last one of a data store is taken by its removal. */
import { CloudError } from "../../cloud/cloud.ts";
import { pollRestMs } from "../../cloud/calls/poll-rest.ts";
import type { Platform } from "../../cloud/platform.ts";
import { announceChange } from "../../db/changes.ts";
import type { Reconcile, WorkDeps } from "../../jobs/jobs.ts";
import { reportDenial } from "../cloud-accounts/commands.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { recordSnapshot } from "./snapshot-commands.ts";
import { type SnapshotEnd, snapshots } from "./snapshot-store.ts";
import { dataStores } from "./store.ts";

const NOT_CONNECTED_MS = 60_000;
const NO_PLATFORM_MS = 3_600_000;

type Deps = WorkDeps & { readonly platform: Platform | null };

/** @returns a reconciler of snapshots, by their ids */
export function reconcileSnapshot({ db, platform, clock, jobs }: Deps): Reconcile {
  return async ({ organizationId, id }) => {
    const snapshot = await snapshots.find(db, organizationId, id);
    if (snapshot === null) return "done";
    const { status, reason, awsAccountId, serviceId, environmentId, region, createdAt } = snapshot;
    if (status !== "DELETING" && (status !== "CREATING" || reason === "final")) return "done";
    if (platform === null) return { runAfterMs: NO_PLATFORM_MS };
    const account = await getConnectedAccount(db, organizationId, awsAccountId, id);
    if (account === null) return { runAfterMs: NOT_CONNECTED_MS };
    const place = { serviceId, environmentId, region };
    const refusalOf = async (error: unknown) => {
      if (!(error instanceof CloudError) || error.kind === "retryable") throw error;
      await reportDenial({ db, jobs }, error, organizationId, awsAccountId);
      return { code: error.code, message: error.message };
    };
    if (status === "DELETING") {
      try {
        await platform.stores.snapshots.remove(account, place, id);
      } catch (error) {
        const failure = await refusalOf(error);
        await db.transaction(async (tx) => {
          if (await snapshots.recordRefused(tx, snapshot, failure)) announceChange(tx, id);
        });
        throw error;
      }
      await db.transaction(async (tx) => {
        await snapshots.delete(tx, snapshot);
        announceChange(tx, id);
        announceChange(tx, serviceId);
      });
      return "done";
    }
    const store = await dataStores.find(db, organizationId, serviceId);
    const restMs = pollRestMs(createdAt, clock.now());
    if (store?.status === "CREATING") return { runAfterMs: restMs };
    const take = async (): Promise<SnapshotEnd> => {
      if (store?.status === "FAILED") return failed(noData(store.failure?.message));
      try {
        return await platform.stores.snapshots.create(account, place, id);
      } catch (error) {
        return failed(await refusalOf(error));
      }
    };
    const observed = await take();
    await db.transaction((tx) => recordSnapshot(tx, snapshot, observed, store?.version ?? null));
    return observed.status === "CREATING" ? { runAfterMs: restMs } : "done";
  };
}

function failed(failure: SnapshotEnd["failure"]): SnapshotEnd {
  return { status: "FAILED", failure, sizeBytes: null };
}

function noData(why = "") {
  const message = `The data store could not be created, so it has no data. ${why}`.trim();
  return { code: "DATA_STORE_FAILED", message };
}
