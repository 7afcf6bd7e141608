import type { DnsRecord, Domain } from "../custom-domain.ts";

export const WARNING_CODES = [
  "VERIFICATION_RECORD_MISSING",
  "CONNECTION_RECORD_MISSING",
  "CAA_REFUSES_RENEWAL",
] as const;
type WarningCode = (typeof WARNING_CODES)[number];

/** What domains are searched by: one warning, or any. */
export const SOUGHT_WARNINGS = ["ANY", ...WARNING_CODES] as const;
export type SoughtWarning = (typeof SOUGHT_WARNINGS)[number];

/** What will go wrong with a served domain, or already does, unless its client acts. */
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
};

/**
 * Warnings exist only for served domains. Before that, the records are not set yet, and the domain's errors show other
 * problems. Pure.
 */
export function warningsOf(
  domain: Pick<Domain, "status">,
  records: readonly DnsRecord[],
): readonly Warning[] {
  if (domain.status !== "ATTACHED") return [];
  return records.flatMap((record) => {
    const code = codeOf(record);
    return code === null ? [] : [{ code, ...WORDS[code] }];
  });
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
