/** Removes deleted services and environments from the platform. */
import { stragglesUntilMs } from "../../cloud/calls/stragglers.ts";
import { CloudError } from "../../cloud/cloud.ts";
import type { Platform } from "../../cloud/platform.ts";
import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Jobs, Reconcile } from "../../jobs/jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { emit } from "../events/emit.ts";
import { codedErrorOf } from "../events/error-views.ts";
import { suspectAwsAccount } from "../cloud-accounts/commands.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { NOT_TAKEN } from "../data-stores/errors.ts";
import { findFinalSnapshot } from "../data-stores/queries.ts";
import { DATA_STORE_EVENTS } from "../data-stores/events.ts";
import { recordSnapshot, recordSnapshotRefused } from "../data-stores/snapshot-commands.ts";
import type { RemovalFailure } from "./removal.ts";
import { environmentRemovals, type ServiceRemoval, serviceRemovals } from "./store.ts";

const NOT_CONNECTED_MS = 60_000;
const NO_PLATFORM_MS = 3_600_000;
/** The last snapshot of a data store takes a while. */
const STORE_MS = 5_000;
/** Removing services takes at least a minute, so earlier calls have arrived by then. */
const SERVICES_MS = 15_000;

type Deps = { readonly db: Database; readonly platform: Platform | null; readonly jobs: Jobs };

/**
 * Removes deleted services from the platform. A call from before the deletion may still arrive, so the removal is
 * repeated once no call can arrive any longer.
 */
export function reconcileServiceRemoval({
  db,
  platform,
  clock,
  jobs,
}: Deps & { readonly clock: Clock }): Reconcile {
  return async ({ organizationId, id }) => {
    const removal = await serviceRemovals.find(db, organizationId, id);
    if (removal === null) return "done";
    if (platform === null) return { runAfterMs: NO_PLATFORM_MS };
    const account = await getConnectedAccount(db, organizationId, removal.awsAccountId, id);
    if (account === null) return { runAfterMs: NOT_CONNECTED_MS };
    const { environmentId, region, requestedAt, settledAt, storeType } = removal;
    const leftMs = (settledAt?.getTime() ?? stragglesUntilMs(requestedAt)) - clock.now().getTime();
    const last = storeType === null ? null : await findFinalSnapshot(db, organizationId, id);
    let failure: RemovalFailure | null = null;
    const remove = async (): Promise<boolean> => {
      if (storeType === null || environmentId === null) {
        await platform.services.remove(account, { serviceId: id, region });
        return true;
      }
      const place = { serviceId: id, environmentId, region };
      const left = await platform.stores.remove(account, place, last?.id ?? null);
      failure = left?.failure ?? null;
      if (failure !== null) throw new CloudError("invalid", "UNKNOWN", "stores.remove", failure.message);
      if (left !== null || last?.status !== "CREATING") return left === null;
      const taken = await platform.stores.snapshots.describe(account, place, last.id);
      const observed = taken ?? { status: "FAILED", failure: NOT_TAKEN, sizeBytes: null };
      await db.transaction((tx) => recordSnapshot(tx, last, observed, null));
      return observed.status !== "CREATING";
    };
    const isRemoved = await remove().catch(
      refused({ db, jobs }, removal, async (tx, { kind, code, message }) => {
        const error = { kind, code, message, ...failure };
        const isNew = await serviceRemovals.recordRefused(tx, organizationId, id, error);
        if (last !== null) await recordSnapshotRefused(tx, last, { code: error.code, message });
        // What the provider says may differ each time.
        if (isNew && removal.lastError?.code !== error.code)
          emitOfStore(tx, removal, "data_store.deletion_failed", { error: codedErrorOf(error) });
      }),
    );
    if (!isRemoved) return { runAfterMs: STORE_MS };
    if (leftMs > 0) {
      if (removal.lastError !== null) await serviceRemovals.recordRefused(db, organizationId, id, null);
      return { runAfterMs: leftMs };
    }
    await db.transaction(async (tx) => {
      if (!(await serviceRemovals.delete(tx, organizationId, id))) return;
      emitOfStore(tx, removal, "data_store.deleted", {});
      if (
        environmentId === null ||
        (await environmentRemovals.find(tx, organizationId, environmentId)) === null
      )
        return;
      // It waits for the last of its services.
      await jobs.enqueue(tx, "environment-removal", { organizationId, id: environmentId });
    });
    return "done";
  };
}

/** Only for a data store. */
function emitOfStore(
  tx: Transaction,
  { organizationId, projectId, environmentId, serviceId, configId, storeType: type }: ServiceRemoval,
  event: "data_store.deleted" | "data_store.deletion_failed",
  more: { readonly error?: ReturnType<typeof codedErrorOf> },
): void {
  if (type === null || configId === null || projectId === null || environmentId === null) return;
  const place = { subjectId: serviceId, projectId, environmentId, serviceId };
  const data = { service: configId, type, ...more };
  emit(tx, slipwayOf(organizationId), [{ type: DATA_STORE_EVENTS[event], ...place, data }]);
  announceChange(tx, projectId);
}

/** Removes the shared resources of a deleted environment's services from the platform, after the services. */
export function reconcileEnvironmentRemoval({ db, platform, jobs }: Deps): Reconcile {
  return async ({ organizationId, id }) => {
    const removal = await environmentRemovals.find(db, organizationId, id);
    if (removal === null) return "done";
    if (platform === null) return { runAfterMs: NO_PLATFORM_MS };
    if (await serviceRemovals.hasOfEnvironment(db, organizationId, id)) return { runAfterMs: SERVICES_MS };
    const { isKept, isUsed } = await environmentRemovals.findUse(db, organizationId, id);
    // The deletion of the template makes this due again.
    if (isKept) return "done";
    if (isUsed) return { runAfterMs: SERVICES_MS };
    const account = await getConnectedAccount(db, organizationId, removal.awsAccountId, id);
    if (account === null) return { runAfterMs: NOT_CONNECTED_MS };
    await platform.environments
      .remove(account, { environmentId: id, region: removal.region })
      .catch(
        refused({ db, jobs }, removal, (tx, error) =>
          environmentRemovals.recordRefused(tx, organizationId, id, error),
        ),
      );
    await db.transaction(async (tx) => {
      await environmentRemovals.delete(tx, organizationId, id);
      // A preview waits for the removal of its environment.
      await jobs.enqueue(tx, "preview-removal", { organizationId, id });
    });
    return "done";
  };
}

/** Records a lasting refusal, which previews report. The step is retried nevertheless. */
function refused(
  { db, jobs }: Pick<Deps, "db" | "jobs">,
  { organizationId, awsAccountId, environmentId }: RefusedRemoval,
  record: (tx: Transaction, error: CloudError) => Promise<void>,
): (error: unknown) => Promise<never> {
  return async (error) => {
    if (error instanceof CloudError && error.kind !== "retryable")
      await db.transaction(async (tx) => {
        if (error.kind === "denied") await suspectAwsAccount(tx, jobs, organizationId, awsAccountId);
        await record(tx, error);
        if (environmentId !== null)
          await jobs.enqueue(tx, "preview-removal", { organizationId, id: environmentId });
      });
    throw error;
  };
}

type RefusedRemoval = {
  readonly organizationId: string;
  readonly awsAccountId: string;
  readonly environmentId: string | null;
};
