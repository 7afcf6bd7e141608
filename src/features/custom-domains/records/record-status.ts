import type { DnsRecord } from "../custom-domain.ts";

/** Failures of the look itself, which tell nothing about the record. */
const UNCLEAR: ReadonlySet<string> = new Set(["TIMEOUT", "SERVFAIL", "REFUSED", "MALFORMED_ANSWER"]);

/**
 * The status of a record after a look at it. A record that was right stays so when one look fails by
 * itself, so that a passing trouble of a name server warns nobody; the second in a row counts. Pure.
 */
export function statusAfter(
  record: Pick<DnsRecord, "status" | "lastCheckError">,
  error: { readonly code: string } | null,
): DnsRecord["status"] {
  if (error === null) return "OK";
  const isFirst = record.lastCheckError?.code === undefined;
  return record.status === "OK" && isFirst && UNCLEAR.has(error.code) ? "OK" : "PENDING";
}

/** Whether CAA is to be looked up beside a record: at its first look, then once a minute. Pure. */
export function isCaaDue(lastCheckAt: Date | null, now: Date): boolean {
  return lastCheckAt === null || minuteOf(lastCheckAt) !== minuteOf(now);
}

/**
 * Whether a look need only ask for the record itself: a moment ago there was nothing, and where it might stand
 * instead is asked every ten seconds. Half of all questions about records that are awaited were that one. Pure.
 */
export function isQuickLook(
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
