/**
 * What the reconciler writes about a group. A domain only changes its status if it still has the status that was
 * read: if a client has deleted or retried it since then, that counts.
 */
import type { CertificateSeen } from "../../../cloud/cloud.ts";
import { announceChange } from "../../../db/changes.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import type { CaaRefusal } from "../../../dns/dns.ts";
import { announceWork } from "../../../jobs/jobs.ts";
import { newId } from "../../../lib/ids.ts";
import type { Distribution } from "../../distributions/distribution.ts";
import type { NewEvent } from "../../events/event.ts";
import { type OutboxParameters, outboxOf } from "../../events/outbox.ts";
import { slipwayOf } from "../../audit/record-audit.ts";
import { attachmentError } from "./attachment-error.ts";
import type {
  AttachmentError,
  Certificate,
  DnsRecord,
  Domain,
  DomainStatus,
  Group,
  GroupStatus,
} from "../custom-domain.ts";
import { failedEvent, groupEvents, movedEvents, seenEvents, shownEvents } from "../domain-events.ts";
import { authorizationRecord, connectionRecord, verificationRecord } from "../records/dns-record.ts";
import { claimNames } from "./proven-names.ts";
import { certificates } from "./certificate/certificate-store.ts";
import { dnsRecords } from "../records/dns-record-store.ts";
import { domains, groups } from "../store.ts";
import type { ShownDomain } from "./wanted-store.ts";

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
  const leaving = members.flatMap(({ name, isWanted }) => (isWanted ? [] : [name]));
  if (!(await certificates.insert(tx, { organizationId, id, groupId, names }, startedAt, leaving)))
    return null;
  for (const domain of members) {
    if (names.includes(domain.name) && domain.status === "PENDING") setDomain(tx, group, domain, "CREATING");
  }
  setGroupStatus(tx, group, "PROVISIONING");
  return id;
}

/**
 * Shows the records of domains that wait for their verification. The connection record comes with it, so that owners are
 * asked once; `setWhenOf` says when to set it.
 * @param target the distribution's host name; null until it is known
 */
export function recordValidation(
  tx: Transaction,
  group: Group,
  waiting: readonly ShownDomain[],
  seen: CertificateSeen,
  target: string | null,
): void {
  showVerification(tx, group, waiting, seen);
  for (const domain of waiting) {
    if (target !== null) putRecord(tx, group, domain, connectionRecord(domain, target));
  }
  for (const domain of waiting) setDomain(tx, group, domain, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
  if (waiting.length > 0) setGroupStatus(tx, group, "PROVISIONING");
}

/** Whether `recordValidation` would change nothing, which is the usual case while a group waits for its records. */
export function isValidationShown(
  group: Group,
  waiting: readonly ShownDomain[],
  seen: CertificateSeen,
  target: string | null,
): boolean {
  const isShown = (domain: ShownDomain): boolean =>
    domain.status === "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" &&
    domain.lastAttachmentError === null &&
    (verificationOf(domain, seen) === null || findShown(domain, seen) !== undefined) &&
    (target === null || findRecord(domain, connectionRecord(domain, target)) !== undefined);
  return waiting.length === 0 || (group.status === "PROVISIONING" && waiting.every(isShown));
}

/**
 * Since when our own check finds all of their records set. That may be long before this certificate needed them.
 * Null if one is missing.
 */
export function validationSetSince(waiting: readonly ShownDomain[], seen: CertificateSeen): Date | null {
  const records = waiting.map((domain) => findShown(domain, seen));
  if (waiting.length === 0 || records.some((record) => record?.status !== "OK")) return null;
  return new Date(Math.max(...records.map((record) => record?.since.getTime() ?? 0)));
}

/** The verification record that is shown for a domain, if the provider requires exactly this record. */
function findShown(domain: ShownDomain, seen: CertificateSeen): DnsRecord | undefined {
  const wanted = verificationOf(domain, seen);
  return wanted === null ? undefined : findRecord(domain, wanted);
}

function findRecord(
  { records }: ShownDomain,
  wanted: Pick<DnsRecord, "purpose" | "type" | "name" | "value">,
): DnsRecord | undefined {
  return records.find(
    ({ purpose, type, name, value }) =>
      purpose === wanted.purpose && type === wanted.type && name === wanted.name && value === wanted.value,
  );
}

/** Claims names before they are put on the distribution. Names of another organization are refused. */
export async function recordClaims(
  tx: Transaction,
  group: Group,
  wanted: readonly Domain[],
  at: Date,
): Promise<void> {
  const lost = await claimNames(tx, wanted);
  const refused = wanted.filter(({ name }) => lost.has(name));
  for (const domain of wanted.filter(({ name }) => !lost.has(name)))
    setDomain(tx, group, domain, "ATTACHING");
  await failDomains(tx, group, refused, () => attachmentError("Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE", at));
}

export function recordAttached(
  tx: Transaction,
  group: Group,
  attached: readonly ShownDomain[],
  certificate: Certificate,
  seen: CertificateSeen,
  distribution: Distribution,
  members: readonly ShownDomain[],
  now: Date,
): void {
  recordSeen(tx, group, certificate, seen, members, now);
  // A domain that was added to an issued certificate has not been shown its record yet. The renewal needs it.
  showVerification(tx, group, attached, seen);
  for (const domain of attached) {
    putRecord(tx, group, domain, connectionRecord(domain, distribution.domainName ?? ""));
    // The provider has found a record that our own check missed before: only a check from now on counts.
    if (domain.records.some(isNeverFound)) dnsRecords.forgetMiss(tx, domain);
    const known = domain.records.filter((record) => !isNeverFound(record));
    setDomain(tx, group, domain, "ATTACHED", null, known);
  }
}

function isNeverFound({ purpose, lastOkAt }: DnsRecord): boolean {
  return purpose === "CERTIFICATE_DOMAIN_VERIFICATION" && lastOkAt === null;
}

/** Records what the provider says of a certificate. @param members all domains of the group */
export function recordSeen(
  tx: Transaction,
  group: Group,
  certificate: Certificate,
  seen: CertificateSeen,
  members: readonly ShownDomain[],
  now: Date,
): void {
  const { events, expiryToldDays } = seenEvents(group.serviceId, certificate, seen, members, now);
  certificates.recordSeen(tx, certificate, seen, expiryToldDays, tell(tx, group, events));
}

/** Gives a certificate up because its request failed. */
export async function failCertificate(
  tx: Transaction,
  group: Group,
  certificate: Certificate,
): Promise<void> {
  const told = tell(tx, group, [failedEvent(group.serviceId, certificate, "request")]);
  await certificates.abandon(tx, certificate, told);
}

/** The events of Slipway's own work, for a statement. They are written only if the statement changes something. */
export function tell(
  tx: Transaction,
  { organizationId }: Group,
  events: readonly NewEvent[],
): OutboxParameters {
  if (events.length > 0) announceWork(tx);
  return outboxOf(slipwayOf(organizationId), events);
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
    const status = domain.isWanted ? "ERROR_ATTACHING" : "ERROR_DETACHING";
    // Keep the time of the first failure: a repeated one is not news.
    if (domain.status === status && domain.lastAttachmentError?.code === error.code) continue;
    setDomain(tx, group, domain, status, error);
  }
  if (failed.length === 0) return;
  const members = await domains.listAll(tx, group.organizationId, group.id);
  setGroupStatus(tx, group, groupStatusOf(members));
}

