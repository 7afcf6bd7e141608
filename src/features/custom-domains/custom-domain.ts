/**
 * Custom domains, in groups. A group ties its domains to one distribution and one certificate.
 *
 * A domain:
 *   PENDING                                  accepted
 *   CREATING                                 the certificate is requested, its records are not known yet
 *   AWAITING_VERIFICATION_RECORDS_TO_BE_SET  the provider has not found its verification record yet
 *   ATTACHING                                the certificate is issued and is being put on the distribution
 *   ATTACHED                                 served
 *   DETACHING                                being deleted; the row is removed when nothing is left in the cloud
 *   ERROR_ATTACHING, ERROR_DETACHING         see `lastAttachmentError`; ends with a retry or a deletion
 *
 * A group:
 *   DRAFT → PROVISIONING → ACTIVE, even if some of its domains are in error; ERROR if none is served and one is
 *   in error; DELETING until its row is removed.
 */
import type { Delegation } from "../../dns/dns.ts";
import type { DomainConnectOffer } from "../../domain-connect/discover.ts";

export const DOMAIN_STATUSES = [
  "PENDING",
  "CREATING",
  "AWAITING_VERIFICATION_RECORDS_TO_BE_SET",
  "ATTACHING",
  "ATTACHED",
  "DETACHING",
  "ERROR_ATTACHING",
  "ERROR_DETACHING",
] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

export const GROUP_STATUSES = ["DRAFT", "PROVISIONING", "ACTIVE", "ERROR", "DELETING"] as const;
export type GroupStatus = (typeof GROUP_STATUSES)[number];

export const DOMAIN_TYPES = ["SUBDOMAIN", "APEX", "WILDCARD"] as const;
export type DomainType = (typeof DOMAIN_TYPES)[number];

export const RECORD_PURPOSES = [
  "CERTIFICATE_DOMAIN_VERIFICATION",
  "SERVICE_CONNECTION",
  "CERTIFICATE_AUTHORITY_AUTHORIZATION",
] as const;
type RecordPurpose = (typeof RECORD_PURPOSES)[number];

export const ATTACHMENT_ERROR_CODES = [
  "Cloud:CERT:Error:VALIDATION_TIMEOUT",
  "Cloud:CERT:Error:NUMBER_OF_DOMAINS_EXCEEDS_LIMIT",
  "Cloud:CERT:Error:CAA_BLOCKED",
  "Cloud:CERT:Error:DOMAIN_NOT_ALLOWED",
  "Cloud:CERT:Error:REQUEST_QUOTA_EXCEEDED",
  "Cloud:CERT:Error:FAILED",
  "Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE",
  "Cloud:CDN:Error:TOO_MANY_DOMAINS",
  "Cloud:CDN:Error:NOT_READY",
  "Cloud:ACCOUNT:Error:ACCESS_DENIED",
] as const;
export type AttachmentErrorCode = (typeof ATTACHMENT_ERROR_CODES)[number];

export type AttachmentError = {
  readonly code: AttachmentErrorCode;
  readonly message: string;
  readonly occurredAt: string;
  /** Whether a retry can succeed without another change first. */
  readonly retryable: boolean;
  /** What the client has to do. */
  readonly action: string;
};

export const ZONE_PROBLEM_CODES = [
  "DNS_RECORD_CONFLICT",
  "DNS_WILDCARD_IN_USE",
  "DNS_ZONE_NOT_FOUND",
  "DNS_ZONE_AMBIGUOUS",
  "DNS_ZONE_NOT_ALLOWED",
] as const;
export type ZoneProblemCode = (typeof ZONE_PROBLEM_CODES)[number];

/** Why Slipway does not set a domain's records in a zone of the account. The instants are texts in ISO 8601. */
export type ZoneProblem = {
  readonly code: ZoneProblemCode;
  /** A sentence: what Slipway found, and what it wants. */
  readonly message: string;
  readonly since: string;
  readonly lookedAt: string;
  /** Of a conflict: the wanted record, and what is in its place. */
  readonly conflict?: Pick<SetRecord, "type" | "name"> & { readonly found: string };
};

/**
 * A record in a zone of the account. `SETTING`: it was not there, and its creation may have reached the provider. `SET`:
 * Slipway created it. `FOUND`: it was there already, and is never deleted.
 */
export type SetRecord = {
  readonly zoneId: string;
  readonly type: "CNAME" | "ALIAS";
  readonly name: string;
  readonly value: string;
  readonly status: "SETTING" | "SET" | "FOUND";
  /** When it got this status, in ISO 8601. */
  readonly since: string;
};

export type ZoneState = { readonly records: readonly SetRecord[]; readonly problem: ZoneProblem | null };

