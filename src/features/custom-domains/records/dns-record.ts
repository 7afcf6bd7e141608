import type { ValidationRecord } from "../../../cloud/cloud.ts";
import { newId } from "../../../lib/ids.ts";
import type { DnsRecord, Domain } from "../custom-domain.ts";

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

/** The record that leads traffic to the distribution. An apex cannot hold a CNAME (RFC 1034, section 3.6.2). */
export function connectionRecord(domain: Domain, target: string): NewRecord {
  return {
    organizationId: domain.organizationId,
    id: newId("rec"),
    domainId: domain.id,
    purpose: "SERVICE_CONNECTION",
    type: domain.type === "APEX" ? "ALIAS" : "CNAME",
    name: domain.name,
    value: withoutDot(target),
  };
}

/**
 * The record that allows the provider to issue, in addition to the existing CAA records. It belongs at the same name: a
 * CAA set further down the tree would replace them for everything below it (RFC 8659, section 3).
 */
export function authorizationRecord(
  domain: Pick<Domain, "organizationId" | "id" | "name">,
  refusal: { readonly at: string; readonly found: readonly string[] },
  issuer: string,
): NewRecord {
  const isForWildcards =
    domain.name.startsWith("*.") && refusal.found.some((text) => /\bissuewild\b/i.test(text));
  return {
    organizationId: domain.organizationId,
    id: newId("rec"),
    domainId: domain.id,
    purpose: "CERTIFICATE_AUTHORITY_AUTHORIZATION",
    type: "CAA",
    name: withoutDot(refusal.at),
    value: `0 ${isForWildcards ? "issuewild" : "issue"} "${issuer}"`,
  };
}

function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
