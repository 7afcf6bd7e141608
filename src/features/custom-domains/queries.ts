import type { Sql } from "../../db/database.ts";
import type { Page } from "../../db/page.ts";
import { orNotFound } from "../../lib/errors.ts";
import { findDistribution } from "../distributions/commands.ts";
import type { Event } from "../events/event.ts";
import { listEventsOfSubjects } from "../events/queries.ts";
import type { Domain, Group } from "./custom-domain.ts";
import { certificates } from "./reconcile/certificate-store.ts";
import { dnsRecords } from "./records/dns-record-store.ts";
import { searchDomains } from "./search-store.ts";
import { domains, groups } from "./store.ts";

/** @throws AppError `NOT_FOUND` */
export async function getGroup(sql: Sql, organizationId: string, id: string): Promise<Group> {
  return orNotFound(await groups.find(sql, organizationId, id));
}

/** The connection whose account has a group's certificates and distribution; null if the group was deleted. */
export async function findAccountOfGroup(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<string | null> {
  const group = await groups.find(sql, organizationId, id);
  if (group === null) return null;
  return (await findDistribution(sql, organizationId, group.distributionId))?.awsAccountId ?? null;
}

/** @throws AppError `NOT_FOUND` */
export async function getDomain(sql: Sql, organizationId: string, id: string): Promise<Domain> {
  return orNotFound(await domains.find(sql, organizationId, id));
}

/** One page of an organization's domains that match all filters, and one more, with their records. */
export const listDomains = searchDomains;

/** The group of a service's default distribution; null if there is none. */
export const findDefaultGroup = groups.findDefault;

export const listDomainsOfGroup = domains.listAll;

/**
 * One page of the kept events of a domain and of its group's present certificates that cover it, and one event more.
 * @throws AppError `NOT_FOUND`
 */
export async function listTimeline(
  sql: Sql,
  organizationId: string,
  domainId: string,
  page: Page,
): Promise<readonly Event[]> {
  const { id, name, groupId } = await getDomain(sql, organizationId, domainId);
  const ofGroup = await certificates.list(sql, organizationId, groupId);
  const ids = [id, ...ofGroup.map((certificate) => certificate.id)];
  return await listEventsOfSubjects(sql, organizationId, { ids, name }, page);
}

/** Null if the organization has no domain of this name. */
export const findDomainByName = domains.findByName;

/** The records of domains. */
export const listRecords = dnsRecords.list;

/** What the domain of a record is now; null if it was deleted. */
export const findDomainOfRecord = dnsRecords.findDomain;

/** Whether any service of a project has a group; such a project cannot be deleted. */
export async function hasDomainGroups(sql: Sql, organizationId: string, projectId: string): Promise<boolean> {
  return (await groups.listOfProject(sql, organizationId, projectId)).length > 0;
}

/** Names of the domains in the groups of each service. A service with only empty groups has an empty list. */
export async function listServiceDomains(
  sql: Sql,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const byService = new Map<string, string[]>();
  if (serviceIds.length === 0) return byService;
  for (const { serviceId, name } of await groups.listNamesOfServices(sql, organizationId, serviceIds)) {
    const names = byService.get(serviceId) ?? [];
    byService.set(serviceId, name === "" ? names : [...names, name]);
  }
  return byService;
}
