/**
 * The contract between Slipway and a cloud. There are two adapters: `cloud/aws`, and `cloud/sandbox` for the small cloud,
 * which is either the sandbox or the edge of an own server. One suite (`test/contract`) tests each against what is
 * written here.
 *
 * Every call may be repeated: after a lost answer, it is made again with the same token and finds its effect
 * done. No call waits for a slow process in the cloud; callers describe, and check again later.
 * Every failure is a `CloudError`: its `kind` says what to do, its `code` what happened.
 */
import type { StoreType } from "./data-stores.ts";
import type { PreviewAccess } from "./preview-access.ts";
import type { Redirects } from "./redirects.ts";
import type { Routes } from "./routing.ts";

/** What `SLIPWAY_CLOUD` may be. `host`: this server's own edge, with certificates of a public CA. */
export const CLOUD_KINDS = ["sandbox", "host", "aws"] as const;
export type CloudKind = (typeof CLOUD_KINDS)[number];

/** A connected customer account. Its data is verified, never just reported. */
export type CloudAccount = {
  /** The connection's id, which is also the external id of the role. */
  readonly connectionId: string;
  /** The provider's account number. */
  readonly accountId: string;
  readonly roleArn: string;
  /**
   * The id of what the work is for: a run, a deployment, a domain group. The customer sees it with each call in
   * the account's own log.
   */
  readonly purpose?: string;
  /** The environment that the work is for. A provider with tags marks what it creates with the id. */
  readonly environmentId?: string | null;
  /**
   * When the caller noted the start of the call (`calls/stragglers.ts`). Its deadline counts from there. Omitted if
   * nothing is noted.
   */
  readonly startedAt?: Date;
};

/** What the customer's stack reported. Do not trust it before `identity.verify`. */
export type ReportedIdentity = { readonly accountId: string; readonly roleArn: string };

/** Where the customer creates the stack that connects the account (specification, "Cloud account connection"). */
export type CloudStack = {
  readonly consoleUrl: string;
  readonly template: {
    readonly url: string;
    readonly stackName: string;
    readonly region: string;
    readonly parameters: { readonly ServiceId: string };
  };
};

/** ACM's statuses of a certificate (ACM API, CertificateDetail.Status). */
export const CERTIFICATE_STATUSES = [
  "PENDING_VALIDATION",
  "ISSUED",
  "INACTIVE",
  "EXPIRED",
  "VALIDATION_TIMED_OUT",
  "REVOKED",
  "FAILED",
] as const;
export type CertificateStatus = (typeof CERTIFICATE_STATUSES)[number];

export type ValidationRecord = { readonly name: string; readonly type: "CNAME"; readonly value: string };

export type ObservedCertificate = {
  /** The provider's id (an ARN). */
  readonly id: string;
  readonly status: CertificateStatus;
  /** Only with `FAILED`: ACM's FailureReason (`CAA_ERROR`, `DOMAIN_NOT_ALLOWED`, …); unknown ones are passed on. */
  readonly failureReason: string | null;
  /**
   * One entry per name. `record` is null until the provider knows it, some seconds after the request. `failed`: the
   * provider says that this name failed; of a certificate that failed there may be none.
   */
  readonly domains: readonly {
    readonly name: string;
    readonly validated: boolean;
    readonly failed: boolean;
    readonly record: ValidationRecord | null;
  }[];
  readonly requestedAt: Date;
  readonly issuedAt: Date | null;
  readonly expiresAt: Date | null;
  /** ACM's RenewalStatus (`PENDING_AUTO_RENEWAL`, `PENDING_VALIDATION`, `SUCCESS`, `FAILED`), null before a renewal. */
  readonly renewalStatus: string | null;
};

/**
 * Where a distribution gets what it serves. Set when the distribution is created; later, only the place of a
 * `repository` may change. With a `serviceId`, a `LIVE` release of that service in the distribution's account
 * (`Platform.releases`) takes precedence over the rest of the origin, as soon as it is live, whatever its
 * type. Without a live release, the rest applies. So a release does not have to change a distribution.
 */
export type Origin =
  /** Files of a repository at the head of a branch (a `static` service before its first release). */
  | {
      readonly kind: "repository";
      readonly repoUrl: string;
      readonly branch: string;
      readonly directory: string;
      readonly serviceId?: string;
    }
  /** An outside host (an `external` service, which is never released). */
  | { readonly kind: "host"; readonly hostname: string }
  /** Nothing is released yet: the distribution answers 503 with a plain explanation. */
  | { readonly kind: "none"; readonly serviceId?: string }
  /** The services of the previews of a template, distinguished by the first label of the host name (`routes`). */
  | { readonly kind: "previews"; readonly environmentId: string };

