import { type DnsRecord, type Domain, ZONE_PROBLEM_CODES, type ZoneProblemCode } from "./custom-domain.ts";

export const WARNING_CODES = [
  "VERIFICATION_RECORD_MISSING",
  "CONNECTION_RECORD_MISSING",
  "CAA_REFUSES_RENEWAL",
  "CAA_REFUSES_CERTIFICATE",
  "APEX_NOT_SUPPORTED",
  ...ZONE_PROBLEM_CODES,
] as const;
type WarningCode = (typeof WARNING_CODES)[number];

/** What domains are searched by: one warning, any, or any with which a renewal of the certificate would fail today. */
export const SOUGHT_WARNINGS = ["ANY", "RENEWAL_UNSAFE", ...WARNING_CODES] as const;
export type SoughtWarning = (typeof SOUGHT_WARNINGS)[number];

/** What will go wrong with a domain, or already does, unless its client acts. */
export type Warning = { readonly code: WarningCode; readonly message: string; readonly action: string };

type RecordWarningCode = Exclude<WarningCode, ZoneProblemCode>;
type Judged = Pick<DnsRecord, "purpose" | "status" | "lastCheckAt" | "lastCheckError" | "lastOkAt">;

const WORDS: Readonly<Record<RecordWarningCode, Omit<Warning, "code">>> = {
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
    action: "Add the CERTIFICATE_AUTHORITY_AUTHORIZATION record from dnsRecords.",
  },
  CAA_REFUSES_CERTIFICATE: {
    message: "CAA records do not allow the provider to issue the domain's certificate.",
    action: "Add the CERTIFICATE_AUTHORITY_AUTHORIZATION record from dnsRecords.",
  },
  APEX_NOT_SUPPORTED: {
    message:
      "This name is the top of its DNS zone, where no CNAME may be, and the provider of the zone (dnsProvider) has no ALIAS records, or none that lead here. So its visitors cannot be led to the service.",
    action:
      "Use a name below it, such as www, and let the provider forward this one to it; or move the zone to a provider with ALIAS records.",
  },
};

/** What to do if Slipway cannot set a record; the problem itself says what is there. */
const ZONE_ACTIONS: Readonly<Record<ZoneProblemCode, string>> = {
  DNS_RECORD_CONFLICT:
    "Remove the record that is there, or change it to what dnsRecords shows; or set autoDns of the group to false.",
  DNS_WILDCARD_IN_USE:
    "If the name is in use, set it in its zone to what the wildcard answers now; Slipway then continues. If it is not in use, set the record that dnsRecords shows yourself. Leave the wildcard.",
  DNS_ZONE_NOT_FOUND:
    "Set the domain's records where the zone is served; or delegate the zone to the account's zone; or set autoDns of the group to false.",
  DNS_ZONE_AMBIGUOUS: "Keep one zone of this name in the account; or set the domain's records by hand.",
  DNS_ZONE_NOT_ALLOWED:
    "Allow Slipway to set records in this zone, in the cloud account; or set the domain's records by hand.",
};

/**
 * A missing or wrong record is a warning only if the domain is served, except for CAA (`codeBefore`): before that, the
 * records are not set yet, and the domain's errors show other problems. Pure. `OF_WARNING` of the search says the same
 * in SQL.
 */
export function warningsOf(
  domain: Pick<Domain, "status" | "isApexRefused" | "zoneState">,
  records: readonly Judged[],
): readonly Warning[] {
  const warned: Warning[] = isLeaving(domain)
    ? []
    : records.flatMap((record) => {
        const code = domain.status === "ATTACHED" ? codeOf(record) : codeBefore(record);
        return code === null ? [] : [warningOf(code, record)];
      });
  if (isApexInVain(domain, records)) warned.push({ code: "APEX_NOT_SUPPORTED", ...WORDS.APEX_NOT_SUPPORTED });
  const problem = isLeaving(domain) ? null : (domain.zoneState?.problem ?? null);
  if (problem === null) return warned;
  const { code, message } = problem;
  return [...warned, { code, message, action: ZONE_ACTIONS[code] }];
}

/**
 * A record that is there and cannot be used must not be called missing, and what to do about CAA records depends on where
 * they are: the check says it.
 */
function warningOf(code: RecordWarningCode, record: Judged): Warning {
  const { code: cause, message: found } = record.lastCheckError ?? {};
  const words = WORDS[code];
  if (found === undefined || cause === "NOT_FOUND" || cause === "WILDCARD_ENDED") return { code, ...words };
  if (record.purpose === "CERTIFICATE_AUTHORITY_AUTHORIZATION")
    return { code, message: words.message, action: found };
  const message = words.message.replace(" is no longer set.", ` cannot be used. ${found}`);
  return {
    code,
    message,
    action: "Do what the message says, and keep the record as long as the domain exists.",
  };
}

function isLeaving({ status }: Pick<Domain, "status">): boolean {
  return status === "DETACHING" || status === "ERROR_DETACHING";
}

/** The warning is raised before a client sets a record, and ends once a record points the apex at the service. */
function isApexInVain(domain: Pick<Domain, "status" | "isApexRefused">, records: readonly Judged[]): boolean {
  const isLed = records.some((record) => record.purpose === "SERVICE_CONNECTION" && record.status === "OK");
  return domain.isApexRefused && !isLeaving(domain) && !isLed;
}

/** Before a domain is served its records are not set yet. CAA records that refuse the provider are there already. */
function codeBefore({ purpose, status }: Judged): "CAA_REFUSES_CERTIFICATE" | null {
  const isRefused = purpose === "CERTIFICATE_AUTHORITY_AUTHORIZATION" && status === "PENDING";
  return isRefused ? "CAA_REFUSES_CERTIFICATE" : null;
}

function codeOf({ purpose, status, lastCheckAt, lastOkAt }: Judged): RecordWarningCode | null {
  if (status === "OK") return null;
  switch (purpose) {
    case "CERTIFICATE_DOMAIN_VERIFICATION":
      // A miss from before the domain was attached is forgotten (`forgetMiss`): the provider found the record since.
      return lastCheckAt === null ? null : "VERIFICATION_RECORD_MISSING";
    case "SERVICE_CONNECTION":
      // The client sets it after the domain is attached; until then it may be missing.
      return lastOkAt === null ? null : "CONNECTION_RECORD_MISSING";
    case "CERTIFICATE_AUTHORITY_AUTHORIZATION":
      // It is shown only because a lookup found the refusal.
      return "CAA_REFUSES_RENEWAL";
  }
}
