import type { Origin } from "../cloud/cloud.ts";
import type { Sql, Transaction } from "../db/database.ts";
import { newId } from "../ids.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { Service } from "../projects/project.ts";
import type { Distribution } from "./distribution.ts";
import { distributions } from "./store.ts";

/** Has a distribution made for a service, its default one or a separate one; returns its id. */
export async function createDistribution(
  tx: Transaction,
  jobs: Jobs,
  service: Pick<Service, "organizationId" | "id">,
  wanted: { awsAccountId: string; origin: Origin; isDefault: boolean },
): Promise<string> {
  const { organizationId } = service;
  const id = newId("cdn");
  await distributions.insert(tx, { organizationId, id, serviceId: service.id, ...wanted });
  await jobs.poke(tx, "distribution", { organizationId, id });
  return id;
}

/** The distribution that was made with the service. */
export async function createDefaultDistribution(
  tx: Transaction,
  jobs: Jobs,
  service: Pick<Service, "organizationId" | "id">,
  wanted: { awsAccountId: string; origin: Origin },
): Promise<void> {
  await createDistribution(tx, jobs, service, { ...wanted, isDefault: true });
}

/** Null when it was removed already. */
export async function findDistribution(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<Distribution | null> {
  return await distributions.find(sql, organizationId, id);
}

/** The default distribution of a service; null for services that serve no HTTP. */
export async function findDefaultDistribution(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<Distribution | null> {
  return await distributions.findDefault(sql, organizationId, serviceId);
}

/** Host name of a service's default distribution; null until the provider has made it. */
export async function findDefaultDistributionHost(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<string | null> {
  return (await distributions.findDefault(sql, organizationId, serviceId))?.domainName ?? null;
}

/** Has a distribution removed from the cloud, in the background; the service may go at once. */
export async function releaseDistribution(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  id: string,
): Promise<void> {
  await distributions.release(tx, organizationId, id);
  await jobs.poke(tx, "distribution", { organizationId, id });
}

/** The same for all distributions of a project that is being deleted. */
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
