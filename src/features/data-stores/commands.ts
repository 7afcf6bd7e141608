import type { Transaction } from "../../db/database.ts";
import { type Jobs, RANK } from "../../jobs/jobs.ts";
import { AppError } from "../../lib/errors.ts";
import { createdStoreOf, snapshotIdOf } from "../projects/existing-values.ts";
import type { Environment, Project, Service } from "../projects/project.ts";
import { DATA_STORE_ERRORS } from "./errors.ts";
import { snapshots } from "./snapshot-store.ts";
import { dataStores } from "./store.ts";

/**
 * Has the platform create or change what Slipway creates of some services. Others are left as they are.
 * @throws AppError `SNAPSHOT_NOT_AVAILABLE` if a snapshot was deleted since the plan was made
 */
export async function requestDataStores(
  tx: Transaction,
  jobs: Jobs,
  { id: projectId, awsAccountId }: Project,
  { organizationId, id: environmentId, region }: Environment,
  services: readonly Service[],
): Promise<void> {
  for (const service of services) {
    const store = createdStoreOf(service);
    if (store === null) continue;
    const { id: serviceId } = service;
    const place = { organizationId, serviceId, projectId, environmentId, awsAccountId, region };
    const before = await dataStores.lock(tx, organizationId, serviceId);
    const isCreated = before === null || before.status === "FAILED";
    const snapshotId = isCreated ? snapshotIdOf(service) : null;
    if (snapshotId !== null) await holdSnapshot(tx, organizationId, snapshotId);
    await dataStores.request(tx, { ...place, type: store.type, snapshotId });
    await jobs.enqueue(tx, "data-store", { organizationId, id: serviceId });
    await enqueueChecks(tx, jobs, place);
  }
}

/** Has the data stores of an account be checked from now on. */
export async function enqueueChecks(
  tx: Transaction,
  jobs: Jobs,
  { organizationId, awsAccountId }: Pick<Project, "organizationId" | "awsAccountId">,
): Promise<void> {
  const checks = { organizationId, id: awsAccountId, awsAccountId };
  await jobs.enqueue(tx, "data-store-checks", checks, RANK.routine);
}

/** It cannot be deleted until the transaction ends, and then not until the data store is available. */
async function holdSnapshot(tx: Transaction, organizationId: string, id: string): Promise<void> {
  if ((await snapshots.lock(tx, organizationId, id))?.status !== "AVAILABLE")
    throw new AppError(
      DATA_STORE_ERRORS.SNAPSHOT_NOT_AVAILABLE,
      `The snapshot ${id}, from which a data store is to be created, was just deleted. Name another one, or remove the field snapshot.`,
    );
}