export const REDIRECT_PROBLEM_CODES = ["ACCESS_DENIED", "TOO_MANY_REDIRECTS", "REDIRECTS_REFUSED"] as const;

/** Why the distribution could not be changed to redirect as wanted. The instants are texts in ISO 8601. */
export type RedirectProblem = {
  readonly code: (typeof REDIRECT_PROBLEM_CODES)[number];
  readonly message: string;
  readonly since: string;
  readonly triedAt: string;
};

export const REDIRECT_STATUSES = ["PENDING", "SERVED", "ENDING", "FAILED"] as const;
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

export type Group = {
  readonly organizationId: string;
  readonly id: string;
  readonly serviceId: string;
  readonly distributionId: string;
  readonly name: string;
  readonly isDefaultCdn: boolean;
  readonly status: GroupStatus;
  readonly isDeleting: boolean;
  /** Whether Slipway sets the records of its domains, in zones of the account where that is allowed. */
  readonly autoDns: boolean;
  /** If a replacement for a certificate in use was refused, no other one is requested before this time. */
  readonly replaceNotBefore: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A zone, who serves it, and what that provider offers; missing where that was not found out. */
export type FoundDelegation = Delegation & { readonly domainConnect?: DomainConnectOffer | null };

export type Domain = {
  readonly organizationId: string;
  readonly id: string;
  readonly groupId: string;
  readonly svcAttachmentId: string;
  /** A-labels, lower case, no trailing dot. */
  readonly name: string;
  readonly type: DomainType;
  readonly status: DomainStatus;
  /** False once its deletion is accepted. */
  readonly isDesired: boolean;
  readonly lastAttachmentError: AttachmentError | null;
  /** The zone that it is in, and who serves that, as last found in the DNS; null before that. */
  readonly delegation: FoundDelegation | null;
  /** Whether it is the apex of that zone, and its DNS provider has no record that can point an apex at the service. */
  readonly isApexRefused: boolean;
  /** What Slipway set in a zone of the account, or what prevents it; null before it tried. */
  readonly zoneState: ZoneState | null;
  /** It waits while others are tried: one of them fails the certificate of all, and the provider does not say which. */
  readonly isHeldBack: boolean;
  /** The name of its group's domain to which it redirects; null: it does not. */
  readonly redirectTo: string | null;
  /** Whether the distribution was seen to do that everywhere, or to have stopped, since it was last changed. */
  readonly isRedirectLive: boolean;
  /** Why it could not be changed so; null if it was not refused. */
  readonly redirectProblem: RedirectProblem | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A domain and the records that are shown for it. */
export type DomainWithRecords = Domain & { readonly records: readonly DnsRecord[] };

/** One attempt at a certificate for a set of names. */
export type Certificate = {
  readonly organizationId: string;
  /** Also the provider's idempotency token. */
  readonly id: string;
  readonly groupId: string;
  readonly names: readonly string[];
  /** The provider's status, or `REQUESTING` before the provider has the certificate. */
  readonly status: string;
  readonly providerId: string | null;
  /** Null until a request may have reached the provider. */
  readonly requestedAt: Date | null;
  /** When a request of unknown outcome began. */
  readonly requestStartedAt: Date | null;
  readonly validationDeadlineAt: Date | null;
  readonly issuedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly renewalStatus: string | null;
  /** The threshold of the last `certificate.expiring` event, in days before expiry; null before the first. */
  readonly expiryNotifiedDays: number | null;
  /** Failed or replaced: it will be deleted at the provider, then here. */
  readonly isAbandoned: boolean;
  readonly createdAt: Date;
};

export type DnsRecord = {
  readonly organizationId: string;
  readonly id: string;
  readonly domainId: string;
  readonly purpose: RecordPurpose;
  readonly type: "CNAME" | "ALIAS" | "CAA";
  readonly name: string;
  /** Empty if its owner can set no record that helps (`isSettable`). */
  readonly value: string;
  readonly status: "PENDING" | "OK";
  /** When it got its present status. */
  readonly since: Date;
  readonly lastCheckAt: Date | null;
  readonly lastCheckValue: string | null;
  readonly lastCheckError: { readonly code?: string; readonly message?: string } | null;
  /** When it was last found correct. */
  readonly lastOkAt: Date | null;
  /** Its place in the hour, by which it is checked, in ms (`records/check-times.ts`). */
  readonly slot: number;
};

/** A record in a list of records, with the fields of its domain that the list shows. */
export type ListedRecord = DnsRecord &
  Pick<Domain, "delegation" | "zoneState"> & {
    readonly domain: Domain["name"];
    readonly domainStatus: Domain["status"];
    /** Of `isMoveFirst`. */
    readonly isMoveFirst: boolean;
  };
