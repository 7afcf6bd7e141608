import type { DnsRecord, Domain } from "../custom-domain.ts";
import { HOUR_MS } from "./turns.ts";

/** Failures of the check itself, which say nothing about the record, and what may pass while a zone is transferred. */
const UNCLEAR: ReadonlySet<string> = new Set([
  "TIMEOUT",
  "NOT_CHECKED",
  "SERVFAIL",
  "REFUSED",
  "MALFORMED_ANSWER",
  "SERVERS_DISAGREE",
  "DNSSEC_BROKEN",
]);

/**
 * The status of a record after a check. If a check of a right record itself fails, the record stays right, so that a
 * brief problem of a name server raises no alarm. The second failure in a row counts. Pure.
 */
export function statusAfter(
  record: Pick<DnsRecord, "status" | "lastCheckError">,
  error: { readonly code: string } | null,
): DnsRecord["status"] {
  if (error === null) return "OK";
  const isFirst = record.lastCheckError?.code === undefined;
  return record.status === "OK" && isFirst && UNCLEAR.has(error.code) ? "OK" : "PENDING";
}

/** Whether to check CAA together with a record: at its first check, then once a minute. Pure. */
export function isCaaDue(lastCheckAt: Date | null, now: Date): boolean {
  return lastCheckAt === null || minuteOf(lastCheckAt) !== minuteOf(now);
}

/** Whether to look, together with a record, who serves the domain's zone: until that is known, then hourly. Pure. */
export function isDelegationDue(
  { lastCheckAt, delegation }: Pick<DnsRecord, "lastCheckAt"> & Pick<Domain, "delegation">,
  now: Date,
): boolean {
  if (delegation === null || lastCheckAt === null) return isCaaDue(lastCheckAt, now);
  return Math.floor(lastCheckAt.getTime() / HOUR_MS) !== Math.floor(now.getTime() / HOUR_MS);
}

/**
 * Whether a check needs to ask only for the record itself. If it was missing a moment ago, the other places where it
 * may be are asked every ten seconds. Those questions were half of all for missing records. Pure.
 */
export function isQuickCheck(
  { lastCheckAt, lastCheckError }: Pick<DnsRecord, "lastCheckAt" | "lastCheckError">,
  now: Date,
): boolean {
  const isMissing = lastCheckError?.code === "NOT_FOUND";
  return isMissing && lastCheckAt !== null && tenSecondsOf(lastCheckAt) === tenSecondsOf(now);
}

function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / 60_000);
}

function tenSecondsOf(at: Date): number {
  return Math.floor(at.getTime() / 10_000);
}
