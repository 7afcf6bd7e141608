/** What a domain needs, and what is wrong with it, in sentences. Pure. */
import type { Domain } from "../../../../sdk/src/index.ts";

type DnsRecord = Domain["dnsRecords"][number];

const SAYS: Readonly<Record<Domain["status"], string>> = {
  PENDING: "is accepted",
  CREATING: "waits for its certificate to be requested",
  AWAITING_VERIFICATION_RECORDS_TO_BE_SET: "waits for its verification record",
  ATTACHING: "has its certificate, and is being attached",
  ATTACHED: "is served over HTTPS by its distribution",
  DETACHING: "is being detached",
  ERROR_ATTACHING: "could not be attached",
  ERROR_DETACHING: "could not be detached",
};

const FOR: Readonly<Record<DnsRecord["purpose"], string>> = {
  CERTIFICATE_DOMAIN_VERIFICATION: "proves that the name is yours; keep it",
  SERVICE_CONNECTION: "leads the name to its service",
  CERTIFICATE_AUTHORITY_AUTHORIZATION: "allows the certificate",
};

/** The result of a record's last check. */
export function diagnosisOf(record: DnsRecord): string {
  const { status, lastPropagationCheckAt, lastPropagationCheckError: error } = record;
  if (error?.message !== undefined) return `${error.message} (${error.code ?? "?"})`;
  if (status === "OK") return "It is set correctly.";
  return lastPropagationCheckAt === null ? "It was not checked yet." : "It is not set correctly yet.";
}

/** The sentence before says how to set it. */
function shortDiagnosisOf(record: DnsRecord): string {
  const isMissing = record.lastPropagationCheckError?.code === "NOT_FOUND";
  return isMissing ? "No record is found there yet. (NOT_FOUND)" : diagnosisOf(record);
}

/** Why a domain is not as it should be; what to do is with each. */
export function wrongWith({ lastAttachmentError: error, warnings }: Domain): readonly string[] {
  return [
    ...(error === null ? [] : [`${error.message} ${error.action} (${error.code})`]),
    ...warnings.map(({ message, action, code }) => `${message} ${action} (${code})`),
  ];
}

/**
 * The sentences to print about a domain, by their subject. They replace the previous sentences about the same subject,
 * and are only printed if they differ.
 * @param autoDns whether Slipway sets the records of its group itself
 */
export function newsOf(domain: Domain, autoDns: boolean): ReadonlyMap<string, readonly string[]> {
  const { name, status, dnsRecords } = domain;
  const news = new Map<string, readonly string[]>([["status", [`${name} ${SAYS[status] ?? status}.`]]]);
  const setsItself =
    autoDns && !domain.warnings.some(({ code }) => /^DNS_(?:ZONE|RECORD_CONFLICT)/.test(code));
  const isOpen = dnsRecords.some((record) => record.status !== "OK");
  if (isOpen) news.set("way", wayOf(domain, setsItself));
  for (const record of dnsRecords) {
    const about = `${record.purpose} ${record.name}`;
    if (record.status !== "OK" && !setsItself) news.set(`set ${about}`, howToSet(name, record));
    if (record.status === "OK" || record.lastPropagationCheckAt !== null)
      news.set(`check ${about}`, [`${record.name}: ${shortDiagnosisOf(record)}`]);
  }
  for (const text of wrongWith(domain)) news.set(text, [`${name}: ${text}`]);
  return news;
}

/** Who sets the records, and where. */
function wayOf({ name, dnsProvider }: Domain, setsItself: boolean): readonly string[] {
  if (setsItself) return [`Slipway sets the records of ${name} itself, in the zone of the cloud account.`];
  if (dnsProvider?.name === undefined || dnsProvider.name === null) return [];
  const { name: provider, panelUrl, supports } = dnsProvider;
  return [
    `${provider} runs the DNS of ${name}: set its records there${panelUrl === null ? "." : `, at ${panelUrl}.`}`,
    ...(supports.domainConnect === true
      ? [`${provider} also sets them itself once the owner agrees (Domain Connect).`]
      : []),
  ];
}

function howToSet(
  name: string,
  { type, purpose, name: recordName, relativeName, value, panelForm, setWhen }: DnsRecord,
): readonly string[] {
  const when =
    setWhen === "AFTER_CERTIFICATE"
      ? `Set this DNS record for ${name} once it is ATTACHED, or now if nothing is served there yet; it`
      : `Set this DNS record for ${name} now; it`;
  if (panelForm !== null)
    return [
      `${when} ${FOR[purpose] ?? purpose}. In the provider's panel:`,
      `  type   ${panelForm.type}`,
      `  name   ${panelForm.host === "" ? "(leave it empty)" : panelForm.host}`,
      `  value  ${panelForm.value}`,
    ];
  return [
    `${when} ${FOR[purpose] ?? purpose}:`,
    `  type   ${type}`,
    `  name   ${recordName}${relativeName === recordName ? "" : `  (${relativeName} where the zone is added)`}`,
    `  value  ${value}`,
  ];
}
