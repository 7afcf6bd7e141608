import { announceChange } from "../../db/changes.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { recordAudit, slipwayOf } from "../audit/record-audit.ts";
import { requireConnected } from "../cloud-accounts/aws-account.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import { emit } from "../events/emit.ts";
import { codedErrorOf } from "../events/error-views.ts";
import { lockActiveProject } from "../projects/commands.ts";
import { createdStoreOf } from "../projects/existing-values.ts";
import type { Environment, Project, Service } from "../projects/project.ts";
import { getEnvironment, getService } from "../projects/queries.ts";
import { isUsable } from "./data-stores.ts";
import { ABANDONED, DATA_STORE_ERRORS } from "./errors.ts";
import { DATA_STORE_EVENTS } from "./events.ts";
import { getSnapshot } from "./queries.ts";
import { type SnapshotEnd, snapshots } from "./snapshot-store.ts";
import { hasSnapshots, SNAPSHOTS_MAX, type Snapshot, type SnapshotType } from "./snapshot.ts";
import { dataStores } from "./store.ts";

/**
 * Takes a snapshot in the background; of a data store that is being created, when it is available.
 * @throws AppError `NOT_FOUND`, `PROJECT_DELETING`, `SERVICE_HAS_NO_SNAPSHOTS`, `TOO_MANY_SNAPSHOTS`,
 * `AWS_ACCOUNT_NOT_CONNECTED`
 */
export async function takeSnapshot(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  serviceId: string,
): Promise<Snapshot> {
  const { organizationId } = actor;
  const { projectId } = await getService(tx, organizationId, serviceId);
  const { awsAccountId } = await lockActiveProject(tx, organizationId, projectId);
  const service = await getService(tx, organizationId, serviceId);
  const store = createdStoreOf(service);
  if (store === null || !hasSnapshots(store.type))
    throw new AppError(
      DATA_STORE_ERRORS.SERVICE_HAS_NO_SNAPSHOTS,
      store === null
        ? `${service.name} is not a data store that Slipway created.`
        : `${service.name} is a bucket, and buckets have no snapshots.`,
    );
  const environment = await getEnvironment(tx, organizationId, service.environmentId);
  if (environment.templateId !== null)
    throw new AppError(
      DATA_STORE_ERRORS.SERVICE_HAS_NO_SNAPSHOTS,
      `${service.name} is the data store of a preview, whose data is deleted with it.`,
    );
  const oldest = await snapshots.findLimiting(tx, organizationId, serviceId, SNAPSHOTS_MAX);
  if (oldest !== null)
    throw new AppError(
      DATA_STORE_ERRORS.TOO_MANY_SNAPSHOTS,
      `${service.name} has ${SNAPSHOTS_MAX} snapshots, which is the most. Delete one of them, such as ${oldest.id} of ${oldest.createdAt.toISOString()}, and try again.`,
    );
  requireConnected(await getAwsAccount(tx, organizationId, awsAccountId));
  const snapshot = await snapshots.insert(tx, {
    ...placeOf({ awsAccountId }, environment, service),
    type: store.type,
    version: null,
    reason: "manual",
    requestedBy: actor.userId,
  });
  const { id } = snapshot;
  recordAudit(tx, actor, "service.snapshot-requested", serviceId, { after: { snapshotId: id } });
  announceChange(tx, serviceId);
  await jobs.enqueue(tx, "snapshot", { organizationId, id, awsAccountId });
  return snapshot;
}

/** Before the removal of services is requested, which takes the last snapshots of data stores. */
export async function requestFinalSnapshots(
  tx: Transaction,
  project: Project,
  environment: Environment,
  services: readonly Service[],
): Promise<void> {
  // A preview's data ends with it.
  if (environment.templateId !== null) return;
  const ids = services.map(({ id }) => id);
  const stores = (await dataStores.list(tx, project.organizationId, ids)).filter(isUsable);
  for (const service of services) {
    const version = stores.find(({ serviceId }) => serviceId === service.id)?.version;
    const type = createdStoreOf(service)?.type;
    if (version === undefined || type === undefined || !hasSnapshots(type)) continue;
    const place = placeOf(project, environment, service);
    await snapshots.insert(tx, { ...place, type, version, reason: "final", requestedBy: null });
  }
}

