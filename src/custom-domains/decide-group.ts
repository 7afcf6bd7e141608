import type { CertificateSeen, CertificateStatus, CloudErrorCode, DistributionSeen } from "../cloud/cloud.ts";
import { codeOfCloudError } from "./attachment-error.ts";
import type { Refusal } from "../distributions/distribution.ts";
import type { AttachmentErrorCode, Certificate, Domain } from "./custom-domain.ts";

/** What we want, from the database. */
export type GroupIntended = {
  readonly isDeleting: boolean;
  readonly domains: readonly Domain[];
  /** Oldest first. */
  readonly certificates: readonly Certificate[];
  /** Whether its distribution was made once, and what its making was refused with. */
  readonly distribution: { readonly isMade: boolean; readonly refusal: Refusal | null };
  /** A certificate for names that are all served was refused; no other is requested before this. */
  readonly replaceNotBefore: Date | null;
};

/** What the cloud has, as just read. */
export type GroupSeen = {
  /** By our certificate id; null: the provider knows none (yet). */
  readonly certificates: ReadonlyMap<string, CertificateSeen | null>;
  /** `absent` before it was made and after it was removed. */
  readonly distribution: DistributionSeen | "absent";
};

/** The one next step of a group. Each is safe to repeat. */
export type GroupStep =
  | { readonly kind: "planCertificate"; readonly names: readonly string[] }
  | { readonly kind: "requestCertificate"; readonly certificate: Certificate }
  | { readonly kind: "waitForRecords"; readonly certificate: Certificate }
  | {
      readonly kind: "waitForValidation";
      readonly certificate: Certificate;
      readonly seen: CertificateSeen;
      /** Those that wait for it; the certificate names those that are served already, too. */
      readonly names: readonly string[];
      /** Others are just going live. */
      readonly isDeploying: boolean;
    }
  | { readonly kind: "waitForDistribution" }
  /** It was made, and the provider knows it no more. */
  | { readonly kind: "remakeDistribution" }
  /** Nobody else may have a name before it goes onto the distribution. */
  | {
      readonly kind: "claimNames";
      readonly domains: readonly Domain[];
      readonly certificate: Certificate;
      readonly seen: CertificateSeen;
    }
  | {
      readonly kind: "updateDistribution";
      readonly aliases: readonly string[];
      /** Those of the aliases that are not on it yet. */
      readonly added: readonly string[];
      readonly certificateId: string | null;
      readonly etag: string;
      /** Null when names are only taken off. */
      readonly certificate: Certificate | null;
    }
  | { readonly kind: "waitForDeploy" }
  | {
      readonly kind: "failDomains";
      readonly names: readonly string[];
      readonly code: AttachmentErrorCode;
      /** The provider's refusal behind it. */
      readonly cause: CloudErrorCode | null;
      readonly abandon: Certificate | null;
    }
  /** Nothing is lost with it: all that it names is served. Another is tried later. */
  | { readonly kind: "putOffReplacement"; readonly certificate: Certificate }
  | { readonly kind: "abandonCertificate"; readonly certificate: Certificate }
  | { readonly kind: "deleteCertificate"; readonly certificate: Certificate }
  /** The provider never heard of it. */
  | { readonly kind: "forgetCertificate"; readonly certificate: Certificate }
  | { readonly kind: "forgetDomains"; readonly domains: readonly Domain[] }
  /** They failed for want of access, which may have come back. */
  | { readonly kind: "resumeDomains"; readonly domains: readonly Domain[] }
  | {
      readonly kind: "markAttached";
      readonly names: readonly string[];
      readonly certificate: Certificate;
      readonly seen: CertificateSeen;
    }
  | { readonly kind: "releaseGroup" }
  /** All is as wanted; an eye is kept on the certificate. */
  | {
      readonly kind: "settled";
      readonly certificate: Certificate | null;
      readonly seen: CertificateSeen | null;
      /** When there is something to do at the latest. */
      readonly againAt: Date | null;
    };

/** How long the provider may not know a certificate that it has just taken (aws-and-threats, section 2). */
export const REQUEST_LAG_MS = 90_000;
/** How long domains that failed for want of access rest before they are tried unasked. */
export const RETRY_DENIED_MS = 10 * 60_000;
/** Between requests of certificates to replace one that serves: their number in a year is limited. */
export const REPLACEMENT_REST_MS = 24 * 60 * 60_000;

