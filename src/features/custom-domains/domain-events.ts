/** The events of what Slipway does with domains automatically. Pure. */
import type { CaaRefusal, Delegation } from "../../dns/dns.ts";
import { eventOf, type NewEvent } from "../events/event.ts";
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
import { type ConnectOutcome, CUSTOM_DOMAIN_EVENTS, type RENEWAL_REASONS } from "./events.ts";
import type { Fate } from "./import/decide-import.ts";
import { type Warning, warningsOf } from "./names/warnings.ts";
import { isSameDelegation } from "./records/delegation.ts";
import { providerOf } from "./records/dns-providers.ts";

type Named = Pick<Domain, "id" | "name" | "groupId">;
type NamedGroup = Pick<Group, "id" | "name" | "serviceId">;
type Shown = Pick<DnsRecord, "purpose" | "type" | "name" | "value">;

/**
 * The thresholds of the expiry event, in days before expiry, the smallest first: if earlier events were missed, only
 * the event of the smallest threshold that applies is emitted.
 */
const EXPIRY_DAYS = [1, 7, 14, 30] as const;
const DAY_MS = 24 * 60 * 60_000;

export function createdEvents(serviceId: string, created: readonly Domain[]): readonly NewEvent[] {
  return created.map(({ id, name, groupId, status }) =>
    eventOf({
      type: CUSTOM_DOMAIN_EVENTS["domain.created"],
      subjectId: id,
      serviceId,
      data: { name, groupId, status },
    }),
  );
}

/** Nothing for a status on the way. @param records of the domain, for what is missing when it is attached */
export function movedEvents(
  serviceId: string,
  domain: Named & Pick<Domain, "status" | "isApexRefused" | "zoneState">,
  status: DomainStatus,
  error: AttachmentError | null,
  records: readonly DnsRecord[],
): readonly NewEvent[] {
  const { id: subjectId, name, groupId, status: previousStatus } = domain;
  const data = { name, groupId, status, previousStatus };
  if (status === "ATTACHED") {
    const attached = eventOf({
      type: CUSTOM_DOMAIN_EVENTS["domain.attached"],
      subjectId,
      serviceId,
      data,
    });
    const before = warningsOf(domain, records);
    return [
      attached,
      ...warningEvents(serviceId, domain, before, warningsOf({ ...domain, status }, records)),
    ];
  }
  if (error === null) return [];
  const { code, message, action, retryable } = error;
  return [
    eventOf({
      type: CUSTOM_DOMAIN_EVENTS["domain.attachment_failed"],
      subjectId,
      serviceId,
      data: { ...data, error: { code, message, action, retryable } },
    }),
  ];
}

export function recordEvent(
  serviceId: string,
  { id, name, groupId }: Named,
  record: Shown,
  status: DnsRecord["status"],
): NewEvent {
  const { purpose, type, value } = record;
  return eventOf({
    type: CUSTOM_DOMAIN_EVENTS["domain.records_changed"],
    subjectId: id,
    serviceId,
    data: { name, groupId, record: { purpose, type, name: record.name, value, status } },
  });
}

/**
 * A record is shown, or shown with another value, which was not checked yet.
 * @param records of the domain, before
 * @param refusal of a CAA record: what a lookup found
 */
export function shownEvents(
  serviceId: string,
  domain: Named & Pick<Domain, "status" | "isApexRefused" | "zoneState">,
  records: readonly DnsRecord[],
  wanted: Shown,
  refusal: CaaRefusal | null = null,
): readonly NewEvent[] {
  const lastCheckError = refusal === null ? null : { message: `${refusal.message} ${refusal.action}` };
  const shown = { ...wanted, status: "PENDING", lastCheckAt: null, lastCheckError, lastOkAt: null } as const;
  const others = records.filter(({ purpose }) => purpose !== wanted.purpose);
  return [
    recordEvent(serviceId, domain, wanted, "PENDING"),
    ...warningEvents(serviceId, domain, warningsOf(domain, records), warningsOf(domain, [...others, shown])),
  ];
}

