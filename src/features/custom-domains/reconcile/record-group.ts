/**
 * What the reconciler writes about a group. A domain only changes its status if it still has the status that was
 * read: if a client has deleted or retried it since then, that counts.
 */
import type { ObservedCertificate } from "../../../cloud/cloud.ts";
import { announceChange } from "../../../db/changes.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import type { CaaRefusal } from "../../../dns/dns.ts";
import { newId } from "../../../lib/ids.ts";
import type { Distribution } from "../../distributions/distribution.ts";
import { emit } from "../../events/emit.ts";
import type { NewEvent } from "../../events/event.ts";
import { slipwayOf } from "../../audit/record-audit.ts";
import { attachmentError } from "./attachment-error.ts";
import type {
  AttachmentError,
  Certificate,
  DnsRecord,
  Domain,
  DomainStatus,
  DomainWithRecords,
  Group,
  GroupStatus,
} from "../custom-domain.ts";
import {
  certificateEvents,
  certificateFailedEvent,
  groupEvents,
  movedEvents,
  shownEvents,
} from "../domain-events.ts";
import { authorizationRecord, connectionRecord, verificationRecord } from "../records/dns-record.ts";
import { certificates } from "./certificate-store.ts";
import { dnsRecords } from "../records/dns-record-store.ts";
import { domains, groups, parentOf, provenNames } from "../store.ts";

/**
 * A transaction on a group and its domains. It locks the group's row first, as commands do: two transactions that lock
 * a group and a domain in opposite orders would deadlock.
 */
export async function changeGroup<T>(
  db: Database,
  { organizationId, id }: Group,
  work: (tx: Transaction) => Promise<T> | T,
): Promise<T> {
  return await db.transaction(async (tx) => {
    groups.hold(tx, organizationId, id);
    return await work(tx);
  });
}

/**
 * Records that a certificate is being requested. Its id is the token of every request for it.
 * @returns its id; null if a client has changed the group since it was read
 */
export async function planCertificate(
  tx: Transaction,
  group: Group,
  members: readonly Domain[],
  names: readonly string[],
  startedAt: Date,
): Promise<string | null> {
  const { organizationId, id: groupId } = group;
  const id = newId("cert");
  const leaving = members.flatMap(({ name, isDesired }) => (isDesired ? [] : [name]));
  if (!(await certificates.insert(tx, { organizationId, id, groupId, names }, startedAt, leaving)))
    return null;
  for (const domain of members) {
    if (names.includes(domain.name) && domain.status === "PENDING")
      await setDomain(tx, group, domain, "CREATING");
  }
  await setGroupStatus(tx, group, "PROVISIONING");
  return id;
}

/**
 * Shows the records of domains that wait for their verification. The connection record comes with it, so that owners are
 * asked once; `setWhenOf` says when to set it.
 * @param target the distribution's host name; null until it is known
 */