export type ObservedDistribution = {
  readonly id: string;
  /** The provider's host name, which a `SERVICE_CONNECTION` record points to. */
  readonly domainName: string;
  /** Lower-case names, sorted. */
  readonly aliases: readonly string[];
  readonly certificateId: string | null;
  readonly enabled: boolean;
  /** What redirects it has, as `redirectsKeyOf` names them; null without any of Slipway's. */
  readonly redirectsKey: string | null;
  /** What access it has, as `accessKeyOf` names it; null except for a preview. */
  readonly accessKey: string | null;
  /** What routes it has, as `routesKeyOf` names them; null without any. */
  readonly routesKey: string | null;
  /** When the provider accepted the last change, by its own clock. */
  readonly changedAt: Date;
  /** True when the last change is live everywhere ("Deployed"). */
  readonly deployed: boolean;
  /** Changes with every update; fences off a writer whose decision is outdated. */
  readonly etag: string;
};

export type DistributionUpdate = {
  readonly aliases: readonly string[];
  readonly certificateId: string | null;
  readonly enabled: boolean;
  /** The new place of its files. If omitted, or if the provider does not serve repositories, it does not change. */
  readonly origin?: Extract<Origin, { kind: "repository" }>;
  /**
   * Answered with 308 to the other name, path and query as they came, from the moment at which the rest of this update
   * is live. If omitted, they stay as they are.
   */
  readonly redirects?: Redirects;
  /** Of a preview. If omitted, it stays as it is. */
  readonly access?: PreviewAccess;
  /**
   * Of a distribution with the origin `previews`, for all names below its wildcards: at once, or with the rest of this
   * update. If omitted, they stay as they are.
   */
  readonly routes?: Routes;
  /** The `etag` that the decision was based on; `STALE_ETAG` if it has changed. */
  readonly etag: string;
};

/** The removal of answers from the caches of a distribution. */
export type ObservedInvalidation = {
  /** The provider's id. */
  readonly id: string;
  /** Whether no cache has the answers any longer. */
  readonly isComplete: boolean;
};

/** Requests to distributions, as the provider counted them. */
export type Traffic = {
  /** Start of the period. Earlier counts are not known. */
  readonly from: Date;
  /** End of the period. The provider has not reported later requests yet. */
  readonly until: Date;
  /** Oldest first. A minute of this time that is left out had no requests. */
  readonly minutes: readonly TrafficMinute[];
};

export type TrafficMinute = {
  /** When the minute began. */
  readonly at: Date;
  readonly requests: number;
  /** Those answered with a status of 400 to 499. */
  readonly clientErrors: number;
  /** Those answered with a status of 500 or more. */
  readonly serverErrors: number;
};

/** A public DNS zone of the account. */
export type CloudZone = {
  readonly id: string;
  /** The name servers that the provider gave it; whether the zone is delegated to them, only the DNS knows. */
  readonly nameServers: readonly string[];
};

/** A record of a zone. Names are in lower case, without a final dot. `ALIAS`: the addresses of a distribution's host name. */
export type ZoneRecord = {
  readonly type: "CNAME" | "ALIAS";
  readonly name: string;
  readonly value: string;
};

/** The records of one type at a name; of any type of the DNS. */
export type ObservedRecords = { readonly type: string; readonly values: readonly string[] };

/**
 * The zones of an account, to which its owner may allow Slipway to add records. Not allowed: `denied`. A cloud that has no
 * zones finds none, and denies the rest. When a change is
 * accepted, the provider's name servers need not have it yet: look at the DNS.
 */
export type CloudZones = {
  /** The public zones with exactly this name. */
  find(account: CloudAccount, name: string): Promise<readonly CloudZone[]>;
  /** The records at exactly these names: one entry for each name, in the order of the names, for a zone of any size. */
  look(
    account: CloudAccount,
    zoneId: string,
    names: readonly string[],
  ): Promise<readonly (readonly ObservedRecords[])[]>;
  /**
   * Creates all of the records, or none; never changes one.
   * @throws CloudError `invalid` `RECORD_CONFLICT` if another record is in the way
   */
  create(account: CloudAccount, zoneId: string, records: readonly ZoneRecord[]): Promise<void>;
  /** Deletes all of the records, or none. @throws CloudError `invalid` `RECORD_CONFLICT` if one is not exactly so */
  delete(account: CloudAccount, zoneId: string, records: readonly ZoneRecord[]): Promise<void>;
};

