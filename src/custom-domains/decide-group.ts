import type { CertificateSeen, DistributionSeen } from "../cloud/cloud.ts";
import type { AttachmentErrorCode, Certificate, Domain } from "./custom-domain.ts";

/** What we want, from the database. */
export type GroupIntended = {
  readonly isDeleting: boolean;
  readonly domains: readonly Domain[];
  /** Oldest first. */
  readonly certificates: readonly Certificate[];
  /** Names of the group that another organization proved first. */
  readonly namesOfOthers: ReadonlySet<string>;
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
  | { readonly kind: "waitForValidation"; readonly certificate: Certificate; readonly seen: CertificateSeen }
  | { readonly kind: "waitForDistribution" }
  | {
      readonly kind: "updateDistribution";
      readonly aliases: readonly string[];
      readonly certificateId: string | null;
      readonly etag: string;
      readonly certificate: Certificate | null;
    }
  | { readonly kind: "waitForDeploy" }
  | {
      readonly kind: "failDomains";
      readonly names: readonly string[];
      readonly code: AttachmentErrorCode;
      readonly abandon: Certificate | null;
    }
  | { readonly kind: "abandonCertificate"; readonly certificate: Certificate }
  | { readonly kind: "deleteCertificate"; readonly certificate: Certificate }
  | { readonly kind: "forgetDomains"; readonly domains: readonly Domain[] }
  | {
      readonly kind: "markAttached";
      readonly names: readonly string[];
      readonly certificate: Certificate;
      readonly seen: CertificateSeen;
    }
  | { readonly kind: "releaseGroup" }
  /** All is as wanted; `recheck` keeps an eye on the certificate. */
  | {
      readonly kind: "settled";
      readonly certificate: Certificate | null;
      readonly seen: CertificateSeen | null;
    };

/** How long the provider may not know a certificate that it has just taken (aws-and-threats, section 2). */
export const REQUEST_LAG_MS = 90_000;

/**
 * Decides by the first rule that applies, top to bottom: what must leave the distribution leaves first;
 * then a certificate for all that should be served; then one update that puts names and certificate on
 * together; then what is left over is cleared away. A name is on the distribution only together with a
 * certificate that covers it, and names that are served stay served throughout.
 */
export function decideGroup(intended: GroupIntended, seen: GroupSeen, now: Date): GroupStep {
  const wanted = intended.isDeleting ? [] : intended.domains.filter(isToBeServed).map(({ name }) => name);
  const leaving = intended.domains.filter((domain) => intended.isDeleting || !domain.isWanted);
  const distribution = seen.distribution === "absent" ? null : seen.distribution;
  const served = distribution?.aliases ?? [];
  const live = intended.certificates.filter((certificate) => !certificate.isAbandoned);

  const tooMany = served.filter((alias) => !wanted.includes(alias));
  if (distribution !== null && tooMany.length > 0) {
    const aliases = served.filter((alias) => wanted.includes(alias));
    const certificateId = aliases.length === 0 ? null : distribution.certificateId;
    return { kind: "updateDistribution", aliases, certificateId, etag: distribution.etag, certificate: null };
  }
  if (leaving.length > 0) {
    if (distribution !== null && !distribution.deployed) return { kind: "waitForDeploy" };
    return { kind: "forgetDomains", domains: leaving };
  }
  if (wanted.length > 0) {
    const step = decideServing(wanted, live, intended, seen, distribution, now);
    if (step !== null) return step;
  }

  const current = wanted.length === 0 ? null : currentCertificate(wanted, live, seen);
  const leftOver = intended.certificates.find((certificate) => certificate.id !== current?.id);
  if (leftOver !== undefined) {
    return leftOver.isAbandoned
      ? { kind: "deleteCertificate", certificate: leftOver }
      : { kind: "abandonCertificate", certificate: leftOver };
  }
  if (intended.isDeleting) return { kind: "releaseGroup" };
  return {
    kind: "settled",
    certificate: current,
    seen: current === null ? null : (seen.certificates.get(current.id) ?? null),
  };
}

/** Null when all wanted names are served as they should be. */
function decideServing(
  wanted: readonly string[],
  live: readonly Certificate[],
  intended: GroupIntended,
  seen: GroupSeen,
  distribution: DistributionSeen | null,
  now: Date,
): GroupStep | null {
  const certificate = currentCertificate(wanted, live, seen);
  if (certificate === null) return { kind: "planCertificate", names: wanted };
  if (certificate.providerId === null) return { kind: "requestCertificate", certificate };
  const served = distribution?.aliases ?? [];
  const fresh = wanted.filter((name) => !served.includes(name));
  const found = seen.certificates.get(certificate.id) ?? null;
  if (found === null) {
    const ageMs = now.getTime() - (certificate.requestedAt?.getTime() ?? 0);
    return ageMs < REQUEST_LAG_MS
      ? { kind: "waitForRecords", certificate }
      : { kind: "abandonCertificate", certificate };
  }
  // Issued wins over the deadline: a certificate that came late still works.
  if (found.status !== "ISSUED") return decideUnissued(certificate, found, fresh, now);

  const takenNames = fresh.filter((name) => intended.namesOfOthers.has(name));
  if (takenNames.length > 0) {
    return {
      kind: "failDomains",
      names: takenNames,
      code: "Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE",
      abandon: certificate,
    };
  }
  if (distribution === null) return { kind: "waitForDistribution" };
  if (fresh.length > 0 || distribution.certificateId !== found.id) {
    return {
      kind: "updateDistribution",
      aliases: wanted,
      certificateId: found.id,
      etag: distribution.etag,
      certificate,
    };
  }
  if (!distribution.deployed) return { kind: "waitForDeploy" };
  const unmarked = intended.domains.filter(
    (domain) => wanted.includes(domain.name) && domain.status !== "ATTACHED",
  );
  if (unmarked.length > 0) {
    return { kind: "markAttached", names: unmarked.map(({ name }) => name), certificate, seen: found };
  }
  return null;
}

function decideUnissued(
  certificate: Certificate,
  found: CertificateSeen,
  fresh: readonly string[],
  now: Date,
): GroupStep {
  switch (found.status) {
    case "PENDING_VALIDATION": {
      if (certificate.validationDeadlineAt !== null && now >= certificate.validationDeadlineAt) {
        return {
          kind: "failDomains",
          names: fresh,
          code: "Cloud:CERT:Error:VALIDATION_TIMEOUT",
          abandon: certificate,
        };
      }
      // Records are shown together: a client sets them in one go.
      if (found.domains.some(({ record }) => record === null)) return { kind: "waitForRecords", certificate };
      return { kind: "waitForValidation", certificate, seen: found };
    }
    case "VALIDATION_TIMED_OUT":
      return {
        kind: "failDomains",
        names: fresh,
        code: "Cloud:CERT:Error:VALIDATION_TIMEOUT",
        abandon: certificate,
      };
    default:
      return {
        kind: "failDomains",
        names: fresh,
        code: codeOfFailure(found.failureReason),
        abandon: certificate,
      };
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
 * The newest certificate that covers all wanted names. One that names more (after a removal) serves on
 * until its renewal fails on the name that is gone; then an exact one is needed.
 */
function currentCertificate(
  wanted: readonly string[],
  live: readonly Certificate[],
  seen: GroupSeen,
): Certificate | null {
  const covering = live.filter((certificate) => wanted.every((name) => certificate.names.includes(name)));
  const usable = covering.filter((certificate) => {
    if (certificate.names.length === wanted.length) return true;
    const renewal = seen.certificates.get(certificate.id)?.renewalStatus ?? null;
    const isServing = seen.certificates.get(certificate.id)?.status === "ISSUED";
    return isServing && renewal !== "PENDING_VALIDATION" && renewal !== "FAILED";
  });
  return usable.at(-1) ?? null;
}

function isToBeServed(domain: Domain): boolean {
  return domain.isWanted && domain.status !== "ERROR_ATTACHING";
}