/** What the rules look at. */
type View = {
  readonly intended: GroupIntended;
  readonly seen: GroupSeen;
  readonly now: Date;
  readonly distribution: DistributionSeen | null;
  readonly wanted: readonly string[];
  /** On the distribution. */
  readonly served: readonly string[];
  /** Wanted and not on the distribution. */
  readonly fresh: readonly string[];
  /** Certificates that are not given up, oldest first. */
  readonly live: readonly Certificate[];
  /** The one on the distribution. */
  readonly serving: Certificate | null;
};

/**
 * Decides by the first rule that applies, top to bottom: what must leave the distribution leaves first;
 * then a certificate for all that should be served; then one update that puts names and certificate on
 * together; then what is left over is cleared away. A name is on the distribution only together with a
 * certificate that covers it, names that are served stay served throughout, and the certificate on the
 * distribution is never given up.
 */
export function decideGroup(intended: GroupIntended, seen: GroupSeen, now: Date): GroupStep {
  const view = viewOf(intended, seen, now);
  const { distribution, wanted, served } = view;
  const leaving = intended.domains.filter((domain) => intended.isDeleting || !domain.isWanted);

  const tooMany = served.filter((alias) => !wanted.includes(alias));
  const isIdle = wanted.length === 0 && distribution !== null && distribution.certificateId !== null;
  if (distribution !== null && (tooMany.length > 0 || isIdle)) {
    const aliases = served.filter((alias) => wanted.includes(alias));
    const certificateId = aliases.length === 0 ? null : distribution.certificateId;
    const { etag } = distribution;
    return { kind: "updateDistribution", aliases, added: [], certificateId, etag, certificate: null };
  }
  if (leaving.length > 0) {
    if (distribution !== null && !distribution.deployed) return { kind: "waitForDeploy" };
    return { kind: "forgetDomains", domains: leaving };
  }
  const resumed = intended.domains.filter((domain) => isDenied(domain) && now >= resumedAt(domain));
  if (resumed.length > 0) return { kind: "resumeDomains", domains: resumed };

  const step = wanted.length === 0 ? null : decideServing(view);
  if (step !== null) return step;
  const [leftOver] = certificatesLeftOver(view);
  if (leftOver !== undefined) return { kind: "abandonCertificate", certificate: leftOver };
  const abandoned = intended.certificates.find(({ isAbandoned }) => isAbandoned);
  if (abandoned !== undefined) return decideRemoval(abandoned);
  if (intended.isDeleting) return { kind: "releaseGroup" };
  return settle(view);
}

function viewOf(intended: GroupIntended, seen: GroupSeen, now: Date): View {
  const wanted = intended.isDeleting ? [] : intended.domains.filter(isToBeServed).map(({ name }) => name);
  const distribution = seen.distribution === "absent" ? null : seen.distribution;
  const served = distribution?.aliases ?? [];
  const live = intended.certificates.filter((certificate) => !certificate.isAbandoned);
  const serving =
    live.find(({ providerId }) => providerId !== null && providerId === distribution?.certificateId) ?? null;
  const fresh = wanted.filter((name) => !served.includes(name));
  return { intended, seen, now, distribution, wanted, served, fresh, live, serving };
}

/** Null when all wanted names are served as they should be, or nothing can be done for them now. */
function decideServing(view: View): GroupStep | null {
  const { wanted, fresh, now, seen, distribution } = view;
  const attached = namesJustAttached(view);
  if (attached !== null) return attached;
  const certificate = currentCertificate(wanted, view);
  if (certificate === null) {
    const { replaceNotBefore } = view.intended;
    const isPutOff = fresh.length === 0 && replaceNotBefore !== null && now < replaceNotBefore;
    return isPutOff ? null : { kind: "planCertificate", names: wanted };
  }
  if (certificate.providerId === null) return { kind: "requestCertificate", certificate };
  // Only given up here, deleted at the end: the provider may call one that was just replaced in use for long.
  const [leftOver] = certificatesLeftOver(view);
  if (leftOver !== undefined) return { kind: "abandonCertificate", certificate: leftOver };

  const found = seen.certificates.get(certificate.id) ?? null;
  // Issued wins over the deadline: a certificate that came late still works.
  if (found?.status === "ISSUED") return decideAttaching(wanted, certificate, found, view);
  const helpful = helpfulCertificate(certificate, view);
  const helpfulSeen = helpful === null ? null : (seen.certificates.get(helpful.id) ?? null);
  if (helpful !== null && helpfulSeen?.status === "ISSUED" && distribution !== null) {
    const names = wanted.filter((name) => helpful.names.includes(name));
    const step = decideAttaching(names, helpful, helpfulSeen, view);
    if (step !== null) return step;
  }
  if (found === null) {
    // One that serves cannot be gone: the provider's answer lags.
    if (certificate === view.serving)
      return fresh.length === 0 ? null : { kind: "waitForRecords", certificate };
    const ageMs = now.getTime() - (certificate.requestedAt?.getTime() ?? 0);
    return ageMs < REQUEST_LAG_MS
      ? { kind: "waitForRecords", certificate }
      : { kind: "abandonCertificate", certificate };
  }
  return decideUnissued(certificate, found, view);
}