/** @param records of the domain, if it becomes `ATTACHED` */
export function setDomain(
  tx: Transaction,
  group: Group,
  domain: Domain,
  status: DomainStatus,
  error: AttachmentError | null = null,
  records: readonly DnsRecord[] = [],
): void {
  const told = tell(tx, group, movedEvents(group.serviceId, domain, status, error, records));
  domains.move(tx, domain, status, error, told, {
    onRows(moved) {
      if (moved.length > 0) announceChange(tx, domain.id);
    },
  });
}

/** A group that is being deleted keeps that status. Besides its reconciler, only clients change it. */
export function setGroupStatus(tx: Transaction, group: Group, status: GroupStatus): void {
  if (group.status === status || group.isDeleting) return;
  groups.setStatus(tx, group.organizationId, group.id, status, tell(tx, group, groupEvents(group, status)));
  announceChange(tx, group.id);
}

/** Shows the CAA records that would let the provider issue, at the latest when they are the reason of an error. */
export function showAuthorization(
  tx: Transaction,
  group: Group,
  refused: readonly ShownDomain[],
  caa: ReadonlyMap<string, CaaRefusal>,
): void {
  for (const domain of refused) {
    const refusal = caa.get(domain.name);
    if (refusal !== undefined) putRecord(tx, group, domain, authorizationRecord(domain, refusal), refusal);
  }
}

function showVerification(
  tx: Transaction,
  group: Group,
  members: readonly ShownDomain[],
  seen: CertificateSeen,
): void {
  for (const domain of members) {
    const wanted = verificationOf(domain, seen);
    if (wanted !== null) putRecord(tx, group, domain, wanted);
  }
}

function putRecord(
  tx: Transaction,
  group: Group,
  domain: ShownDomain,
  record: ReturnType<typeof verificationRecord>,
  refusal: CaaRefusal | null = null,
): void {
  const events = shownEvents(group.serviceId, domain, domain.records, record, refusal);
  dnsRecords.put(tx, record, tell(tx, group, events));
}

/** Null until the provider returns it. */
function verificationOf(domain: Domain, seen: CertificateSeen): ReturnType<typeof verificationRecord> | null {
  const record = seen.domains.find(({ name }) => name === domain.name)?.record ?? null;
  return record === null ? null : verificationRecord(domain, record);
}

/** A group that serves domains is `ACTIVE`, even if others have failed: `domainsInError` counts those. */
export function groupStatusOf(members: readonly Domain[]): GroupStatus {
  const isServing = members.some(({ status }) => status === "ATTACHED");
  if (!isServing && members.some(({ status }) => status.startsWith("ERROR_"))) return "ERROR";
  return members.length === 0 ? "DRAFT" : "ACTIVE";
}
