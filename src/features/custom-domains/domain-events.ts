/** The events of what Slipway does with domains automatically. Pure. */
import type { Static, TSchema } from "typebox";
import type { CaaRefusal, Delegation } from "../../dns/dns.ts";
import { type DeclaredEvent, eventOf, type NewEvent } from "../events/event.ts";
import type {
  AttachmentError,
  Certificate,
  DnsRecord,
  Domain,
  DomainStatus,
  Group,
  RedirectProblem,
  SetRecord,
  ZoneState,
} from "./custom-domain.ts";
import { CUSTOM_DOMAIN_EVENTS, type RENEWAL_REASONS } from "./events.ts";
import { isSameDelegation } from "./records/delegation.ts";
import { providerOf } from "./records/dns-providers.ts";
import { type Warning, warningsOf } from "./warnings.ts";

type Named = Pick<Domain, "id" | "name" | "groupId">;
type Warned = Named & Pick<Domain, "status" | "isApexRefused" | "zoneState">;
type NamedGroup = Pick<Group, "id" | "name" | "serviceId">;
type Shown = Pick<DnsRecord, "purpose" | "type" | "name" | "value">;

/**
 * The thresholds of the expiry event, in days before expiry, the smallest first: if earlier events were missed, only
 * the event of the smallest threshold that applies is emitted.
 */
const EXPIRY_DAYS = [1, 7, 14, 30] as const;
const DAY_MS = 24 * 60 * 60_000;
/** More of its life than this is left to a certificate that is renewed in time: CAs renew at a third, or earlier. */
const LATE_LIFE = 0.2;

/** An event of a domain, whose data names the domain and its group. */
export function domainEvent<Data extends TSchema>(
  type: DeclaredEvent<Data>,
  serviceId: string,
  { id, name, groupId }: Named,
  data: Omit<Static<Data>, "name" | "groupId">,
): NewEvent {
  return { type, subjectId: id, serviceId, data: { name, groupId, ...data } };
}

export function createdEvents(serviceId: string, created: readonly Domain[]): readonly NewEvent[] {
  return created.map((domain) =>
    domainEvent(CUSTOM_DOMAIN_EVENTS["domain.created"], serviceId, domain, { status: domain.status }),
  );
}

/** Nothing for a status on the way. @param records of the domain, for what is missing when it is attached */
export function movedEvents(
  serviceId: string,
  domain: Warned,
  status: DomainStatus,
  error: AttachmentError | null,
  records: readonly DnsRecord[],
): readonly NewEvent[] {
  const moved = { status, previousStatus: domain.status };
  if (status === "ATTACHED") {
    const before = warningsOf(domain, records);
    return [
      domainEvent(CUSTOM_DOMAIN_EVENTS["domain.attached"], serviceId, domain, moved),
      ...warningEvents(serviceId, domain, before, warningsOf({ ...domain, status }, records)),
    ];
  }
  if (error === null) return [];
  const { code, message, action, retryable } = error;
  const data = { ...moved, error: { code, message, action, retryable } };
  return [domainEvent(CUSTOM_DOMAIN_EVENTS["domain.attachment_failed"], serviceId, domain, data)];
}

/** @param previousStatus null for a record that is new, or has a new value */
export function recordEvent(
  serviceId: string,
  domain: Named,
  { purpose, type, name, value }: Shown,
  status: DnsRecord["status"],
  previousStatus: DnsRecord["status"] | null,
): NewEvent {
  const shown = { purpose, type, name, value, status };
  const record = previousStatus === null ? shown : { ...shown, previousStatus };
  return domainEvent(CUSTOM_DOMAIN_EVENTS["domain.records_changed"], serviceId, domain, { record });
}

/** @param found what is set in place of the record; null if that cannot be said */
export function recordWrongEvent(
  serviceId: string,
  domain: Named,
  { purpose, type, name, value }: Shown,
  found: string | null,
  problem: { readonly code: string; readonly message: string },
): NewEvent {
  const { code, message } = problem;
  const record = { purpose, type, name, value, found, problem: { code, message } };
  return domainEvent(CUSTOM_DOMAIN_EVENTS["domain.record_wrong"], serviceId, domain, { record });
}

/**
 * A record is shown, or shown with another value, which was not checked yet.
 * @param records of the domain, before
 * @param refusal of a CAA record: what a lookup found
 */
export function shownEvents(
  serviceId: string,
  domain: Warned,
  records: readonly DnsRecord[],
  desired: Shown,
  refusal: CaaRefusal | null = null,
): readonly NewEvent[] {
  const lastCheckError = refusal === null ? null : { message: `${refusal.message} ${refusal.action}` };
  const shown = { ...desired, status: "PENDING", lastCheckAt: null, lastCheckError, lastOkAt: null } as const;
  const others = records.filter(({ purpose }) => purpose !== desired.purpose);
  return [
    recordEvent(serviceId, domain, desired, "PENDING", null),
    ...warningEvents(serviceId, domain, warningsOf(domain, records), warningsOf(domain, [...others, shown])),
  ];
}

