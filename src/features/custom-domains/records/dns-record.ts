import type { ValidationRecord, ZoneRecord } from "../../../cloud/cloud.ts";
import type { CaaRefusal } from "../../../dns/dns.ts";
import { isWithin } from "../../../dns/names.ts";
import { newId } from "../../../lib/ids.ts";
import type { DnsRecord, Domain } from "../custom-domain.ts";
import { isZoneApex } from "./delegation.ts";

type NewRecord = Pick<
  DnsRecord,
  "organizationId" | "id" | "domainId" | "purpose" | "type" | "name" | "value"
>;

/** The record that proves control of a domain. It must stay as long as the domain, because renewals check it again. */
export function verificationRecord({ organizationId, id }: Domain, record: ValidationRecord): NewRecord {
  return {
    organizationId,
    id: newId("rec"),
    domainId: id,
    purpose: "CERTIFICATE_DOMAIN_VERIFICATION",
    type: "CNAME",
    name: withoutDot(record.name),
    value: withoutDot(record.value),
  };
}

/** The record that leads traffic to the distribution. An apex cannot hold a CNAME. */
export function connectionRecord(
  domain: Pick<Domain, "organizationId" | "id" | "name" | "type" | "delegation">,
  target: string,
): NewRecord {
  return {
    organizationId: domain.organizationId,
    id: newId("rec"),
    domainId: domain.id,
    purpose: "SERVICE_CONNECTION",
    type: isZoneApex(domain) ? "ALIAS" : "CNAME",
    name: domain.name,
    value: withoutDot(target),
  };
}

/**
 * The record that allows the provider to issue, in addition to the existing CAA records. If the owner can set none that
 * helps, its value is empty: it is checked, and not shown.
 */
export function authorizationRecord(
  domain: Pick<Domain, "organizationId" | "id">,
  { owner, setAt, value }: CaaRefusal,
): NewRecord {
  return {
    organizationId: domain.organizationId,
    id: newId("rec"),
    domainId: domain.id,
    purpose: "CERTIFICATE_AUTHORITY_AUTHORIZATION",
    type: "CAA",
    name: setAt ?? owner,
    value: setAt === null ? "" : value,
  };
}

/** Whether its owner can set a record (see `authorizationRecord`). Pure. */
export function isSettable({ value }: Pick<DnsRecord, "value">): boolean {
  return value !== "";
}

function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** Whether two are the same record. Pure. */
export function isSameRecord(one: ZoneRecord, other: ZoneRecord): boolean {
  return one.type === other.type && one.name === other.name && one.value === other.value;
}

export const SET_WHEN = ["NOW", "AFTER_CERTIFICATE"] as const;
export type SetWhen = (typeof SET_WHEN)[number];

/**
 * When to set a record. A connection record moves the visitors of its name. If the name is served elsewhere, they move
 * once the domain is `ATTACHED`, so that the name is always served. If nothing was found at the name yet, nothing can
 * be lost.
 * @param isMoveFirst of `isMoveFirst`. Pure.
 */
export function setWhenOf(
  status: Domain["status"],
  record: Pick<DnsRecord, "purpose" | "status" | "lastCheckAt" | "lastCheckValue" | "lastCheckError">,
  isMoveFirst: boolean,
): SetWhen {
  const { purpose, lastCheckAt, lastCheckValue, lastCheckError } = record;
  if (purpose !== "SERVICE_CONNECTION" || status === "ATTACHED" || record.status === "OK") return "NOW";
  const isNothingThere = lastCheckError?.code === "NOT_FOUND" || lastCheckError?.code === "WILDCARD_ENDED";
  const isFree = lastCheckAt !== null && lastCheckValue === null && isNothingThere;
  const isMoved = isMoveFirst && lastCheckError?.code === "WRONG_VALUE";
  return isFree || isMoved ? "NOW" : "AFTER_CERTIFICATE";
}

/**
 * Whether the CAA records at the target of the name's CNAME refuse the certificate: then only a move of the name lets the
 * provider issue. `dnsRecords.listOfProject` says the same in SQL. Pure.
 */
export function isMoveFirst(
  { name }: Pick<Domain, "name">,
  records: readonly Pick<DnsRecord, "name" | "value" | "status">[],
): boolean {
  return records.some(
    (record) => !isSettable(record) && record.status === "PENDING" && !isWithin(name, record.name),
  );
}
