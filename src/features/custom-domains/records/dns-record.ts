import type { ValidationRecord } from "../../../cloud/cloud.ts";
import type { CaaRefusal } from "../../../dns/dns.ts";
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
