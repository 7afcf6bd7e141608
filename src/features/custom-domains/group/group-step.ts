import type { CertificateSeen, CloudErrorCode, DistributionSeen } from "../../../cloud/cloud.ts";
import type { Refusal } from "../../distributions/distribution.ts";
import type { AttachmentErrorCode, Certificate, Domain } from "../custom-domain.ts";

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

/** What the cloud has, as read in this pass. */
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
      readonly deployingSince: Date | null;
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
  | { readonly kind: "waitForDeploy"; readonly since: Date }
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
  /** A request of its token may still arrive, and would make another one if it were gone. */
  | { readonly kind: "waitForStraggler"; readonly until: Date }
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