/** Names that are live on the distribution and not marked so. */
function namesJustAttached({
  intended,
  seen,
  distribution,
  wanted,
  served,
  serving,
}: View): GroupStep | null {
  const found = serving === null ? null : (seen.certificates.get(serving.id) ?? null);
  if (serving === null || found?.status !== "ISSUED" || distribution?.deployed !== true) return null;
  const names = intended.domains
    .filter(({ name, status }) => wanted.includes(name) && served.includes(name) && status !== "ATTACHED")
    .map(({ name }) => name)
    .filter((name) => serving.names.includes(name));
  return names.length === 0 ? null : { kind: "markAttached", names, certificate: serving, seen: found };
}

/** Puts names on the distribution with an issued certificate that covers them and all that is served. */
function decideAttaching(
  names: readonly string[],
  certificate: Certificate,
  found: CertificateSeen,
  { intended, distribution, served }: View,
): GroupStep | null {
  const added = names.filter((name) => !served.includes(name));
  if (distribution === null) {
    const { refusal, isMade } = intended.distribution;
    const code = refusal === null ? null : codeOfCloudError(refusal);
    if (refusal !== null && code !== null)
      return { kind: "failDomains", names: added, code, cause: refusal.code, abandon: null };
    return isMade ? { kind: "remakeDistribution" } : { kind: "waitForDistribution" };
  }
  // ATTACHING is written in one transaction with the claim.
  const unclaimed = intended.domains.filter(
    ({ name, status }) => added.includes(name) && status !== "ATTACHING",
  );
  if (unclaimed.length > 0) return { kind: "claimNames", domains: unclaimed, certificate, seen: found };
  if (added.length > 0 || distribution.certificateId !== found.id) {
    const { etag } = distribution;
    return { kind: "updateDistribution", aliases: names, added, certificateId: found.id, etag, certificate };
  }
  return distribution.deployed ? null : { kind: "waitForDeploy" };
}

function decideUnissued(certificate: Certificate, found: CertificateSeen, view: View): GroupStep {
  const { fresh, now, distribution } = view;
  const fail = (names: readonly string[], code: AttachmentErrorCode): GroupStep =>
    fresh.length === 0
      ? { kind: "putOffReplacement", certificate }
      : { kind: "failDomains", names, code, cause: null, abandon: certificate };
  const timeOut = (): GroupStep => {
    // Names whose record was there are not to blame; a certificate for them alone is issued at once.
    const missing = found.domains.filter(({ validated }) => !validated).map(({ name }) => name);
    const blamed = fresh.filter((name) => missing.includes(name));
    return fail(blamed.length === 0 ? fresh : blamed, "Cloud:CERT:Error:VALIDATION_TIMEOUT");
  };
  switch (found.status) {
    case "PENDING_VALIDATION": {
      if (certificate.validationDeadlineAt !== null && now >= certificate.validationDeadlineAt)
        return timeOut();
      // Records are shown together: a client sets them in one go.
      if (found.domains.some(({ record }) => record === null)) return { kind: "waitForRecords", certificate };
      const isDeploying = distribution !== null && !distribution.deployed;
      return { kind: "waitForValidation", certificate, seen: found, names: fresh, isDeploying };
    }
    case "VALIDATION_TIMED_OUT":
      return timeOut();
    default:
      return fail(fresh, codeOfFailure(found.failureReason));
  }
}

/** ACM's failure reasons in our words; a reason that we do not know is a plain failure. */
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