export function warningEvents(
  serviceId: string,
  domain: Named,
  before: readonly Warning[],
  after: readonly Warning[],
): readonly NewEvent[] {
  const eventsOf = (
    type: "domain.warning_raised" | "domain.warning_resolved",
    of: readonly Warning[],
    but: readonly Warning[],
  ) =>
    of
      .filter(({ code }) => !but.some((other) => other.code === code))
      .map((warning) =>
        domainEvent(CUSTOM_DOMAIN_EVENTS[type], serviceId, domain, { warning: { ...warning } }),
      );
  return [
    ...eventsOf("domain.warning_raised", after, before),
    ...eventsOf("domain.warning_resolved", before, after),
  ];
}

/**
 * The events of a changed delegation, and of the warnings that it raises or resolves. The first delegation found emits
 * no `domain.dns_moved`.
 */
export function delegationEvents(
  serviceId: string,
  domain: Warned & Pick<Domain, "delegation">,
  now: Pick<Domain, "isApexRefused"> & { readonly delegation: Delegation },
  records: readonly DnsRecord[],
): readonly NewEvent[] {
  const { delegation: before } = domain;
  const warned = warningEvents(
    serviceId,
    domain,
    warningsOf(domain, records),
    warningsOf({ ...domain, ...now }, records),
  );
  if (before === null || isSameDelegation(before, now.delegation)) return warned;
  const shown = ({ zone, nameServers }: Delegation) => ({
    zone,
    nameServers: [...nameServers],
    provider: providerOf(nameServers).name,
  });
  const data = { dns: shown(now.delegation), previousDns: shown(before) };
  return [domainEvent(CUSTOM_DOMAIN_EVENTS["domain.dns_moved"], serviceId, domain, data), ...warned];
}

/** What Slipway set in a zone of the account, and what is new of a problem there. @param set what it created just now */
export function zoneEvents(
  serviceId: string,
  domain: Warned,
  zoneState: ZoneState,
  set: readonly SetRecord[],
): readonly NewEvent[] {
  const type = CUSTOM_DOMAIN_EVENTS["domain.dns_records_set"];
  return [
    ...(set.length === 0 ? [] : [domainEvent(type, serviceId, domain, { records: set.map(viewSetRecord) })]),
    ...warningEvents(serviceId, domain, warningsOf(domain, []), warningsOf({ ...domain, zoneState }, [])),
  ];
}

export function zoneRemovedEvent(
  serviceId: string,
  domain: Named,
  removed: readonly SetRecord[],
  left: readonly SetRecord[],
): NewEvent {
  const data = { records: removed.map(viewSetRecord), left: left.map(viewSetRecord) };
  return domainEvent(CUSTOM_DOMAIN_EVENTS["domain.dns_records_removed"], serviceId, domain, data);
}

function viewSetRecord({ zoneId, type, name, value }: SetRecord) {
  return { zoneId, type, name, value };
}

/** Also reports what changes domains without an event of their own: a retry, and the beginning of a deletion. */
export function groupUpdatedEvent({ id, name, serviceId, status, autoDns }: Group): NewEvent {
  const type = CUSTOM_DOMAIN_EVENTS["domain_group.updated"];
  return eventOf({ type, subjectId: id, serviceId, data: { name, status, autoDns } });
}

export function redirectChangedEvent(serviceId: string, domain: Domain, before: Domain): NewEvent {
  const data = { redirectTo: domain.redirectTo, previousRedirectTo: before.redirectTo };
  return domainEvent(CUSTOM_DOMAIN_EVENTS["domain.redirect_changed"], serviceId, domain, data);
}

export function redirectServedEvent(serviceId: string, domain: Domain): NewEvent {
  const { redirectTo } = domain;
  return domainEvent(CUSTOM_DOMAIN_EVENTS["domain.redirect_served"], serviceId, domain, { redirectTo });
}

export function redirectFailedEvent(
  serviceId: string,
  domain: Domain,
  { code, message }: RedirectProblem,
): NewEvent {
  const data = { redirectTo: domain.redirectTo, error: { code, message } };
  return domainEvent(CUSTOM_DOMAIN_EVENTS["domain.redirect_failed"], serviceId, domain, data);
}

export function deletedEvent(serviceId: string, domain: Named): NewEvent {
  return domainEvent(CUSTOM_DOMAIN_EVENTS["domain.deleted"], serviceId, domain, {});
}