/** A managed value to write. Never log or trace `value`, or put it into an error. */
export type SecretWrite = {
  readonly region: string;
  readonly name: string;
  readonly value: string;
  /** Deterministic: the same token writes one version, however often it is sent. */
  readonly token: string;
};

export interface Cloud {
  readonly kind: CloudKind;
  /** CAA issuer domains; each of them allows this provider to issue (RFC 8659). The first call may take seconds. */
  readonly caaIssuers: () => Promise<readonly string[]>;
  /** Whether a distribution serves the files of a repository while its service has no release. */
  readonly servesRepositories: boolean;
  /** Whether environments can sleep (`Platform.environments.sleep`). */
  readonly sleeps: boolean;
  /** Whether it keeps the output of instances for a given number of days. */
  readonly keepsLogsByDays: boolean;
  /** Whether it builds a service with the repository's Dockerfile. */
  readonly buildsDockerfiles: boolean;
  /** Whether it runs images of registries. */
  readonly runsImages: boolean;
  /** Whether it runs several instances of a service, and changes their number. */
  readonly scalesInstances: boolean;
  /** Whether its distributions may keep answers of services, which `distributions.invalidate` removes. */
  readonly cachesAnswers: boolean;
  /** Whether a variable can be put together from texts and values of the account (`joined`). */
  readonly joinsValues: boolean;
  /** Whether services can read secrets and parameters of the account that Slipway did not store. */
  readonly readsOtherSecrets: boolean;
  /** The types of data stores that `Platform.stores` creates. */
  readonly createsStores: readonly StoreType[];
  /** Whether it honours `size`, `storageGb` and `backupRetentionDays` of the stores that it creates. */
  readonly sizesStores: boolean;
  /** Whether a name, but no wildcard, that leads to its distribution is validated without its verification record. */
  readonly provesByConnection: boolean;

  /** The link that a customer opens to connect an account. Pure. */
  stackFor(connectionId: string): CloudStack;

  readonly identity: {
    /**
     * Proves that the reported role is the customer's and trusts only us: assuming it works with the
     * external id, fails without one and with another one, and the caller identity names the same account.
     * @throws CloudError `denied` if any of this does not hold
     */
    verify(connectionId: string, reported: ReportedIdentity): Promise<CloudAccount>;
    /** The adapter's permissions that the role lacks, in the provider's words; empty if none is known to be missing. */
    missingPermissions(account: CloudAccount): Promise<readonly string[]>;
  };

  readonly certificates: {
    /**
     * Requests a certificate for all `names`, or returns the certificate that this token has already requested
     * (found by our tag, even after the provider has forgotten the token). Puts a name of at most 64
     * octets first.
     * @throws CloudError `limit` (`CERTIFICATE_NAMES_LIMIT`, `CERTIFICATE_REQUEST_QUOTA`) or `invalid` (`FIRST_NAME_TOO_LONG`)
     */
    request(
      account: CloudAccount,
      request: { names: readonly string[]; token: string },
    ): Promise<{ id: string }>;
    /** Null if it does not exist (or not yet: the provider may lag some seconds behind a request). */
    describe(account: CloudAccount, id: string): Promise<ObservedCertificate | null>;
    /**
     * Every certificate of the account that is issued or may yet be issued, even if Slipway did not request it. The
     * provider has one validation record for a name, which all certificates of the name need for their renewal.
     */
    list(
      account: CloudAccount,
    ): Promise<readonly { readonly id: string; readonly names: readonly string[] }[]>;
    /** `in-use`: a distribution still uses it; try again later. `deleted` also if it does not exist. */
    delete(account: CloudAccount, id: string): Promise<"deleted" | "in-use">;
  };

