import { announceChange } from "../../db/changes.ts";
import { type Transaction, isForeignKeyViolation, isUniqueViolation } from "../../db/database.ts";
import { announceWork, type Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, notFound, orNotFound } from "../../lib/errors.ts";
import { CUSTOM_DOMAIN_ERRORS } from "./errors.ts";
import { newId } from "../../lib/ids.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import { requireConnected } from "../cloud-accounts/aws-account.ts";
import {
  createDistribution,
  findDefaultDistribution,
  findDistribution,
  retryDistribution,
  retryDistributionsOfAccount,
} from "../distributions/commands.ts";
import { emit } from "../events/emit.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { requireNoneLeadsTo } from "./change-redirect.ts";
import type { Certificate, Domain, Group } from "./custom-domain.ts";
import { createdEvents, groupUpdatedEvent, zoneEvents } from "./domain-events.ts";
import { certificates } from "./reconcile/certificate-store.ts";
import {
  DELETION_RETRY_SECONDS,
  getUsableService,
  insertDomains,
  requireNoPreviews,
} from "./insert-domains.ts";
import type { NamedDomain } from "./domain-name.ts";
import { removeDomain, removeGroup } from "./remove.ts";
import { getService } from "../projects/queries.ts";
import { getDomain, getGroup } from "./queries.ts";
import { dnsRecords } from "./records/dns-record-store.ts";
import { domains, groups, type NewGroup } from "./store.ts";

/** @param group null if it was created just now */
function defaultGroupExists(group: Group | null, cause?: unknown): AppError {
  if (group?.isDeleting === true) {
    return new AppError(
      CUSTOM_DOMAIN_ERRORS.GROUP_DELETING,
      `The group ${group.id} of the service's default distribution is being deleted. Wait until it is deleted, and send this again; or use useDefaultCdn: false.`,
      { retryAfterSeconds: DELETION_RETRY_SECONDS },
    );
  }
  const named = group === null ? "a domain certificate group" : `the domain certificate group ${group.id}`;
  return new AppError(
    CUSTOM_DOMAIN_ERRORS.DEFAULT_GROUP_EXISTS,
    `The service's default distribution already has ${named}. Add the domains to it, or use useDefaultCdn: false.`,
    { cause },
  );
}

/** @throws AppError `NOT_FOUND`, `SERVICE_TAKES_NO_DOMAINS`, `AWS_ACCOUNT_NOT_CONNECTED`, `DEFAULT_GROUP_EXISTS`, `GROUP_DELETING`, `DOMAIN_TAKEN` */
export async function createGroup(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  serviceId: string,
  wanted: {
    names: readonly NamedDomain[];
    useDefaultCdn: boolean;
    name: string | null;
    autoDns?: boolean;
    isForPreviews?: boolean;
  },
): Promise<{ group: Group; created: readonly Domain[] }> {
  const { organizationId } = actor;
  const { service, awsAccountId, origin } = await getUsableService(
    tx,
    organizationId,
    serviceId,
    wanted.isForPreviews,
  );
  const distributionId = wanted.useDefaultCdn
    ? ((await findDefaultDistribution(tx, organizationId, serviceId))?.id ?? null)
    : await createDistribution(tx, jobs, service, { awsAccountId, origin, isDefault: false });
  if (distributionId === null) throw notFound();
  if (wanted.useDefaultCdn) {
    const taken = await groups.findDefault(tx, organizationId, serviceId);
    if (taken !== null) throw defaultGroupExists(taken);
  }
  const id = newId("group");
  const row = {
    organizationId,
    id,
    serviceId,
    distributionId,
    name: wanted.name ?? wanted.names[0]?.name ?? "domains",
    isDefaultCdn: wanted.useDefaultCdn,
    autoDns: wanted.autoDns ?? false,
  };
  const group = await insertGroup(tx, row);
  const created = await insertDomains(
    tx,
    actor,
    wanted.names.map((name) => ({ ...name, groupId: id })),
  );
  await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id, awsAccountId });
  recordAudit(tx, actor, "domain-certificate-group.created", id);
  emit(tx, actor, createdEvents(serviceId, created));
  return { group, created };
}

/** @throws AppError `NOT_FOUND` if the service has been deleted, `DEFAULT_GROUP_EXISTS` if another request was faster */
export async function insertGroup(tx: Transaction, row: NewGroup): Promise<Group> {
  try {
    const group = await groups.insert(tx, row);
    if (group !== undefined) return group;
  } catch (error) {
    if (isUniqueViolation(error, "domain_groups_default")) throw defaultGroupExists(null, error);
    if (!isForeignKeyViolation(error, "domain_groups_service_fk")) throw error;
  }
  throw notFound();
}

/**
 * @param isForPreviews whether the domain is the one below which previews are
 * @throws AppError `NOT_FOUND`, `GROUP_DELETING`, `AWS_ACCOUNT_NOT_CONNECTED`, `DOMAIN_TAKEN`, `SERVICE_TAKES_NO_DOMAINS`
 */
