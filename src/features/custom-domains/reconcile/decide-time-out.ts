/** Decides when the domains of a certificate time out, and which of them. Pure. */
import type { ObservedCertificate } from "../../../cloud/cloud.ts";
import type { Certificate } from "../custom-domain.ts";
import type { GroupView } from "./decide-certificate.ts";

/** The time until which the records of a certificate must be set. @param windowMs `SLIPWAY_VALIDATION_WINDOW` */
export function validationDeadline(requestedAt: Date, windowMs: number): Date {
  return new Date(requestedAt.getTime() + windowMs);
}

/** Whether our own deadline has passed, or the provider gave up earlier. */
export function isTimedOut(
  { validationDeadlineAt }: Certificate,
  { status }: ObservedCertificate,
  now: Date,
): boolean {
  if (status === "VALIDATION_TIMED_OUT") return true;
  return status === "PENDING_VALIDATION" && validationDeadlineAt !== null && now >= validationDeadlineAt;
}

/** Names whose record was set are not to blame. They get a certificate of their own at once. */
export function namesTimedOut({ domains }: ObservedCertificate, { fresh }: GroupView): readonly string[] {
  const missing = domains.filter(({ validated }) => !validated).map(({ name }) => name);
  const blamed = fresh.filter((name) => missing.includes(name));
  return blamed.length === 0 ? fresh : blamed;
}
