import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { createdStoreOf } from "../projects/existing-values.ts";
import type { Environment, Project, Service } from "../projects/project.ts";
import { dataStores } from "./store.ts";

/** Has the platform create or change what Slipway creates of some services. Others are left as they are. */
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
    await dataStores.request(tx, { ...place, type: store.type });
    await jobs.enqueue(tx, "data-store", { organizationId, id: serviceId });
  }
}