function placeOf(
  { awsAccountId }: Pick<Project, "awsAccountId">,
  { region, configId: environmentConfigId }: Environment,
  { organizationId, projectId, environmentId, id: serviceId, configId: serviceConfigId }: Service,
) {
  const place = { organizationId, awsAccountId, region, projectId, environmentId, environmentConfigId };
  return { ...place, serviceId, serviceConfigId };
}

/**
 * Deletes a snapshot with its data, in the background. A snapshot that is being deleted stays as it is.
 * @throws AppError `NOT_FOUND`, `SNAPSHOT_UNDER_WAY`, `SNAPSHOT_IN_USE`, `AWS_ACCOUNT_NOT_CONNECTED`
 */
export async function deleteSnapshot(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  id: string,
): Promise<Snapshot> {
  const { organizationId } = actor;
  await snapshots.lock(tx, organizationId, id);
  const snapshot = await getSnapshot(tx, actor, id);
  if (snapshot.status === "DELETING") return snapshot;
  if (snapshot.status === "CREATING")
    throw new AppError(
      DATA_STORE_ERRORS.SNAPSHOT_UNDER_WAY,
      "The snapshot is still being taken. Delete it when it is AVAILABLE or FAILED.",
    );
  if (await dataStores.isSource(tx, organizationId, id))
    throw new AppError(
      DATA_STORE_ERRORS.SNAPSHOT_IN_USE,
      "A data store is being created from the snapshot. Delete the snapshot when the data store is AVAILABLE.",
    );
  const { awsAccountId } = snapshot;
  requireConnected(await getAwsAccount(tx, organizationId, awsAccountId));
  const deleting = await snapshots.requestDeletion(tx, snapshot);
  recordAudit(tx, actor, "snapshot.deleted", id, { before: { service: snapshot.serviceConfigId } });
  announceChange(tx, id);
  await jobs.enqueue(tx, "snapshot", { organizationId, id, awsAccountId });
  return deleting;
}

/** Records what the platform says of a snapshot; nothing while it is being taken. @param version of its data store */
export async function recordSnapshot(
  tx: Transaction,
  snapshot: Snapshot,
  observed: SnapshotEnd,
  version: string | null,
): Promise<void> {
  if (observed.status === "CREATING" || !(await snapshots.end(tx, snapshot, observed, version))) return;
  const { organizationId, id: snapshotId, serviceId, serviceConfigId, type, reason } = snapshot;
  announceChange(tx, snapshotId);
  announceChange(tx, serviceId);
  const { projectId, environmentId } = snapshot;
  const place = { subjectId: serviceId, projectId, environmentId, serviceId };
  const data: { service: string; type: SnapshotType; snapshotId: string; reason: Snapshot["reason"] } = {
    service: serviceConfigId,
    type,
    snapshotId,
    reason,
  };
  const slipway = slipwayOf(organizationId);
  if (observed.failure === null)
    return emit(tx, slipway, { type: DATA_STORE_EVENTS["snapshot.created"], ...place, data });
  const error = codedErrorOf(observed.failure);
  emit(tx, slipway, { type: DATA_STORE_EVENTS["snapshot.failed"], ...place, data: { ...data, error } });
}

/** Records why the data store of a last snapshot cannot be deleted yet, so that the snapshot is not complete. */
export async function recordSnapshotRefused(
  tx: Transaction,
  snapshot: Snapshot,
  failure: NonNullable<Snapshot["failure"]>,
): Promise<void> {
  if (snapshot.status === "CREATING" && (await snapshots.recordRefused(tx, snapshot, failure)))
    announceChange(tx, snapshot.id);
}

/** Ends the last snapshots of an abandoned project, whose data stores are forgotten. The others stay. */
export async function abandonSnapshots(sql: Sql, organizationId: string, projectId: string): Promise<void> {
  await snapshots.endFinalOfProject(sql, organizationId, projectId, ABANDONED);
}

/** Forgets what is in an account whose connection ends. The snapshots stay there. */
export const forgetSnapshotsOfAccount = snapshots.deleteOfAccount;
export const lockSnapshot = snapshots.lock;