export function warningEvents(
  serviceId: string,
  { id, name, groupId }: Named,
  before: readonly Warning[],
  after: readonly Warning[],
): readonly NewEvent[] {
  const tell = (
    type: "domain.warning_raised" | "domain.warning_resolved",
    of: readonly Warning[],
    but: readonly Warning[],
  ) =>
    of
      .filter(({ code }) => !but.some((other) => other.code === code))
      .map(({ code, message, action }) =>
        eventOf({
          type: CUSTOM_DOMAIN_EVENTS[type],
          subjectId: id,
          serviceId,
          data: { name, groupId, warning: { code, message, action } },
        }),
      );
  return [...tell("domain.warning_raised", after, before), ...tell("domain.warning_resolved", before, after)];
}

/**
 * The events of a changed delegation, and of the warnings that it raises or resolves. The first delegation found emits
 * no `domain.dns_moved`.
 */
export function delegationEvents(
  serviceId: string,
  domain: Named & Pick<Domain, "status" | "delegation" | "isApexRefused" | "zoneState">,
  now: Pick<Domain, "isApexRefused"> & { readonly delegation: Delegation },
  records: readonly DnsRecord[],
): readonly NewEvent[] {
  const { id: subjectId, name, groupId, delegation: before } = domain;
  const warned = warningEvents(
    serviceId,
    domain,
    warningsOf(domain, records),
    warningsOf({ ...domain, ...now }, records),
  );
  if (before === null || isSameDelegation(before, now.delegation)) return warned;
  const tell = ({ zone, nameServers }: Delegation) => ({
    zone,
    nameServers: [...nameServers],
    provider: providerOf(nameServers).name,
  });
  const moved = eventOf({
    type: CUSTOM_DOMAIN_EVENTS["domain.dns_moved"],
    subjectId,
    serviceId,
    data: { name, groupId, dns: tell(now.delegation), previousDns: tell(before) },
  });
  return [moved, ...warned];
}

/** What Slipway set in a zone of the account, and what is new of a problem there. @param set what it created just now */
export function zoneEvents(
  serviceId: string,
  domain: Named & Pick<Domain, "status" | "isApexRefused" | "zoneState">,
  zoneState: ZoneState,
  set: readonly SetRecord[],
): readonly NewEvent[] {
  const { id: subjectId, name, groupId } = domain;
  const type = CUSTOM_DOMAIN_EVENTS["domain.dns_records_set"];
  const data = { name, groupId, records: set.map(tellRecord) };
  return [
    ...(set.length === 0 ? [] : [eventOf({ type, subjectId, serviceId, data })]),
    ...warningEvents(serviceId, domain, warningsOf(domain, []), warningsOf({ ...domain, zoneState }, [])),
  ];
}

export function zoneRemovedEvent(
  serviceId: string,
  { id: subjectId, name, groupId }: Named,
  removed: readonly SetRecord[],
  left: readonly SetRecord[],
): NewEvent {
  return eventOf({
    type: CUSTOM_DOMAIN_EVENTS["domain.dns_records_removed"],
    subjectId,
    serviceId,
    data: { name, groupId, records: removed.map(tellRecord), left: left.map(tellRecord) },
  });
}

function tellRecord({ zoneId, type, name, value }: SetRecord) {
  return { zoneId, type, name, value };
}

export function connectEvent(
  type: "domain.connect_started" | "domain.connect_returned",
  serviceId: string,
  { id: subjectId, name, groupId }: Named,
  data: { readonly provider: string; readonly outcome?: ConnectOutcome },
): NewEvent {
  return eventOf({
    type: CUSTOM_DOMAIN_EVENTS[type],
    subjectId,
    serviceId,
    data: { name, groupId, ...data },
  });
}

export function autoDnsEvent({ id, name, serviceId, status, autoDns }: Group): NewEvent {
  const type = CUSTOM_DOMAIN_EVENTS["domain_group.updated"];
  return eventOf({ type, subjectId: id, serviceId, data: { name, status, autoDns } });
}

export function redirectChangedEvent(
  serviceId: string,
  { id: subjectId, name, groupId, redirectTo }: Domain,
  { redirectTo: previousRedirectTo }: Domain,
): NewEvent {
  const type = CUSTOM_DOMAIN_EVENTS["domain.redirect_changed"];
  return eventOf({ type, subjectId, serviceId, data: { name, groupId, redirectTo, previousRedirectTo } });
}

