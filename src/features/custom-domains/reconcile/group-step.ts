import type { ObservedCertificate, CloudErrorCode, ObservedDistribution } from "../../../cloud/cloud.ts";
import type { CaaRefusal } from "../../../dns/dns.ts";
import type { Redirects } from "../../../cloud/redirects.ts";
import type { Refusal } from "../../distributions/distribution.ts";
import type { AttachmentErrorCode, Certificate, Domain } from "../custom-domain.ts";

/** The desired state, from the database. */
export type DesiredGroup = {
  readonly isDeleting: boolean;
  readonly domains: readonly Domain[];
  /** Oldest first. */
  readonly certificates: readonly Certificate[];
  /** Whether its distribution was ever created, and the refusal of its creation. */
  readonly distribution: { readonly isMade: boolean; readonly refusal: Refusal | null };
  /** If a replacement for a certificate in use was refused, no other one is requested before this time. */
  readonly replaceNotBefore: Date | null;
};

/** What the cloud has, as read for this step. */
export type ObservedGroup = {
  /** By our certificate id; null: the provider does not have it (yet). */
  readonly certificates: ReadonlyMap<string, ObservedCertificate | null>;
  /** `absent` before it is created and after it is removed; and as long as nothing of the group can be on it. */
  readonly distribution: ObservedDistribution | "absent";
  /** The names of certificates that failed because of CAA records, for which the DNS has records that refuse. */
  readonly caa: ReadonlyMap<string, CaaRefusal>;
};

/** The next step of a group. Each is safe to repeat. */
export type GroupStep =
  | { readonly kind: "planCertificate"; readonly names: readonly string[] }
  | { readonly kind: "requestCertificate"; readonly certificate: Certificate }
  | { readonly kind: "waitForRecords"; readonly certificate: Certificate }
  | {
      readonly kind: "waitForValidation";
      readonly certificate: Certificate;
      readonly observed: ObservedCertificate;
      /** The names that wait for it; the certificate also has the names that are already served. */
      readonly names: readonly string[];
      /** Set if other names are just going live. */
      readonly deployingSince: Date | null;
      /** The latest time for the next step; null: only as the records and the certificate need it. */
      readonly againAt: Date | null;
    }
  | { readonly kind: "waitForDistribution" }
  /** It was created, but the provider no longer has it. */
  | { readonly kind: "remakeDistribution" }
  /** A name must belong to only one organization before it is put on the distribution. */
  | {
      readonly kind: "claimNames";
      readonly domains: readonly Domain[];
      readonly certificate: Certificate;
      readonly observed: ObservedCertificate;
    }
  | {
      readonly kind: "updateDistribution";
      readonly aliases: readonly string[];
      /** The aliases that are not on it yet. */
      readonly added: readonly string[];
      readonly certificateId: string | null;
      /** If omitted, they stay. */
      readonly redirects?: Redirects;
      readonly etag: string;
      /** Null if names are only removed. */
      readonly certificate: Certificate | null;
    }
  /** Names and certificate stay. */
  | {
      readonly kind: "updateRedirects";
      readonly redirects: Redirects;
      readonly aliases: readonly string[];
      readonly certificateId: string | null;
      readonly etag: string;
    }
  /** The distribution has them everywhere. */
  | { readonly kind: "recordRedirects"; readonly domains: readonly Domain[] }
  | { readonly kind: "waitForDeploy"; readonly since: Date }
  | {
      readonly kind: "failDomains";
      readonly names: readonly string[];
      readonly code: AttachmentErrorCode;
      /** The provider's refusal that caused it. */
      readonly cause: CloudErrorCode | null;
      /** Why CAA records refuse the provider, by name, as far as the DNS says it. */
      readonly caa?: ObservedGroup["caa"];
      readonly abandon: Certificate | null;
    }
  /** One of several names fails the certificate, and it is not known which: half of them are tried without the others. */
  | { readonly kind: "holdBack"; readonly names: readonly string[]; readonly abandon: Certificate }
  /** The others were tried: they are served, wait for their records, or failed. */
  | { readonly kind: "endHoldBack"; readonly domains: readonly Domain[] }
  /** This does no harm, because all names of the certificate are served. Another one is tried later. */
  | { readonly kind: "putOffReplacement"; readonly certificate: Certificate }
  | { readonly kind: "abandonCertificate"; readonly certificate: Certificate }
  | { readonly kind: "deleteCertificate"; readonly certificate: Certificate }
  /** A request with its token may still arrive. If the certificate were deleted, that request would create another. */
  | { readonly kind: "waitForStraggler"; readonly until: Date }
  /** The provider never got a request for it. */
  | { readonly kind: "forgetCertificate"; readonly certificate: Certificate }
  | { readonly kind: "forgetDomains"; readonly domains: readonly Domain[] }
  /** They failed because access was denied; it may be allowed again. */
  | { readonly kind: "resumeDomains"; readonly domains: readonly Domain[] }
  | {
      readonly kind: "markAttached";
      readonly names: readonly string[];
      readonly certificate: Certificate;
      readonly observed: ObservedCertificate;
    }
  | { readonly kind: "releaseGroup" }
  /** Everything is as desired; only the certificate is still watched. */
  | {
      readonly kind: "settled";
      readonly certificate: Certificate | null;
      readonly observed: ObservedCertificate | null;
      /** The latest time for the next step. */
      readonly againAt: Date | null;
    };
