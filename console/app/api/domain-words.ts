/** What state a domain is in, whose turn it is, and what is next, in a person's words. Pure. */
import type { DnsRecord, DnsRecordPurpose, Domain, DomainStatus } from "../../../sdk/src/generated/types.ts";

/** The user or Slipway has to act; null: neither. */
export type Turn = "you" | "Slipway" | null;

export type DomainWords = {
  readonly words: string;
  readonly tone: "good" | "busy" | "todo" | "bad" | "calm";
  readonly turn: Turn;
  /** The work under way, or what to do. */
  readonly next: string;
};

const SERVED = { words: "Served", tone: "good", turn: null } as const;

/** The words for each status, before the records are considered. */
const WORDS: Readonly<Record<DomainStatus, DomainWords>> = {
  PENDING: {
    words: "Accepted",
    tone: "busy",
    turn: "Slipway",
    next: "Slipway is about to request its certificate.",
  },
  CREATING: {
    words: "Requesting certificate",
    tone: "busy",
    turn: "Slipway",
    next: "The DNS record to set appears here in a moment.",
  },
  AWAITING_VERIFICATION_RECORDS_TO_BE_SET: {
    words: "Waiting for your DNS record",
    tone: "todo",
    turn: "you",
    next: "Set the records at your DNS provider. Slipway continues as soon as it sees the verification record.",
  },
  ATTACHING: {
    words: "Attaching",
    tone: "busy",
    turn: "Slipway",
    next: "The certificate is issued. Slipway is adding the name to the distribution.",
  },
  ATTACHED: { ...SERVED, next: "Requests to this name reach the service." },
  DETACHING: {
    words: "Being removed",
    tone: "busy",
    turn: "Slipway",
    next: "Slipway is taking the name off the distribution.",
  },
  ERROR_ATTACHING: {
    words: "Could not be attached",
    tone: "bad",
    turn: "you",
    next: "Do what is said below, then retry.",
  },
  ERROR_DETACHING: {
    words: "Could not be removed",
    tone: "bad",
    turn: "you",
    next: "Do what is said below, then retry.",
  },
};

/**
 * A domain with its records, in words. It is served only if its name points at the service; a certificate is not
 * enough. The server's rule for `ATTACHED` is in `src/features/custom-domains`.
 */
export function tellDomain({
  status,
  dnsRecords,
  warnings,
}: Pick<Domain, "status" | "dnsRecords" | "warnings">): DomainWords {
  const has = (purpose: DnsRecordPurpose) =>
    dnsRecords.find((record) => record.purpose === purpose)?.status === "OK";
  if (status === "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" && has("CERTIFICATE_DOMAIN_VERIFICATION"))
    return {
      words: "Certificate being issued",
      tone: "busy",
      turn: "Slipway",
      next: "Slipway sees your record. The certificate authority usually needs a few minutes.",
    };
  if (status !== "ATTACHED") return WORDS[status];
  if (warnings.some(({ code }) => code === "CONNECTION_RECORD_MISSING"))
    return {
      words: "No longer points here",
      tone: "bad",
      turn: "you",
      next: "The connection record is missing. Set it again: without it, the service cannot be reached by this name.",
    };
  if (!has("SERVICE_CONNECTION"))
    return {
      words: "Ready, does not point here yet",
      tone: "todo",
      turn: "you",
      next: "The certificate is ready. Set the connection record to lead visitors to the service.",
    };
  if (warnings.length > 0)
    return {
      words: "Served, needs attention",
      tone: "todo",
      turn: "you",
      next: "See below what will go wrong.",
    };
  return WORDS.ATTACHED;
}

/** A domain of the list of all domains; the server says who has to act. */
export function tellDomainRow({
  status,
  waitsFor,
}: {
  readonly status: DomainStatus;
  readonly waitsFor: "CUSTOMER" | "SLIPWAY" | null;
}): DomainWords {
  if (status === "ATTACHED" && waitsFor !== null)
    return { words: "Not served as it should be", tone: "todo", turn: "you", next: "Look at its records." };
  if (status === "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" && waitsFor === "SLIPWAY")
    return { words: "Certificate being issued", tone: "busy", turn: "Slipway", next: "" };
  return { ...WORDS[status], turn: waitsFor === null ? null : waitsFor === "CUSTOMER" ? "you" : "Slipway" };
}

/** A row's words for a problem; null if records are still to be set, which the state and the group's page show. */
export function tellRowProblem({
  status,
  problem,
}: {
  readonly status: DomainStatus;
  readonly problem: string | null;
}): string | null {
  if (problem === null || status === "AWAITING_VERIFICATION_RECORDS_TO_BE_SET") return null;
  return /^.*?[.](?= [A-Z]|$)/.exec(problem)?.[0] ?? problem;
}

export function tellTurn(turn: Turn): string {
  if (turn === null) return "Done";
  return turn === "you" ? "You" : "Slipway, at work";
}

export const PURPOSES: Readonly<Record<DnsRecordPurpose, string>> = {
  CERTIFICATE_DOMAIN_VERIFICATION: "Proves that the domain is yours; keep it",
  SERVICE_CONNECTION: "Points the name at the service",
  CERTIFICATE_AUTHORITY_AUTHORIZATION: "Lets the certificate be issued",
};

/** What the last check of a record found. @returns null if the record is correct, or was not checked yet */
export function tellFound(
  record: Pick<
    DnsRecord,
    "status" | "lastPropagationCheckAt" | "lastPropagationCheckValue" | "lastPropagationCheckError"
  >,
): { readonly found: string | null; readonly what: string | null } | null {
  if (record.status === "OK" || record.lastPropagationCheckAt === null) return null;
  const found = record.lastPropagationCheckValue;
  if (found === null && record.lastPropagationCheckError?.code === "NOT_FOUND")
    return { found, what: "Nothing is set under this name yet." };
  return { found, what: record.lastPropagationCheckError?.message ?? null };
}

/** How a type is called at DNS providers, where that differs. */
export function tellRecordType(type: DnsRecord["type"]): string | null {
  return type === "ALIAS" ? "also called ANAME or CNAME flattening" : null;
}