/**
 * The certificate that covers all of some names: the one on the distribution as long as it does, else
 * the newest. One that names more (after a removal) serves on until its renewal fails on the name that
 * is gone; then an exact one is needed.
 */
function currentCertificate(names: readonly string[], { live, seen, serving }: View): Certificate | null {
  const usable = live.filter((certificate) => {
    if (!names.every((name) => certificate.names.includes(name))) return false;
    const found = seen.certificates.get(certificate.id) ?? null;
    if (certificate === serving && isDead(found)) return false;
    if (certificate.names.length === names.length) return true;
    const renewal = found?.renewalStatus ?? null;
    return found?.status === "ISSUED" && renewal !== "PENDING_VALIDATION" && renewal !== "FAILED";
  });
  return usable.find((certificate) => certificate === serving) ?? usable.at(-1) ?? null;
}

/**
 * The newest certificate that can bring some of the fresh names into service while the current one
 * waits for the others: adding a domain must not hold up those before it.
 */
function helpfulCertificate(current: Certificate, { live, seen, served, fresh }: View): Certificate | null {
  const helpful = live.filter(
    ({ id, names, providerId }) =>
      id !== current.id &&
      providerId !== null &&
      !isDead(seen.certificates.get(id) ?? null) &&
      served.every((name) => names.includes(name)) &&
      fresh.some((name) => names.includes(name)),
  );
  return helpful.at(-1) ?? null;
}

/** Live certificates that serve nothing, are not about to, and will not be when failed domains are retried. */
function certificatesLeftOver(view: View): readonly Certificate[] {
  const { intended, wanted, live, serving, seen } = view;
  const current = wanted.length === 0 ? null : currentCertificate(wanted, view);
  const helpful = current === null ? null : helpfulCertificate(current, view);
  const hoped = intended.isDeleting ? [] : intended.domains.filter(mayBeServed).map(({ name }) => name);
  const reserve = hoped.length > wanted.length ? currentCertificate(hoped, view) : null;
  const isReserve = (id: string): boolean => id === reserve?.id && !isDead(seen.certificates.get(id) ?? null);
  return live.filter(
    ({ id }) => id !== current?.id && id !== helpful?.id && id !== serving?.id && !isReserve(id),
  );
}

function decideRemoval(certificate: Certificate): GroupStep {
  if (certificate.providerId !== null) return { kind: "deleteCertificate", certificate };
  // A request whose answer was lost finds by its token what it made, which is then deleted.
  return certificate.requestedAt === null
    ? { kind: "forgetCertificate", certificate }
    : { kind: "requestCertificate", certificate };
}

function settle({ intended, seen, wanted, serving, now }: View): GroupStep {
  const certificate = wanted.length === 0 ? null : serving;
  const { replaceNotBefore } = intended;
  const times = intended.domains.filter(isDenied).map((domain) => resumedAt(domain).getTime());
  if (certificate !== null && replaceNotBefore !== null && replaceNotBefore > now)
    times.push(replaceNotBefore.getTime());
  const againAt = times.length === 0 ? null : new Date(Math.min(...times));
  const found = certificate === null ? null : (seen.certificates.get(certificate.id) ?? null);
  return { kind: "settled", certificate, seen: found, againAt };
}

const ENDED: ReadonlySet<CertificateStatus> = new Set([
  "INACTIVE",
  "EXPIRED",
  "VALIDATION_TIMED_OUT",
  "REVOKED",
  "FAILED",
]);

function isDead(found: CertificateSeen | null): boolean {
  return found !== null && ENDED.has(found.status);
}

function isToBeServed(domain: Domain): boolean {
  return domain.isWanted && domain.status !== "ERROR_ATTACHING";
}

/** Whether a retry would need the same certificate: it failed for something else than that. */
function mayBeServed(domain: Domain): boolean {
  return domain.isWanted && domain.lastAttachmentError?.code.startsWith("Cloud:CERT:") !== true;
}

function isDenied(domain: Domain): boolean {
  return (
    domain.isWanted &&
    domain.status === "ERROR_ATTACHING" &&
    domain.lastAttachmentError?.code === "Cloud:ACCOUNT:Error:ACCESS_DENIED"
  );
}

function resumedAt({ lastAttachmentError }: Domain): Date {
  return new Date(Date.parse(lastAttachmentError?.occurredAt ?? "") + RETRY_DENIED_MS);
}
