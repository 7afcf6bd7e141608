/** What the page of a domain group says about its domains and records. Pure. */
import type { DnsRecord, Domain, DomainCertificateGroup } from "../../../sdk/src/generated/types.ts";
import { formatDomainCount } from "./domain-selection.ts";
import { type DomainWords, tellDomain } from "./domain-words.ts";

export function isServed(domain: Pick<Domain, "status" | "dnsRecords" | "warnings">): boolean {
  return tellDomain(domain).turn === null;
}

/** For how many days a share link works, for a choice. */
export const SHARE_DAYS: readonly (readonly [string, string])[] = [
  ["1", "A day"],
  ["7", "A week"],
  ["30", "30 days"],
];

/** What a record's owner has to know of it at a glance. */
export type RecordState = { readonly words: string; readonly tone: DomainWords["tone"] };

type Checked = Pick<
  DnsRecord,
  "status" | "setWhen" | "lastPropagationCheckValue" | "lastPropagationCheckError" | "accountZone"
>;

/** Whether something else is in place of a record. */
export function isWrong({ status, lastPropagationCheckValue, lastPropagationCheckError }: Checked): boolean {
  const { code } = lastPropagationCheckError ?? {};
  return (
    status !== "OK" && code !== undefined && (code !== "NOT_FOUND" || lastPropagationCheckValue !== null)
  );
}

/** When to set a record, or whether it is set. */
export function describeRecord(record: Checked): RecordState {
  if (record.status === "OK") return { words: "Set", tone: "good" };
  if (record.accountZone?.status === "SETTING") return { words: "Slipway sets it", tone: "busy" };
  if (record.setWhen === "AFTER_CERTIFICATE") return { words: "After the certificate", tone: "calm" };
  return isWrong(record)
    ? { words: "Wrong, set it now", tone: "bad" }
    : { words: "Set it now", tone: "todo" };
}

/** What a check found, in a few words. */
export function describeFinding(record: Checked & Pick<DnsRecord, "lastPropagationCheckAt">): string {
  if (record.lastPropagationCheckAt === null) return "Not checked yet";
  if (record.status === "OK") return "Found";
  return isWrong(record) ? "Something else found" : "Nothing found";
}

/** The columns of a domain: its state, and the person or system that has to act. */
export function describeRow(
  domain: Pick<Domain, "status" | "dnsRecords" | "warnings" | "lastAttachmentError">,
  autoDns: boolean,
): DomainWords & { readonly waitsFor: string } {
  const words = tellDomain(domain);
  const { status, dnsRecords } = domain;
  if (words.turn === null) return { ...words, waitsFor: "Nothing" };
  if (words.turn === "Slipway") return { ...words, waitsFor: `Slipway: ${WORK[status] ?? "at work"}` };
  const open = dnsRecords.filter((record) => record.status !== "OK");
  const now = open.filter(({ setWhen }) => setWhen === "NOW");
  const isBad = words.tone === "todo" && now.some(isWrong);
  const state = isBad ? { ...words, words: "Wrong DNS record", tone: "bad" as const } : words;
  if (status.startsWith("ERROR_")) return { ...state, waitsFor: "You: read the problem, then retry" };
  if (autoDns && domain.warnings.length === 0 && open.every(({ accountZone }) => accountZone !== null))
    return { ...state, waitsFor: "Slipway: setting the records" };
  const wrong = now.filter(isWrong).length;
  const missing = (now.length === 0 ? open.length : now.length) - wrong;
  const steps = [
    ...(wrong === 0 ? [] : [`correct ${countOf(wrong)}`]),
    ...(missing === 0 ? [] : [`set ${wrong === 0 ? countOf(missing) : missing}`]),
  ];
  return { ...state, waitsFor: `You: ${steps.length === 0 ? "read the problem" : steps.join(", ")}` };
}

function countOf(records: number): string {
  return records === 1 ? "1 record" : `${records} records`;
}

const WORK: Partial<Readonly<Record<Domain["status"], string>>> = {
  PENDING: "accepting it",
  CREATING: "requesting the certificate",
  AWAITING_VERIFICATION_RECORDS_TO_BE_SET: "waiting for the certificate authority",
  ATTACHING: "adding it to the distribution",
  DETACHING: "removing it from the distribution",
};

/** The state of a group's certificate, as the beginning of a sentence. */
export function describeCertificate(certificate: DomainCertificateGroup["certificate"]): string {
  if (certificate === null) return "Certificate not requested yet";
  if (certificate.status === "PENDING_VALIDATION") return "Certificate waits for the DNS records";
  return `Certificate ${certificate.status.replaceAll("_", " ").toLowerCase()}`;
}

/** An error that several domains have in common, such as that there are too many; null: there is none. */
export function findSharedError(
  domains: readonly Pick<Domain, "lastAttachmentError">[],
): { readonly error: NonNullable<Domain["lastAttachmentError"]>; readonly count: number } | null {
  const errors = domains.flatMap(({ lastAttachmentError: error }) => (error === null ? [] : [error]));
  const [error] = errors;
  if (error === undefined || errors.length < 2) return null;
  return errors.every(({ message }) => message === error.message) ? { error, count: errors.length } : null;
}

/** How many domains wait for whom, in a sentence. */
export function describeWaiting(
  domains: readonly Pick<Domain, "status" | "dnsRecords" | "warnings">[],
): string {
  const turns = domains.map((domain) => tellDomain(domain).turn);
  const you = turns.filter((turn) => turn === "you").length;
  const slipway = turns.filter((turn) => turn === "Slipway").length;
  const missing = domains.flatMap(({ dnsRecords }) => dnsRecords).filter(({ status }) => status !== "OK");
  if (you + slipway === 0)
    return missing.length === 0 ? "All records are set. Keep them: the certificate is renewed by them." : "";
  const parts = [
    you === 0 ? null : `${you === 1 ? "1 domain waits" : `${you} domains wait`} for you`,
    slipway === 0 ? null : `Slipway works on ${formatDomainCount(slipway)}`,
  ].filter((part) => part !== null);
  return `${parts.join(", ")}.`;
}
