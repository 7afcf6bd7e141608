import type { DnsRecord, Domain } from "../custom-domain.ts";

export const WARNING_CODES = [
  "VERIFICATION_RECORD_MISSING",
  "CONNECTION_RECORD_MISSING",
  "CAA_REFUSES_RENEWAL",
  "APEX_NOT_SUPPORTED",
] as const;
type WarningCode = (typeof WARNING_CODES)[number];

/** What domains are searched by: one warning, any, or any with which a renewal of the certificate would fail today. */
export const SOUGHT_WARNINGS = ["ANY", "RENEWAL_UNSAFE", ...WARNING_CODES] as const;
export type SoughtWarning = (typeof SOUGHT_WARNINGS)[number];

/** What will go wrong with a domain, or already does, unless its client acts. */
export type Warning = { readonly code: WarningCode; readonly message: string; readonly action: string };

const WORDS: Readonly<Record<WarningCode, Omit<Warning, "code">>> = {
  VERIFICATION_RECORD_MISSING: {
    message:
      "The CERTIFICATE_DOMAIN_VERIFICATION record is no longer set. Without it the certificate cannot be renewed, and when it expires the domain is no longer served.",
    action: "Set the record again as dnsRecords shows it, and keep it as long as the domain exists.",
  },
  CONNECTION_RECORD_MISSING: {
    message:
      "The SERVICE_CONNECTION record is no longer set. Visitors of the domain do not reach the service.",
    action: "Set the record again as dnsRecords shows it, or delete the domain.",
  },
  CAA_REFUSES_RENEWAL: {
    message:
      "The domain's CAA records do not allow the provider to issue certificates, so the certificate cannot be renewed.",
    action: "Add the CERTIFICATE_AUTHORITY_AUTHORIZATION record from dnsRecords beside your own.",
  },
  APEX_NOT_SUPPORTED: {
    message:
      "This name is the top of its DNS zone, where no CNAME may be, and the provider of the zone (dnsProvider) has no ALIAS records, or none that lead here. So its visitors cannot be led to the service.",
    action:
      "Use a name below it, such as www, and let the provider forward this one to it; or move the zone to a provider with ALIAS records.",
  },
};

/**
 * What is wrong with its records is a warning only of a served domain: before that, they are not set yet, and the
 * domain's errors show other problems. Pure. `OF_WARNING` of the search says the same in SQL.
 */
export function warningsOf(
  domain: Pick<Domain, "status" | "isApexRefused">,
  records: readonly DnsRecord[],
): readonly Warning[] {
  const codes = domain.status === "ATTACHED" ? records.map(codeOf) : [];
  if (isApexInVain(domain, records)) codes.push("APEX_NOT_SUPPORTED");
  return codes.flatMap((code) => (code === null ? [] : [{ code, ...WORDS[code] }]));
}

/** It is told before a client tries, and no longer once a record does lead here. */
function isApexInVain(
  { status, isApexRefused }: Pick<Domain, "status" | "isApexRefused">,
  records: readonly DnsRecord[],
): boolean {
  const isLeaving = status === "DETACHING" || status === "ERROR_DETACHING";
  const isLed = records.some((record) => record.purpose === "SERVICE_CONNECTION" && record.status === "OK");
  return isApexRefused && !isLeaving && !isLed;
}

function codeOf({ purpose, status, lastCheckAt, lastOkAt }: DnsRecord): WarningCode | null {
  if (status === "OK" || lastCheckAt === null) return null;
  switch (purpose) {
    case "CERTIFICATE_DOMAIN_VERIFICATION":
      return "VERIFICATION_RECORD_MISSING";
    case "SERVICE_CONNECTION":
      // The client sets it after the domain is attached; until then it may be missing.
      return lastOkAt === null ? null : "CONNECTION_RECORD_MISSING";
    case "CERTIFICATE_AUTHORITY_AUTHORIZATION":
      return "CAA_REFUSES_RENEWAL";
  }
}