export async function recordValidation(
  tx: Transaction,
  group: Group,
  waiting: readonly DomainWithRecords[],
  observed: ObservedCertificate,
  target: string | null,
): Promise<void> {
  for (const domain of waiting) {
    await showVerification(tx, group, domain, observed);
    if (target !== null) await putRecord(tx, group, domain, connectionRecord(domain, target));
    await setDomain(tx, group, domain, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
  }
  if (waiting.length > 0) await setGroupStatus(tx, group, "PROVISIONING");
}

/** Whether `recordValidation` would change nothing, which is the usual case while a group waits for its records. */
export function isValidationShown(
  group: Group,
  waiting: readonly DomainWithRecords[],
  observed: ObservedCertificate,
  target: string | null,
): boolean {
  const isShown = (domain: DomainWithRecords): boolean =>
    domain.status === "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" &&
    domain.lastAttachmentError === null &&
    (verificationOf(domain, observed) === null || findShown(domain, observed) !== undefined) &&
    (target === null || findRecord(domain, connectionRecord(domain, target)) !== undefined);
  return waiting.length === 0 || (group.status === "PROVISIONING" && waiting.every(isShown));
}

/**
 * Since when our own check finds all of their records set. That may be long before this certificate needed them.
 * Null if one is missing.
 * @param proving the distribution's name, if a domain that leads there needs no verification record
 */
export function validationSetSince(
  waiting: readonly DomainWithRecords[],
  observed: ObservedCertificate,
  proving: string | null,
): Date | null {
  const records = waiting.map((domain) => {
    const shown = findShown(domain, observed);
    if (shown?.status === "OK" || proving === null || domain.type === "WILDCARD") return shown;
    return findRecord(domain, connectionRecord(domain, proving));
  });
  if (waiting.length === 0 || records.some((record) => record?.status !== "OK")) return null;
  return new Date(Math.max(...records.map((record) => record?.since.getTime() ?? 0)));
}

/** The verification record that is shown for a domain, if the provider requires exactly this record. */
function findShown(domain: DomainWithRecords, observed: ObservedCertificate): DnsRecord | undefined {
  const desired = verificationOf(domain, observed);
  return desired === null ? undefined : findRecord(domain, desired);
}

function findRecord(
  { records }: DomainWithRecords,
  desired: Pick<DnsRecord, "purpose" | "type" | "name" | "value">,
): DnsRecord | undefined {
  return records.find(
    ({ purpose, type, name, value }) =>
      purpose === desired.purpose &&
      type === desired.type &&
      name === desired.name &&
      value === desired.value,
  );
}

/** Claims names before they are put on the distribution. Names of another organization are refused. */
export async function recordClaims(
  tx: Transaction,
  group: Group,
  claimed: readonly Domain[],
  at: Date,
): Promise<void> {
  const lost = await claimNames(tx, claimed);
  const refused = claimed.filter(({ name }) => lost.has(name));
  for (const domain of claimed.filter(({ name }) => !lost.has(name)))
    await setDomain(tx, group, domain, "ATTACHING");
  await failDomains(tx, group, refused, () => attachmentError("Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE", at));
}

/**
 * Claims names for the organization that has proved them. A wildcard and a name below it overlap
 * (docs/decisions/0004-names-are-claimed-after-proof.md).
 * @returns the names that another organization has proved first; the others are claimed
 */
async function claimNames(tx: Transaction, proven: readonly Domain[]): Promise<ReadonlySet<string>> {
  const lost = new Set<string>();
  // Overlapping names have one parent, and claims below it wait for each other. The order prevents deadlocks.
  const parents = [...new Set(proven.map(({ name }) => parentOf(name)))].sort();
  for (const parent of parents) await provenNames.lockParent(tx, parent);
  for (const domain of proven) {
    if (!(await provenNames.claim(tx, domain))) lost.add(domain.name);
  }
  return lost;
}

export async function recordAttached(
  tx: Transaction,
  group: Group,
  attached: readonly DomainWithRecords[],
  certificate: Certificate,
  observed: ObservedCertificate,
  distribution: Distribution,
  members: readonly DomainWithRecords[],
  now: Date,
): Promise<void> {
  await recordObserved(tx, group, certificate, observed, members, now);
  for (const domain of attached) {
    // A domain that was added to an issued certificate has not been shown its record yet. The renewal needs it.
    await showVerification(tx, group, domain, observed);
    await putRecord(tx, group, domain, connectionRecord(domain, distribution.domainName ?? ""));
    // The provider has found a record that our own check missed before: only a check from now on counts.
    if (domain.records.some(isNeverFound)) dnsRecords.forgetMiss(tx, domain);
    const known = domain.records.filter((record) => !isNeverFound(record));
    await setDomain(tx, group, domain, "ATTACHED", null, known);
  }
}

function isNeverFound({ purpose, lastOkAt }: DnsRecord): boolean {
  return purpose === "CERTIFICATE_DOMAIN_VERIFICATION" && lastOkAt === null;
}

/** Records what the provider says of a certificate. @param members all domains of the group */
export async function recordObserved(
  tx: Transaction,
  group: Group,
  certificate: Certificate,
  observed: ObservedCertificate,
  members: readonly DomainWithRecords[],
  now: Date,
): Promise<void> {
  const { events, expiryNotifiedDays } = certificateEvents(
    group.serviceId,
    certificate,
    observed,
    members,
    now,
  );
  if (await certificates.recordObserved(tx, certificate, observed, expiryNotifiedDays))
    emitFor(tx, group, events);
}

/** Gives a certificate up because its request failed. */
export async function failCertificate(
  tx: Transaction,
  group: Group,
  certificate: Certificate,
): Promise<void> {
  if (await certificates.abandon(tx, certificate))
    emitFor(tx, group, [certificateFailedEvent(group.serviceId, certificate, "request")]);
}

/** Emits events of Slipway's own work, after the statement that changed their subject. */
export function emitFor(tx: Transaction, { organizationId }: Group, events: readonly NewEvent[]): void {
  emit(tx, slipwayOf(organizationId), events);
}

/** Domains that are being deleted get ERROR_DETACHING, others ERROR_ATTACHING. */
export async function failDomains(
  tx: Transaction,
  group: Group,
  failed: readonly Domain[],
  errorOf: (domain: Domain) => AttachmentError,
): Promise<void> {
  for (const domain of failed) {
    const error = errorOf(domain);
    const status = domain.isDesired ? "ERROR_ATTACHING" : "ERROR_DETACHING";
    // Keep the time of the first failure: a repeated one is not news.
    if (domain.status === status && domain.lastAttachmentError?.code === error.code) continue;
    await setDomain(tx, group, domain, status, error);
  }
  if (failed.length === 0) return;
  const members = await domains.listAll(tx, group.organizationId, group.id);
  await setGroupStatus(tx, group, groupStatusOf(members));
}

/** @param records of the domain, if it becomes `ATTACHED` */
export async function setDomain(
  tx: Transaction,
  group: Group,
  domain: Domain,
  status: DomainStatus,
  error: AttachmentError | null = null,
  records: readonly DnsRecord[] = [],
): Promise<void> {
  if (!(await domains.move(tx, domain, status, error))) return;
  emitFor(tx, group, movedEvents(group.serviceId, domain, status, error, records));
  announceChange(tx, domain.id);
}

/** A group that is being deleted keeps that status. Besides its reconciler, only clients change it. */
export async function setGroupStatus(tx: Transaction, group: Group, status: GroupStatus): Promise<void> {
  if (group.status === status || group.isDeleting) return;
  if (await groups.setStatus(tx, group, status)) emitFor(tx, group, groupEvents(group, status));
  announceChange(tx, group.id);
}

/** Shows the CAA records that would let the provider issue, at the latest when they are the reason of an error. */
export async function showAuthorization(
  tx: Transaction,
  group: Group,
  refused: readonly DomainWithRecords[],
  caa: ReadonlyMap<string, CaaRefusal>,
): Promise<void> {
  for (const domain of refused) {
    const refusal = caa.get(domain.name);
    if (refusal !== undefined)
      await putRecord(tx, group, domain, authorizationRecord(domain, refusal), refusal);
  }
}

async function showVerification(
  tx: Transaction,
  group: Group,
  domain: DomainWithRecords,
  observed: ObservedCertificate,
): Promise<void> {
  const desired = verificationOf(domain, observed);
  if (desired !== null) await putRecord(tx, group, domain, desired);
}

async function putRecord(
  tx: Transaction,
  group: Group,
  domain: DomainWithRecords,
  record: ReturnType<typeof verificationRecord>,
  refusal: CaaRefusal | null = null,
): Promise<void> {
  if (await dnsRecords.put(tx, record))
    emitFor(tx, group, shownEvents(group.serviceId, domain, domain.records, record, refusal));
}

/** Null until the provider returns it. */
function verificationOf(
  domain: Domain,
  observed: ObservedCertificate,
): ReturnType<typeof verificationRecord> | null {
  const record = observed.domains.find(({ name }) => name === domain.name)?.record ?? null;
  return record === null ? null : verificationRecord(domain, record);
}

/** A group that serves domains is `ACTIVE`, even if others have failed: `domainsInError` counts those. */
export function groupStatusOf(members: readonly Domain[]): GroupStatus {
  const isServing = members.some(({ status }) => status === "ATTACHED");
  if (!isServing && members.some(({ status }) => status.startsWith("ERROR_"))) return "ERROR";
  return members.length === 0 ? "DRAFT" : "ACTIVE";
}
