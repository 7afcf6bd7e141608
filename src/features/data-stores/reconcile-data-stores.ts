/** Has the platform create a data store, or change it in place, and records what it says. */
import { type CloudAccount, CloudError } from "../../cloud/cloud.ts";
import { pollRestMs } from "../../cloud/calls/poll-rest.ts";
import type { ObservedStore, Platform, StoreRequest } from "../../cloud/platform.ts";
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import type { Jobs, Reconcile, WorkDeps } from "../../jobs/jobs.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { reportDenial } from "../cloud-accounts/commands.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { emit } from "../events/emit.ts";
import { codedErrorOf } from "../events/error-views.ts";
import { platformServiceOf } from "../projects/platform-service.ts";
import { createdStoreOf } from "../projects/existing-values.ts";
import { isStore, type Service } from "../projects/project.ts";
import { findService, getEnvironment } from "../projects/queries.ts";
import { enqueueChecks } from "./commands.ts";
import { type CreatedStore, isDown, isUsable } from "./data-stores.ts";
import { DATA_STORE_EVENTS } from "./events.ts";
import { snapshots } from "./snapshot-store.ts";
import { dataStores } from "./store.ts";

const NOT_CONNECTED_MS = 60_000;
const NO_PLATFORM_MS = 3_600_000;
/** What failed may work after an operator or the provider has changed something. */
const FAILED_MS = 60_000;

type Deps = WorkDeps & { readonly platform: Platform | null };

/** @returns a reconciler of data stores, by the ids of their services */
export function reconcileDataStore({ db, platform, clock, jobs }: Deps): Reconcile {
  return async ({ organizationId, id }) => {
    const before = await dataStores.find(db, organizationId, id);
    const service = await findService(db, organizationId, id);
    const store = service === null ? null : createdStoreOf(service);
    if (before === null || service === null || store === null) return "done";
    if (platform === null) return { runAfterMs: NO_PLATFORM_MS };
    const { awsAccountId, snapshotId } = before;
    const account = await getConnectedAccount(db, organizationId, awsAccountId, id);
    if (account === null) return { runAfterMs: NOT_CONNECTED_MS };
    // It stays until the data store is available.
    const source = snapshotId === null ? null : await snapshots.find(db, organizationId, snapshotId);
    const snapshot = source && { serviceId: source.serviceId, token: source.id };
    const environment = await getEnvironment(db, organizationId, service.environmentId);
    const of = { service: platformServiceOf(environment, { serviceId: id }), store, snapshot };
    const observed = await observe({ db, jobs, platform }, account, of, before);
    await db.transaction((tx) => record(tx, jobs, service, before, observed));
    // A stopped data store is checked with the others of its account.
    if (observed.status === "AVAILABLE" || isDown(observed)) return "done";
    if (observed.status === "FAILED") return { runAfterMs: FAILED_MS };
    return { runAfterMs: pollRestMs(before.createdAt, clock.now()) };
  };
}

/**
 * Asks for the store. What came of the last try is read before: the platform tries again when it is asked again, and
 * until that has worked, the last failure stays. A lasting refusal is a failure like any other. A store that works
 * keeps working.
 */
async function observe(
  deps: Pick<Deps, "db" | "jobs"> & { readonly platform: Platform },
  account: CloudAccount,
  request: StoreRequest,
  before: CreatedStore,
): Promise<ObservedStore> {
  const { stores } = deps.platform;
  const { organizationId, awsAccountId, status, failure: lastFailure, version, values, isAsked } = before;
  const isThere = isUsable(before);
  try {
    const last = isAsked && !isThere ? await stores.describe(account, request.service) : null;
    if (last?.status === "FAILED" && status === "CREATING") return last;
    const next = await stores.ensure(account, request);
    const isRetried = status === "FAILED" && next.status === "CREATING";
    return isRetried ? { ...next, status, failure: last?.failure ?? lastFailure } : next;
  } catch (error) {
    if (!(error instanceof CloudError) || error.kind === "retryable") throw error;
    await reportDenial(deps, error, organizationId, awsAccountId);
    const failure = { code: error.code, message: error.message };
    return { status: isThere ? "AVAILABLE" : "FAILED", failure, waitingFor: null, version, values };
  }
}

async function record(
  tx: Transaction,
  jobs: Jobs,
  service: Service,
  before: CreatedStore,
  now: ObservedStore,
): Promise<void> {
  const isNews = before.status !== now.status || isDown(before) !== isDown(now);
  if (!(await dataStores.record(tx, before, now)) || !isNews) return;
  if (isUsable(now) && !isUsable(before)) await enqueueChecks(tx, jobs, before);
  const { id: serviceId, organizationId, projectId, environmentId, configId, type } = service;
  announceChange(tx, serviceId);
  if (!isStore(type)) return;
  const place = { subjectId: serviceId, projectId, environmentId, serviceId };
  const data = { service: configId, type };
  const slipway = slipwayOf(organizationId);
  if (now.status === "AVAILABLE" && before.status !== "CHANGING")
    emit(tx, slipway, { type: DATA_STORE_EVENTS["data_store.created"], ...place, data });
  if (isDown(now) && now.failure !== null && !isDown(before))
    emit(tx, slipway, {
      type: DATA_STORE_EVENTS["data_store.stopped"],
      ...place,
      data: { ...data, error: codedErrorOf(now.failure) },
    });
  if (isDown(before) && isUsable(now) && !isDown(now))
    emit(tx, slipway, { type: DATA_STORE_EVENTS["data_store.recovered"], ...place, data });
  if (now.status === "FAILED" && now.failure !== null)
    emit(tx, slipway, {
      type: DATA_STORE_EVENTS["data_store.failed"],
      ...place,
      data: { ...data, error: codedErrorOf(now.failure) },
    });
}