export function redirectServedEvent(
  serviceId: string,
  { id: subjectId, name, groupId, redirectTo }: Domain,
): NewEvent {
  const type = CUSTOM_DOMAIN_EVENTS["domain.redirect_served"];
  return eventOf({ type, subjectId, serviceId, data: { name, groupId, redirectTo } });
}

export function redirectFailedEvent(
  serviceId: string,
  { id: subjectId, name, groupId, redirectTo }: Domain,
  { code, message }: RedirectProblem,
): NewEvent {
  const type = CUSTOM_DOMAIN_EVENTS["domain.redirect_failed"];
  return eventOf({
    type,
    subjectId,
    serviceId,
    data: { name, groupId, redirectTo, error: { code, message } },
  });
}

export function importedEvent(
  serviceId: string,
  counts: Readonly<Record<Fate, number>>,
  createdGroups: number,
): NewEvent {
  const type = CUSTOM_DOMAIN_EVENTS["service.domains_imported"];
  const { accepted, duplicate, invalid, taken, quota } = counts;
  const data = { accepted, duplicate, invalid, taken, quota, createdGroups };
  return eventOf({ type, subjectId: serviceId, serviceId, data });
}

export function deletedEvent(serviceId: string, { id, name, groupId }: Named): NewEvent {
  return eventOf({
    type: CUSTOM_DOMAIN_EVENTS["domain.deleted"],
    subjectId: id,
    serviceId,
    data: { name, groupId },
  });
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

type Seen = Pick<Certificate, "issuedAt" | "expiresAt" | "renewalStatus">;

/**
 * The events of a certificate's changes at the provider, and the `expiryToldDays` to store: the threshold of the last
 * expiry event.
 * @param members the group's domains, for why it was not renewed
 */
export function seenEvents(
  serviceId: string,
  certificate: Pick<Certificate, "id" | "groupId" | "providerId" | "names" | "expiryToldDays"> & Seen,
  seen: Seen,
  members: readonly Member[],
  now: Date,
): { readonly events: readonly NewEvent[]; readonly expiryToldDays: number | null } {
  const { id: subjectId, groupId, providerId, names, expiryToldDays } = certificate;
  const { issuedAt, expiresAt, renewalStatus } = seen;
  const base = { subjectId, serviceId };
  const data = { groupId, providerId, names: [...names], expiresAt: expiresAt?.toISOString() ?? null };
  if (certificate.issuedAt === null && issuedAt !== null) {
    const type = CUSTOM_DOMAIN_EVENTS["certificate.issued"];
    return { events: [eventOf({ ...base, type, data })], expiryToldDays: null };
  }
  if (certificate.expiresAt !== null && expiresAt !== null && expiresAt > certificate.expiresAt) {
    const type = CUSTOM_DOMAIN_EVENTS["certificate.renewed"];
    return { events: [eventOf({ ...base, type, data })], expiryToldDays: null };
  }
  const events: NewEvent[] = [];
  if (renewalStatus === "FAILED" && certificate.renewalStatus !== "FAILED")
    events.push(failedEvent(serviceId, certificate, "renewal"));
  const leftDays = expiresAt === null ? Infinity : (expiresAt.getTime() - now.getTime()) / DAY_MS;
  const days = EXPIRY_DAYS.find((one) => leftDays <= one) ?? null;
  if (days === null || (expiryToldDays !== null && expiryToldDays <= days)) return { events, expiryToldDays };
  const type = CUSTOM_DOMAIN_EVENTS["certificate.expiring"];
  const reasons = renewalReasons(names, members);
  const expiring = eventOf({ ...base, type, data: { ...data, days, reasons: [...reasons] } });
  return { events: [...events, expiring], expiryToldDays: days };
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

export function failedEvent(
  serviceId: string,
  {
    id,
    groupId,
    providerId,
    names,
    expiresAt,
  }: Pick<Certificate, "id" | "groupId" | "providerId" | "names" | "expiresAt">,
  reason: "request" | "renewal",
): NewEvent {
  return eventOf({
    type: CUSTOM_DOMAIN_EVENTS["certificate.failed"],
    subjectId: id,
    serviceId,
    data: { groupId, providerId, names: [...names], expiresAt: expiresAt?.toISOString() ?? null, reason },
  });
}
