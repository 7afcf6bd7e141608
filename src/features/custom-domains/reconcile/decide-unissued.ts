/** Decides what a certificate that is not issued means for its names. No name has to pay for another one. Pure. */
import { pollRestMs } from "../../../cloud/calls/poll-rest.ts";
import type { ObservedCertificate } from "../../../cloud/cloud.ts";
import type { AttachmentErrorCode, Certificate } from "../custom-domain.ts";
import type { GroupStep } from "./group-step.ts";
import { type GroupView, heldBackOf, helpfulCertificate, vouchedNames } from "./decide-certificate.ts";
import { isTimedOut, namesTimedOut } from "./decide-time-out.ts";

/** How long names whose records were found wait for those of the others, before they get a certificate of their own. */
export const PATIENCE_MS = 5 * 60_000;
/** How long names that are tried without the others may fail. After that they wait for records, like others. */
export const TRIAL_MS = 2 * 60_000;

export function decideUnissued(
  certificate: Certificate,
  found: ObservedCertificate,
  view: GroupView,
): GroupStep {
  if (isTimedOut(certificate, found, view.now))
    return fail(certificate, view, namesTimedOut(found, view), "Cloud:CERT:Error:VALIDATION_TIMEOUT");
  switch (found.status) {
    case "PENDING_VALIDATION":
      // Show all records together, so that a client can set them at once.
      if (found.domains.some(({ record }) => record === null)) return { kind: "waitForRecords", certificate };
      return decidePending(certificate, found, view);
    case "FAILED":
      return decideFailed(certificate, found, view);
    default:
      return fail(certificate, view, view.fresh, "Cloud:CERT:Error:FAILED");
  }
}

function decidePending(certificate: Certificate, found: ObservedCertificate, view: GroupView): GroupStep {
  const { fresh, desiredNames, now, distribution, live, observed } = view;
  const missing = found.domains.filter(({ validated }) => !validated).map(({ name }) => name);
  const ready = desiredNames.filter((name) => !missing.includes(name));
  const isPartly = fresh.some((name) => missing.includes(name)) && fresh.some((name) => ready.includes(name));
  const requestedMs = (one: Certificate): number => one.requestedAt?.getTime() ?? now.getTime();
  const times: number[] = [];
  const heldBack = heldBackOf(view.desired);
  if (heldBack.length > 0 && missing.length > 0) {
    const dueMs = requestedMs(certificate) + TRIAL_MS;
    if (now.getTime() >= dueMs) return { kind: "endHoldBack", domains: heldBack };
    times.push(dueMs);
  }
  const helper = helpfulCertificate(certificate, view);
  if (helper !== null && ready.every((name) => helper.names.includes(name))) {
    const isPending = observed.certificates.get(helper.id)?.status !== "ISSUED";
    if (isPartly && isPending) times.push(now.getTime() + pollRestMs(new Date(requestedMs(helper)), now));
  } else if (isPartly) {
    const dueMs = Math.max(...live.map(requestedMs)) + PATIENCE_MS;
    if (now.getTime() >= dueMs) return { kind: "planCertificate", names: ready };
    times.push(dueMs);
  }
  const deployingSince = distribution?.deployed === false ? distribution.changedAt : null;
  const againAt = times.length === 0 ? null : new Date(Math.min(...times));
  return { kind: "waitForValidation", certificate, observed: found, names: fresh, deployingSince, againAt };
}

/**
 * One name that the provider refuses fails the certificate of all. The DNS or the provider may say which one it is.
 * Otherwise half of the names are tried without the others, until one is left.
 */
export function decideFailed(
  certificate: Certificate,
  found: ObservedCertificate,
  view: GroupView,
): GroupStep {
  const { caa } = view.observed;
  const code = codeOfFailure(found.failureReason);
  const concerned = view.fresh.filter((name) => certificate.names.includes(name));
  const refused = code === "Cloud:CERT:Error:CAA_BLOCKED" ? certificate.names.filter((n) => caa.has(n)) : [];
  const named = found.domains.filter(({ failed }) => failed).map(({ name }) => name);
  const known = refused.length > 0 ? refused : named;
  const guilty = concerned.filter((name) => known.includes(name));
  if (guilty.length > 0) return fail(certificate, view, guilty, code);
  // The guilty one is served already: the distribution has one certificate, which must cover it too.
  if (known.length > 0) return fail(certificate, view, concerned, code);
  const vouched = vouchedNames(certificate, view);
  const unvouched = concerned.filter((name) => !vouched.has(name));
  const suspects = unvouched.length > 0 ? unvouched : concerned;
  return suspects.length > 1
    ? { kind: "holdBack", names: secondHalf(suspects), abandon: certificate }
    : fail(certificate, view, suspects, code);
}

export function secondHalf<T>(items: readonly T[]): readonly T[] {
  return items.slice(Math.ceil(items.length / 2));
}

/** A certificate that has failed, although it is not in use, and that new names are on. */
export function failedCertificate({ live, observed, serving, fresh }: GroupView): Certificate | null {
  return (
    live.find(
      (certificate) =>
        certificate !== serving &&
        observed.certificates.get(certificate.id)?.status === "FAILED" &&
        certificate.names.some((name) => fresh.includes(name)),
    ) ?? null
  );
}

function fail(
  certificate: Certificate,
  { fresh, observed }: GroupView,
  names: readonly string[],
  code: AttachmentErrorCode,
): GroupStep {
  return fresh.length === 0
    ? { kind: "putOffReplacement", certificate }
    : { kind: "failDomains", names, code, cause: null, caa: observed.caa, abandon: certificate };
}

/** Our code for ACM's failure reason; unknown reasons get the general code. */
export function codeOfFailure(reason: string | null): AttachmentErrorCode {
  switch (reason) {
    case "CAA_ERROR":
      return "Cloud:CERT:Error:CAA_BLOCKED";
    case "DOMAIN_NOT_ALLOWED":
    case "INVALID_PUBLIC_DOMAIN":
    case "ADDITIONAL_VERIFICATION_REQUIRED":
      return "Cloud:CERT:Error:DOMAIN_NOT_ALLOWED";
    default:
      return "Cloud:CERT:Error:FAILED";
  }
}
