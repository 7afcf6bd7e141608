import type { LeftBy } from "../cloud-accounts/left-in-account.ts";
import type { Origin } from "../../cloud/cloud.ts";
import { announceChange } from "../../db/changes.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import { newId } from "../../lib/ids.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Service } from "../projects/project.ts";
import type { Distribution } from "./distribution.ts";
import { distributions } from "./store.ts";

/** Orders a distribution for a service, its default one or a separate one; returns its id. */
export async function createDistribution(
  tx: Transaction,
  jobs: Jobs,
  service: Pick<Service, "organizationId" | "id">,
  wanted: { awsAccountId: string; origin: Origin; isDefault: boolean },
): Promise<string> {
  const { organizationId } = service;
  const id = newId("cdn");
  distributions.insert(tx, { organizationId, id, serviceId: service.id, ...wanted });
  await jobs.enqueue(tx, "distribution", { organizationId, id, awsAccountId: wanted.awsAccountId });
  return id;
}

/** The distribution that was created with the service. */
export async function createDefaultDistribution(
  tx: Transaction,
  jobs: Jobs,
  service: Pick<Service, "organizationId" | "id">,
  wanted: { awsAccountId: string; origin: Origin },
): Promise<void> {
  await createDistribution(tx, jobs, service, { ...wanted, isDefault: true });
}

/** Changes the origin of a service's distributions, if it differs. */
export async function moveOrigin(
  tx: Transaction,
  jobs: Jobs,
  { organizationId, id: serviceId }: Pick<Service, "organizationId" | "id">,
  origin: Origin,
): Promise<void> {
  for (const { id } of await distributions.moveOrigin(tx, organizationId, serviceId, origin))
    await jobs.enqueue(tx, "distribution", { organizationId, id });
}

/** Null when it was removed already. */
export async function findDistribution(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<Distribution | null> {
  return await distributions.find(sql, organizationId, id);
}

/** The distributions with these ids, without removed ones. */
export async function findDistributions(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<readonly Distribution[]> {
  return await distributions.list(sql, organizationId, ids);
}

/** How many distributions Slipway has in an account, including distributions that it is removing. */
export async function countDistributions(
  sql: Sql,
  organizationId: string,
  awsAccountId: string,
): Promise<number> {
  return await distributions.countOfAccount(sql, organizationId, awsAccountId);
}

/** The default distribution of a service; null for a service without HTTP. */
export async function findDefaultDistribution(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<Distribution | null> {
  return await distributions.findDefault(sql, organizationId, serviceId);
}

/** The host name of a service's default distribution; null until the provider has created it. */
export async function findDefaultDistributionHost(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<string | null> {
  return (await distributions.findDefault(sql, organizationId, serviceId))?.domainName ?? null;
}

/** Retries a refused distribution now. */
export async function retryDistribution(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  id: string,
): Promise<void> {
  for (const refused of await distributions.clearRefused(tx, organizationId, id))
    await jobs.enqueue(tx, "distribution", { organizationId, id: refused.id });
}

/** Retries all refused distributions of an account that works again. */
export async function retryDistributionsOfAccount(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  awsAccountId: string,
): Promise<void> {
  for (const { id } of await distributions.clearRefusedOfAccount(tx, organizationId, awsAccountId))
    await jobs.enqueue(tx, "distribution", { organizationId, id });
}

/**
 * The provider no longer has it: creates it again with the same token. If it does exist, the creation finds
 * it.
 */
export async function remakeDistribution(
  tx: Transaction,
  jobs: Jobs,
  distribution: Distribution,
): Promise<void> {
  const { organizationId } = distribution;
  for (const { id } of await distributions.forgetMade(tx, distribution))
    await jobs.enqueue(tx, "distribution", { organizationId, id });
  announceHost(tx, distribution);
}

/** The distribution has a new host name, which its service shows if it is the default one. */
export function announceHost(tx: Transaction, { serviceId, isDefault }: Distribution): void {
  if (serviceId !== null && isDefault) announceChange(tx, serviceId);
}

/** The same for several services: host names by service id, without services that have none yet. */
export async function listDefaultDistributionHosts(
  sql: Sql,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (serviceIds.length === 0) return new Map();
  const rows = await distributions.listDefaultHosts(sql, organizationId, serviceIds);
  return new Map(
    rows.flatMap(({ serviceId, domainName }) =>
      domainName === null ? [] : [[serviceId, domainName] as const],
    ),
  );
}

/** What the provider calls the distributions of a service: its own, and those of its domain groups. */
export async function listProviderIdsOfService(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<readonly string[]> {
  return (await distributions.listProviderIdsOfService(sql, organizationId, serviceId)).map(({ id }) => id);
}

/** Removes a distribution from the cloud, in the background; its service may be deleted at once. */
export async function releaseDistribution(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  id: string,
): Promise<void> {
  await distributions.release(tx, organizationId, id);
  await jobs.enqueue(tx, "distribution", { organizationId, id });
}

/** Abandons a distribution that cannot be removed from the cloud. */
export async function forgetDistribution(tx: Transaction, organizationId: string, id: string): Promise<void> {
  await distributions.delete(tx, organizationId, id);
}

/** Abandons all distributions of an account that are no longer wanted. */
export async function forgetReleasedDistributions(
  tx: Transaction,
  organizationId: string,
  awsAccountId: string,
): Promise<void> {
  await distributions.deleteReleased(tx, organizationId, awsAccountId);
}

/** Provider ids of the distributions that a project has, or may have, in the cloud, or that were left in an account. */
export async function listMadeDistributions(
  sql: Sql,
  organizationId: string,
  by: LeftBy,
): Promise<readonly string[]> {
  return (await distributions.listMade(sql, organizationId, by)).map(({ id }) => id);
}

/** Whether distributions of a project that is being deleted are still being removed. */
export async function hasReleasedDistributions(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<boolean> {
  return await distributions.hasReleased(sql, organizationId, projectId);
}

/** Abandons all distributions of a project. */
export async function forgetDistributionsOfProject(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<void> {
  await distributions.deleteOfProject(tx, organizationId, projectId);
}

/** Removes all distributions of a project that is being deleted from the cloud. */
export async function releaseDistributions(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  projectId: string,
): Promise<void> {
  for (const { id } of await distributions.listOfProject(tx, organizationId, projectId)) {
    await releaseDistribution(tx, jobs, organizationId, id);
  }
}

/** The same for services that are being removed. */
export async function releaseServiceDistributions(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<void> {
  for (const { id } of await distributions.listOfServices(tx, organizationId, serviceIds)) {
    await releaseDistribution(tx, jobs, organizationId, id);
  }
}