export function groupEvents(group: NamedGroup, status: Group["status"]): readonly NewEvent[] {
  if (status === "ACTIVE") return [groupEvent("domain_group.activated", group, status)];
  return status === "ERROR" ? [groupEvent("domain_group.failed", group, status)] : [];
}

export function groupEvent(
  type: "domain_group.activated" | "domain_group.failed" | "domain_group.abandoned" | "domain_group.deleted",
  { id, name, serviceId }: NamedGroup,
  status: Group["status"],
): NewEvent {
  return eventOf({ type: CUSTOM_DOMAIN_EVENTS[type], subjectId: id, serviceId, data: { name, status } });
}

type Observed = Pick<Certificate, "issuedAt" | "expiresAt" | "renewalStatus">;

/**
 * The events of a certificate's changes at the provider, and the `expiryNotifiedDays` to store: the threshold of the
 * last expiry event.
 * @param members the group's domains, for why it was not renewed
 */
export function certificateEvents(
  serviceId: string,
  certificate: NamedCertificate & Observed & Pick<Certificate, "expiryNotifiedDays">,
  { issuedAt, expiresAt, renewalStatus }: Observed,
  members: readonly Member[],
  now: Date,
): { readonly events: readonly NewEvent[]; readonly expiryNotifiedDays: number | null } {
  const { names, expiryNotifiedDays } = certificate;
  const base = { subjectId: certificate.id, serviceId };
  const data = dataOf({ ...certificate, expiresAt });
  if (certificate.issuedAt === null && issuedAt !== null) {
    const type = CUSTOM_DOMAIN_EVENTS["certificate.issued"];
    return { events: [eventOf({ ...base, type, data })], expiryNotifiedDays: null };
  }
  if (certificate.expiresAt !== null && expiresAt !== null && expiresAt > certificate.expiresAt) {
    const type = CUSTOM_DOMAIN_EVENTS["certificate.renewed"];
    return { events: [eventOf({ ...base, type, data })], expiryNotifiedDays: null };
  }
  const hasFailed = renewalStatus === "FAILED" && certificate.renewalStatus !== "FAILED";
  const events = hasFailed ? [certificateFailedEvent(serviceId, certificate, "renewal")] : [];
  const leftDays = expiresAt === null ? Infinity : (expiresAt.getTime() - now.getTime()) / DAY_MS;
  const days = EXPIRY_DAYS.find((one) => leftDays <= one) ?? null;
  if (
    days === null ||
    isInTime(issuedAt, expiresAt, now) ||
    (expiryNotifiedDays !== null && expiryNotifiedDays <= days)
  )
    return { events, expiryNotifiedDays };
  const type = CUSTOM_DOMAIN_EVENTS["certificate.expiring"];
  const reasons = [...renewalReasons(names, members)];
  return {
    events: [...events, eventOf({ ...base, type, data: { ...data, days, reasons } })],
    expiryNotifiedDays: days,
  };
}

/** Certificates may be made for less than the largest threshold. */
function isInTime(issuedAt: Date | null, expiresAt: Date | null, now: Date): boolean {
  if (issuedAt === null || expiresAt === null) return false;
  const lifeMs = expiresAt.getTime() - issuedAt.getTime();
  return expiresAt.getTime() - now.getTime() > lifeMs * LATE_LIFE;
}

type Member = Pick<Domain, "name" | "status" | "isApexRefused" | "zoneState"> & {
  readonly records: readonly DnsRecord[];
};
type RenewalReason = { readonly code: (typeof RENEWAL_REASONS)[number]; readonly domain: string | null };

/** Why a provider cannot renew a certificate, as far as Slipway knows. */
function renewalReasons(names: readonly string[], members: readonly Member[]): readonly RenewalReason[] {
  const served = members.filter(({ name, status }) => status === "ATTACHED" && names.includes(name));
  if (served.length === 0) return [{ code: "NOT_IN_USE", domain: null }];
  return served.flatMap((domain) =>
    warningsOf(domain, domain.records).flatMap(({ code }) =>
      code === "VERIFICATION_RECORD_MISSING" || code === "CAA_REFUSES_RENEWAL"
        ? [{ code, domain: domain.name }]
        : [],
    ),
  );
}

export function certificateFailedEvent(
  serviceId: string,
  certificate: NamedCertificate,
  reason: "request" | "renewal",
): NewEvent {
  const type = CUSTOM_DOMAIN_EVENTS["certificate.failed"];
  const data = { ...dataOf(certificate), reason };
  return eventOf({ type, subjectId: certificate.id, serviceId, data });
}

type NamedCertificate = Pick<Certificate, "id" | "groupId" | "providerId" | "names" | "expiresAt">;

function dataOf({ groupId, providerId, names, expiresAt }: NamedCertificate) {
  return { groupId, providerId, names: [...names], expiresAt: expiresAt?.toISOString() ?? null };
}
