import type { Origin } from "../../cloud/cloud.ts";
import type { LeftBy } from "../cloud-accounts/left-in-account.ts";
import { announceChange } from "../../db/changes.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import { newId } from "../../lib/ids.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Service } from "../projects/project.ts";
import type { Distribution } from "./distribution.ts";
import { distributions } from "./store.ts";

type ServiceKey = Pick<Service, "organizationId" | "id">;

/** Null when it was removed already. */
export const findDistribution = distributions.find;
/** The distributions with these ids, without removed ones. */
export const findDistributions = distributions.list;
/** The default distributions of services, with their host names; null until the provider has created one. */
export const listDefaultDistributions = distributions.listDefaults;
/** How many distributions Slipway has in an account, including distributions that it is removing. */
export const countDistributions = distributions.countOfAccount;
/** The default distribution of a service; null for a service without HTTP. */
export const findDefaultDistribution = distributions.findDefault;
/** Abandons a distribution that cannot be removed from the cloud. */
export const forgetDistribution = distributions.delete;
/** Abandons all distributions of an account that are no longer desired. */
export const forgetReleasedDistributions = distributions.deleteReleased;
/** Abandons all distributions of a project. */
export const forgetDistributionsOfProject = distributions.deleteOfProject;
/** Whether distributions of a project that is being deleted are still being removed. */
export const hasReleasedDistributions = distributions.hasReleased;

/**
 * The host name of a service: that of its default distribution, null until the provider has created it; or the name of a
 * preview's service below the domain of its template.
 */
export async function findDefaultDistributionHost(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<string | null> {
  return (await listDefaultDistributionHosts(sql, organizationId, [serviceId])).get(serviceId) ?? null;
}

/** The same for several services: host names by service id, without services that have none yet. */
export async function listDefaultDistributionHosts(
  sql: Sql,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (serviceIds.length === 0) return new Map();
  const rows = await distributions.listDefaultHosts(sql, organizationId, serviceIds);
  return new Map(rows.map(({ serviceId, domainName }) => [serviceId, domainName]));
}

/**
 * The provider's ids of the distributions of a service: its own, those of its domain groups, and the route to it in the
 * distribution that previews share.
 */
export async function listProviderIdsOfService(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<readonly string[]> {
  return idsOf(await distributions.listProviderIdsOfService(sql, organizationId, serviceId));
}

/** The same with the distribution that previews share, instead of the route in it. */
export async function listDistributionsOfService(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<readonly string[]> {
  const ids = await listProviderIdsOfService(sql, organizationId, serviceId);
  return [...new Set(ids.map((id) => id.replace(/\/.*$/, "")))];
}

/** Provider ids of the distributions that a project has, or may have, in the cloud, or that were left in an account. */
export async function listMadeDistributions(
  sql: Sql,
  organizationId: string,
  by: LeftBy,
): Promise<readonly string[]> {
  return idsOf(await distributions.listMade(sql, organizationId, by));
}

/** Orders a distribution for a service, its default one or a separate one; returns its id. */
export async function createDistribution(
  tx: Transaction,
  jobs: Jobs,
  service: ServiceKey,
  desired: { awsAccountId: string; origin: Origin; isDefault: boolean },
): Promise<string> {
  const { organizationId } = service;
  const id = newId("cdn");
  distributions.insert(tx, { organizationId, id, serviceId: service.id, ...desired });
  await jobs.enqueue(tx, "distribution", { organizationId, id, awsAccountId: desired.awsAccountId });
  return id;
}

/** The distribution that was created with the service. */
export async function createDefaultDistribution(
  tx: Transaction,
  jobs: Jobs,
  service: ServiceKey,
  desired: { awsAccountId: string; origin: Origin },
): Promise<void> {
  await createDistribution(tx, jobs, service, { ...desired, isDefault: true });
}

/** Brings the distribution of a template's previews, if there is one, to the services that they have now. */
export async function enqueueRoutes(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  templateId: string | null,
): Promise<void> {
  if (templateId === null) return;
  await enqueueAll(
    tx,
    jobs,
    organizationId,
    idsOf(await distributions.listOfPreviews(tx, organizationId, templateId)),
  );
}

/** Changes the origin of a service's distributions, if it differs. */
export async function moveOrigin(
  tx: Transaction,
  jobs: Jobs,
  { organizationId, id: serviceId }: ServiceKey,
  origin: Origin,
): Promise<void> {
  const moved = await distributions.moveOrigin(tx, organizationId, serviceId, origin);
  await enqueueAll(tx, jobs, organizationId, idsOf(moved));
}

/** Retries a refused distribution now. */
export async function retryDistribution(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  id: string,
): Promise<void> {
  const refused = await distributions.clearRefused(tx, organizationId, id);
  await enqueueAll(tx, jobs, organizationId, idsOf(refused));
}

/** Retries all refused distributions of an account that works again. */
export async function retryDistributionsOfAccount(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  awsAccountId: string,
): Promise<void> {
  const refused = await distributions.clearRefusedOfAccount(tx, organizationId, awsAccountId);
  await enqueueAll(tx, jobs, organizationId, idsOf(refused));
}

/** Compares the distributions of a template's previews with the access that they are to have. */
export async function refreshDistributionsOfTemplate(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  templateId: string,
): Promise<void> {
  await enqueueAll(
    tx,
    jobs,
    organizationId,
    idsOf(await distributions.listOfTemplate(tx, organizationId, templateId)),
  );
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
  const forgotten = await distributions.forgetMade(tx, distribution);
  await enqueueAll(tx, jobs, distribution.organizationId, idsOf(forgotten));
  announceHost(tx, distribution);
}

/** The distribution has a new host name, which its service shows if it is the default one. */
export function announceHost(tx: Transaction, { serviceId, isDefault }: Distribution): void {
  if (serviceId !== null && isDefault) announceChange(tx, serviceId);
}

/** Removes distributions from the cloud, in the background; their services may be deleted at once. */
export async function releaseDistribution(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  ...ids: readonly string[]
): Promise<void> {
  for (const id of ids) await distributions.release(tx, organizationId, id);
  await enqueueAll(tx, jobs, organizationId, ids);
}

/** Removes all distributions of a project that is being deleted from the cloud. */
export async function releaseDistributions(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  projectId: string,
): Promise<void> {
  const ids = idsOf(await distributions.listOfProject(tx, organizationId, projectId));
  await releaseDistribution(tx, jobs, organizationId, ...ids);
}

/** The same for services that are being removed. */
export async function releaseServiceDistributions(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<void> {
  const ids = idsOf(await distributions.listOfServices(tx, organizationId, serviceIds));
  await releaseDistribution(tx, jobs, organizationId, ...ids);
}

async function enqueueAll(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) await jobs.enqueue(tx, "distribution", { organizationId, id });
}

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}