export async function addDomains(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  groupId: string,
  names: readonly NamedDomain[],
  isForPreviews = false,
): Promise<readonly Domain[]> {
  const { organizationId } = actor;
  const group = await lockUsableGroup(tx, organizationId, groupId);
  if (!isForPreviews) requireNoPreviews(await getService(tx, organizationId, group.serviceId));
  await requireConnectedAccountOf(tx, group);
  const created = await insertDomains(
    tx,
    actor,
    names.map((name) => ({ ...name, groupId })),
  );
  await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id: groupId });
  announceChange(tx, groupId);
  for (const { id } of created) recordAudit(tx, actor, "domain.created", id);
  emit(tx, actor, createdEvents(group.serviceId, created));
  return created;
}

/**
 * Starts the deletion of a domain: it is detached first. If the cloud has nothing of it, it is deleted at once.
 * @returns null if it is deleted @throws AppError `NOT_FOUND`, `REDIRECT_TARGET`
 */
export async function deleteDomain(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  groupId: string,
  domainId: string,
): Promise<Domain | null> {
  const { organizationId } = actor;
  const group = await lockGroup(tx, organizationId, groupId);
  const domain = await domains.find(tx, organizationId, domainId);
  if (domain === null || domain.groupId !== groupId) throw notFound();
  await requireNoneLeadsTo(tx, group, domain);
  const planned = await certificates.list(tx, organizationId, groupId);
  const leaving = isNowhere(domain, planned) ? null : await domains.unwant(tx, organizationId, domainId);
  if (leaving === null) await removeDomain(tx, actor, group, domain);
  else if (domain.status !== leaving.status) emit(tx, actor, [groupUpdatedEvent(group)]);
  await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id: groupId });
  announceChange(tx, domainId);
  announceChange(tx, groupId);
  recordAudit(tx, actor, "domain.deleted", domainId);
  return leaving;
}

/**
 * Starts the deletion of a group: its domains are detached, its certificate and separate distribution deleted. If the
 * cloud has nothing of it, it is deleted at once. @returns null if it is deleted @throws AppError `NOT_FOUND`
 */
export async function deleteGroup(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  groupId: string,
): Promise<Group | null> {
  const { organizationId } = actor;
  const group = await lockGroup(tx, organizationId, groupId);
  const members = await domains.listAll(tx, organizationId, groupId);
  const planned = await certificates.list(tx, organizationId, groupId);
  // Its separate distribution may just be created. A default distribution stays.
  const isGone =
    group.isDefaultCdn && planned.length === 0 && members.every((domain) => isNowhere(domain, planned));
  if (!isGone) await groups.setStatus(tx, group, "DELETING");
  for (const domain of members) {
    if (isGone) await removeDomain(tx, actor, group, domain);
    else await domains.unwant(tx, organizationId, domain.id);
    announceChange(tx, domain.id);
  }
  if (isGone) await removeGroup(tx, actor, group, "domain_group.deleted");
  else await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id: groupId });
  announceChange(tx, groupId);
  recordAudit(tx, actor, "domain-certificate-group.deleted", groupId);
  if (isGone) return null;
  const leaving = await getGroup(tx, organizationId, groupId);
  if (!group.isDeleting) emit(tx, actor, [groupUpdatedEvent(leaving)]);
  return leaving;
}

/**
 * Lets Slipway set the records of a group's domains in zones of its account, or no longer. What it set stays, and is
 * removed with its domain. @throws AppError `NOT_FOUND`, `GROUP_DELETING`
 */
export async function changeAutoDns(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  groupId: string,
  autoDns: boolean,
): Promise<Group> {
  const { organizationId } = actor;
  const group = await lockUsableGroup(tx, organizationId, groupId);
  const changed = await groups.setAutoDns(tx, organizationId, groupId, autoDns);
  if (changed === null) return group;
  for (const domain of autoDns ? [] : await domains.listAll(tx, organizationId, groupId)) {
    if (domain.zoneState === null || domain.zoneState.problem === null) continue;
    const state = { ...domain.zoneState, problem: null };
    if (await domains.recordZoneState(tx, domain, domain.zoneState, state))
      emit(tx, actor, zoneEvents(group.serviceId, domain, state, []));
    announceChange(tx, domain.id);
  }
  await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id: groupId });
  announceChange(tx, groupId);
  recordAudit(tx, actor, "domain-certificate-group.updated", groupId, {
    before: { autoDns: String(group.autoDns) },
    after: { autoDns: String(autoDns) },
  });
  emit(tx, actor, [groupUpdatedEvent(changed)]);
  return changed;
}

/**
 * Clears the errors of a group's domains, so that Slipway tries again.
 * @throws AppError `NOT_FOUND`, `NOTHING_TO_RETRY`, `AWS_ACCOUNT_NOT_CONNECTED`
 */
