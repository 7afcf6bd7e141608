import type { ObservedRecords, ZoneRecord } from "../../../cloud/cloud.ts";
import type {
  DnsRecord,
  Domain,
  DomainWithRecords,
  SetRecord,
  ZoneProblem,
  ZoneProblemCode,
} from "../custom-domain.ts";

import { isMoveFirst, isSameRecord, setWhenOf } from "../records/dns-record.ts";

/** At once, so that a step ends long before another worker may take its group. A zone of Route 53 takes 5 calls a second. */
export const DOMAINS_AT_ONCE = 10;
/** After a problem the zone is looked at again, at growing intervals: its owner may solve it, and DNS servers be busy. */
const AGAIN_MS = { least: 10_000, most: 60 * 60_000 };

/** What a domain needs in its zone. CAA records are the owner's own policy, which Slipway does not touch. Pure. */
export function zoneRecordsOf({
  records,
}: DomainWithRecords): readonly (ZoneRecord & Pick<DnsRecord, "status">)[] {
  return records.flatMap(({ type, name, value, status }) =>
    type === "CAA" ? [] : [{ type, name, value, status }],
  );
}

/**
 * The records to set: the DNS does not have them, and they were not set before. A record that its owner removed stays
 * removed. A record that would take a name away from where it is served waits for the certificate. Pure.
 */
export function unsetOf(domain: DomainWithRecords): readonly ZoneRecord[] {
  const isFirst = isMoveFirst(domain, domain.records);
  const known = (domain.zoneState?.records ?? []).filter(({ status }) => status !== "SETTING");
  const due = domain.records.filter((record) => setWhenOf(domain.status, record, isFirst) === "NOW");
  return zoneRecordsOf({ ...domain, records: due })
    .filter((record) => record.status === "PENDING" && !known.some((one) => isSameRecord(one, record)))
    .map(({ type, name, value }) => ({ type, name, value }));
}

/** The records that were set and are no longer needed, because their values changed. Pure. */
export function staleOf(domain: DomainWithRecords): readonly SetRecord[] {
  const desired = zoneRecordsOf(domain);
  return (domain.zoneState?.records ?? []).filter(
    (one) => !desired.some((record) => isSameRecord(one, record)),
  );
}

/** When to check a domain's zone; null if there is nothing to do there. Pure. */
export function zoneDueAt(domain: DomainWithRecords): Date | null {
  if (!domain.isDesired) return null;
  const problem = domain.zoneState?.problem ?? null;
  const isOpen = unsetOf(domain).length > 0 || staleOf(domain).length > 0;
  if (!isOpen) return problem === null ? null : new Date(0);
  if (problem === null) return new Date(0);
  const [since, last] = [Date.parse(problem.since), Date.parse(problem.lookedAt)];
  return new Date(last + Math.min(AGAIN_MS.most, Math.max(AGAIN_MS.least, (last - since) / 2)));
}

/** How a desired record stands to what is at its name. Pure. */
export function compareWithZone(
  desired: ZoneRecord,
  observed: readonly ObservedRecords[],
): "absent" | "equal" | { readonly found: string } {
  const same = observed.find(({ type }) => type === desired.type);
  if (same?.values.length === 1 && same.values[0] === desired.value) return "equal";
  // A CNAME allows nothing beside it; an ALIAS, which is addresses, only no other addresses. NS and SOA belong to the
  // zone itself and must stay: where they are, an ALIAS is desired (`isZoneApex`).
  const inTheWay = observed.filter(({ type }) =>
    desired.type === "CNAME" ? !["NS", "SOA"].includes(type) : ["A", "AAAA", "CNAME", "ALIAS"].includes(type),
  );
  if (inTheWay.length === 0) return "absent";
  return { found: inTheWay.map(({ type, values }) => `${type} ${values.join(", ")}`).join("; ") };
}

/** A problem, with the time since which it is the same. Pure. */
export function problemOf(
  before: ZoneProblem | null,
  code: ZoneProblemCode,
  message: string,
  now: Date,
): ZoneProblem {
  const at = now.toISOString();
  const since = before?.code === code ? before.since : at;
  return { code, message, since, lookedAt: at };
}

/** The name whose verification record is the same: a wildcard is proved by the name that it is below. Pure. */
export function counterpartOf({ name }: Pick<Domain, "name">): string {
  return name.startsWith("*.") ? name.slice(2) : `*.${name}`;
}