  readonly distributions: {
    /**
     * Creates a distribution without aliases, or returns the distribution that this token has already created.
     * @param request.access of a preview, from its first answer on
     */
    create(
      account: CloudAccount,
      request: { readonly token: string; readonly origin: Origin; readonly access?: PreviewAccess },
    ): Promise<ObservedDistribution>;
    describe(account: CloudAccount, id: string): Promise<ObservedDistribution | null>;
    /**
     * Sets aliases, certificate, `enabled`, and the origin if given; everything else stays as the provider has it.
     * @throws CloudError `retryable` `STALE_ETAG`; `invalid` `ALIAS_IN_USE`, `CERTIFICATE_UNUSABLE`; `limit` `TOO_MANY_ALIASES`;
     * with `redirects` also `limit` `TOO_MANY_REDIRECTS`, `invalid` `REDIRECTS_REFUSED`; with `routes` also `limit` `TOO_MANY_ROUTES`
     */
    update(account: CloudAccount, id: string, update: DistributionUpdate): Promise<ObservedDistribution>;
    /**
     * Removes answers from a distribution's caches. The same token, with the same paths, removes them once.
     * @param request.paths URL-encoded, from the first `/`; `*` at the end stands for any text
     */
    invalidate(
      account: CloudAccount,
      id: string,
      request: { readonly token: string; readonly paths: readonly string[] },
    ): Promise<ObservedInvalidation>;
    /** Null if it, or its distribution, does not exist. */
    describeInvalidation(
      account: CloudAccount,
      id: string,
      invalidationId: string,
    ): Promise<ObservedInvalidation | null>;
    /** Deletes what the provider keeps of redirects that the distribution no longer has, or never got. */
    forgetRedirects(account: CloudAccount, id: string): Promise<void>;
    /** `not-ready`: it must be disabled and deployed first. `deleted` also if it does not exist. */
    delete(account: CloudAccount, id: string, etag: string): Promise<"deleted" | "not-ready">;
    /**
     * The sum of the requests to these distributions. Null if the provider does not report it.
     * @param since at most a day ago
     */
    traffic(account: CloudAccount, ids: readonly string[], since: Date): Promise<Traffic | null>;
  };

  readonly zones: CloudZones;

  readonly parameters: {
    /** Writes a SecureString. The reference is its path. @throws CloudError `invalid` `NOT_OURS` if it exists without our tag */
    put(account: CloudAccount, write: SecretWrite): Promise<{ reference: string }>;
    /** Succeeds if it does not exist. */
    delete(account: CloudAccount, where: { region: string; name: string }): Promise<void>;
  };

  readonly secrets: {
    /** Writes a secret. The reference is its ARN. @throws CloudError `invalid` `NOT_OURS` if it exists without our tag */
    put(account: CloudAccount, write: SecretWrite): Promise<{ reference: string }>;
    /** Succeeds if it does not exist. */
    delete(account: CloudAccount, where: { region: string; name: string }): Promise<void>;
  };
}

/**
 * What the caller of a failed call has to do:
 * `retryable`: try again later, with backoff; `denied`: the role lacks a permission or was deleted;
 * `gone`: the resource does not exist; `limit`: only a person can raise a quota; `invalid`: the
 * provider refuses this request, and a retry is useless.
 */
export type CloudErrorKind = "retryable" | "denied" | "gone" | "limit" | "invalid";

export const CLOUD_ERROR_CODES = [
  "THROTTLED",
  "UNAVAILABLE",
  "TIMEOUT",
  "STALE_ETAG",
  "ACCESS_DENIED",
  "NOT_FOUND",
  "CERTIFICATE_NAMES_LIMIT",
  "CERTIFICATE_REQUEST_QUOTA",
  "FIRST_NAME_TOO_LONG",
  "CERTIFICATE_UNUSABLE",
  "ALIAS_IN_USE",
  "TOO_MANY_ALIASES",
  "TOO_MANY_REDIRECTS",
  "REDIRECTS_REFUSED",
  "TOO_MANY_ROUTES",
  "TOO_MANY_DISTRIBUTIONS",
  "TOO_MANY_PARAMETERS",
  "VALUE_TOO_LARGE",
  "NOT_OURS",
  "REGION_UNAVAILABLE",
  "RECORD_CONFLICT",
  "INVALID_REQUEST",
  "UNKNOWN",
] as const;
export type CloudErrorCode = (typeof CLOUD_ERROR_CODES)[number];

/** A failed call to the cloud. The message is our own and may be shown; the provider's words are in `cause`. */
export class CloudError extends Error {
  override readonly name = "CloudError";
  readonly kind: CloudErrorKind;
  readonly code: CloudErrorCode;
  readonly operation: string;
  constructor(
    kind: CloudErrorKind,
    code: CloudErrorCode,
    operation: string,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.kind = kind;
    this.code = code;
    this.operation = operation;
  }
}

/** Whether a failed call means that the cloud or the account is unreachable for now. Says nothing about the request. */
export function isAbsence(error: unknown): boolean {
  return error instanceof CloudError && (error.code === "UNAVAILABLE" || error.code === "TIMEOUT");
}