export async function retryAttachment(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  groupId: string,
): Promise<Group> {
  const { organizationId } = actor;
  const group = await lockGroup(tx, organizationId, groupId);
  const failed = (await domains.listAll(tx, organizationId, groupId)).filter(({ status }) =>
    status.startsWith("ERROR_"),
  );
  if (failed.length === 0) {
    throw new AppError(
      CUSTOM_DOMAIN_ERRORS.NOTHING_TO_RETRY,
      "No domain of this group is in ERROR_ATTACHING or ERROR_DETACHING.",
    );
  }
  await requireConnectedAccountOf(tx, group);
  for (const domain of failed) {
    const status = domain.status === "ERROR_DETACHING" ? "DETACHING" : "PENDING";
    await domains.move(tx, domain, status, null);
    announceChange(tx, domain.id);
  }
  await groups.setStatus(tx, group, "PROVISIONING");
  await retryDistribution(tx, jobs, organizationId, group.distributionId);
  await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id: groupId });
  announceChange(tx, groupId);
  recordAudit(tx, actor, "domain-certificate-group.retried", groupId);
  const retried = await getGroup(tx, organizationId, groupId);
  emit(tx, actor, [groupUpdatedEvent(retried)]);
  return retried;
}

/** Requests a DNS check of a domain's records now. @throws AppError `NOT_FOUND` */
export async function requestDomainCheck(tx: Transaction, actor: Actor, domainId: string): Promise<Domain> {
  const domain = await getDomain(tx, actor.organizationId, domainId);
  await requestCheck(tx, domain);
  recordAudit(tx, actor, "domain.check-requested", domainId);
  return domain;
}

/** Requests a DNS check of a domain's records now, as a part of another command. */
export async function requestCheck(tx: Transaction, { organizationId, id }: Domain): Promise<void> {
  await dnsRecords.requestCheck(tx, organizationId, id);
  announceWork(tx);
}

/** Writes a record that a domain needs. @returns whether it is new or changed */
export const putRecord = dnsRecords.put;

/** Wakes the groups that wait for a distribution, after it was created, refused or removed. */
export async function enqueueGroupsOfDistribution(
  tx: Transaction,
  jobs: Jobs,
  distribution: { organizationId: string; id: string },
): Promise<void> {
  const { organizationId } = distribution;
  for (const { id } of await groups.listOfDistribution(tx, organizationId, distribution.id)) {
    await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id });
  }
}

/** An account works again: retries what failed because access was denied. */
export async function resumeGroupsOfAccount(
  tx: Transaction,
  jobs: Jobs,
  account: { organizationId: string; id: string },
): Promise<void> {
  const { organizationId } = account;
  await retryDistributionsOfAccount(tx, jobs, organizationId, account.id);
  const resumed = await domains.resumeDenied(tx, organizationId, account.id);
  for (const { id } of resumed) announceChange(tx, id);
  for (const id of new Set(resumed.map(({ groupId }) => groupId))) {
    await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id });
  }
}

/**
 * Whether the cloud has nothing of a domain. The caller must hold the lock of the group's row. A certificate's row
 * exists before its request, and until everything from that request is deleted. Nothing is put on a distribution
 * without a certificate. A worker that plans a certificate waits for the lock, and checks again before its request.
 */
function isNowhere({ name, status, isDesired, zoneState }: Domain, planned: readonly Certificate[]): boolean {
  const hasRecords = zoneState !== null && zoneState.records.length > 0;
  const isBegun = hasRecords || (status !== "PENDING" && status !== "ERROR_ATTACHING");
  return isDesired && !isBegun && !planned.some(({ names }) => names.includes(name));
}

/** @throws AppError `AWS_ACCOUNT_NOT_CONNECTED` */
async function requireConnectedAccountOf(
  tx: Transaction,
  { organizationId, distributionId }: Group,
): Promise<void> {
  const distribution = await findDistribution(tx, organizationId, distributionId);
  if (distribution !== null)
    requireConnected(await getAwsAccount(tx, organizationId, distribution.awsAccountId));
}

/** Serializes changes to one group. Null if it does not exist. */
export const findGroupForUpdate = groups.lock;

/** Serializes changes to one group. @throws AppError `NOT_FOUND` */
export async function lockGroup(tx: Transaction, organizationId: string, groupId: string): Promise<Group> {
  return orNotFound(await groups.lock(tx, organizationId, groupId));
}

async function lockUsableGroup(tx: Transaction, organizationId: string, groupId: string): Promise<Group> {
  const group = await lockGroup(tx, organizationId, groupId);
  if (group.isDeleting)
    throw new AppError(
      CUSTOM_DOMAIN_ERRORS.GROUP_DELETING,
      "The group is being deleted and takes no domains. Wait until it is deleted, and create a new one.",
      { retryAfterSeconds: DELETION_RETRY_SECONDS },
    );
  return group;
}
