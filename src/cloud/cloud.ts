/**
 * All that the rest of Slipway knows of a cloud. Two adapters implement it, `cloud/sandbox` and
 * `cloud/aws`, and one suite (`contract.test.ts`) holds both to what is written here.
 *
 * Every call may be repeated: a call whose answer was lost is made again with the same token and
 * finds its effect done. No call waits for a slow cloud process; callers describe and look again.
 * Every failure is a `CloudError`; its `kind` tells what to do, its `code` what happened.
 */

/** A connected customer account, as verified; never as reported. */
export type CloudAccount = {
  /** Id of the connection, which is also the external id of the role. */
  readonly connectionId: string;
  /** The provider's own number of the account. */
  readonly accountId: string;
  readonly roleArn: string;
  /**
   * The id of what is worked for: a run, a deployment, a group of domains. The customer sees it with each call in
   * its own log of the account.
   */
  readonly purpose?: string;
  /**
   * When the caller noted the call as begun (`calls/stragglers.ts`): its deadline counts from there. Left out where
   * nothing is noted.
   */
  readonly startedAt?: Date;
};

/** What the customer's stack reported. Not to be believed before `identity.verify`. */
export type ReportedIdentity = { readonly accountId: string; readonly roleArn: string };

/** Where a client opens the stack that connects its account (specification, "Cloud account connection"). */
export type CloudStack = {
  readonly consoleUrl: string;
  readonly template: {
    readonly url: string;
    readonly stackName: string;
    readonly region: string;
    readonly parameters: { readonly ServiceId: string };
  };
};

/** ACM's words for a certificate (ACM API, CertificateDetail.Status). */
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

export type CertificateSeen = {
  /** The provider's id (an ARN). */
  readonly id: string;
  readonly status: CertificateStatus;
  /** Only with `FAILED`: ACM's FailureReason (`CAA_ERROR`, `DOMAIN_NOT_ALLOWED`, …); unknown words are passed on. */
  readonly failureReason: string | null;
  /** One entry per name; `record` is null until the provider knows it, some seconds after the request. */
  readonly domains: readonly {
    readonly name: string;
    readonly validated: boolean;
    readonly record: ValidationRecord | null;
  }[];
  readonly requestedAt: Date;
  readonly issuedAt: Date | null;
  readonly expiresAt: Date | null;
  /** ACM's RenewalStatus (`PENDING_AUTO_RENEWAL`, `PENDING_VALIDATION`, `SUCCESS`, `FAILED`), null before a renewal. */
  readonly renewalStatus: string | null;
};

/**
 * Where a distribution fetches what it serves. It is given when the distribution is created; only the place of a
 * `repository` may change. With a `serviceId`, the `LIVE` release of that service in the distribution's account
 * (`Platform.releases`) goes before everything else said here, from the instant it is live and whatever its
 * type; without a live release, what is said here is served. So a release needs no change of a distribution.
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
  /** A host outside (an `external` service, which is never released). */
  | { readonly kind: "host"; readonly hostname: string }
  /** Nothing released yet: the distribution answers 503 in plain words. */
  | { readonly kind: "none"; readonly serviceId?: string };

export type DistributionSeen = {
  readonly id: string;
  /** The provider's host name; what a `SERVICE_CONNECTION` record points to. */
  readonly domainName: string;
  /** Lower-case names, sorted. */
  readonly aliases: readonly string[];
  readonly certificateId: string | null;
  readonly enabled: boolean;
  /** When the provider took the last change, by its own clock. */
  readonly changedAt: Date;
  /** True when the last change is live everywhere ("Deployed"). */
  readonly deployed: boolean;
  /** Changes with every update; the fencing token against an overtaken writer. */
  readonly etag: string;
};

export type DistributionUpdate = {
  readonly aliases: readonly string[];
  readonly certificateId: string | null;
  readonly enabled: boolean;
  /** Where its files are from now on. Left out, and where the provider serves no repositories, it is as before. */
  readonly origin?: Extract<Origin, { kind: "repository" }>;
  /** The `etag` that the decision was based on; `STALE_ETAG` when it has moved. */
  readonly etag: string;
};

/** A managed value to write. `value` must not be logged, traced or put into an error. */
export type SecretWrite = {
  readonly region: string;
  readonly name: string;
  readonly value: string;
  /** Deterministic: the same token writes one version, however often it is sent. */
  readonly token: string;
};

export interface Cloud {
  readonly kind: "sandbox" | "aws";
  /** CAA issuer domains any of which lets this provider issue (RFC 8659). */
  readonly caaIssuers: readonly string[];
  /** Whether a distribution serves the files of a repository while its service has no release. */
  readonly servesRepositories: boolean;

  /** The link that a client opens to connect its account. Pure. */
  stackFor(connectionId: string): CloudStack;

  readonly identity: {
    /**
     * Proves that the reported role is the customer's and trusts us alone: assuming it works with the
     * external id, fails without it and with another, and the caller identity names the same account.
     * @throws CloudError `denied` when any of it does not hold.
     */
    verify(connectionId: string, reported: ReportedIdentity): Promise<CloudAccount>;
    /** What the role may not do of all that the adapter does, in the provider's words; empty when nothing is known to be missing. */
    missingPermissions(account: CloudAccount): Promise<readonly string[]>;
  };

  readonly certificates: {
    /**
     * Requests a certificate for all `names`, or returns the one that this token requested before
     * (found by our tag, beyond the provider's own token window too). Puts a name of at most 64
     * octets first.
     * @throws CloudError `limit` (`CERTIFICATE_NAMES_LIMIT`, `CERTIFICATE_REQUEST_QUOTA`) or `invalid` (`FIRST_NAME_TOO_LONG`).
     */
    request(
      account: CloudAccount,
      wanted: { names: readonly string[]; token: string },
    ): Promise<{ id: string }>;
    /** Null when it does not exist (or not yet: the provider may lag some seconds behind a request). */
    describe(account: CloudAccount, id: string): Promise<CertificateSeen | null>;
    /** `in-use`: still on a distribution somewhere, try later. Deleting what is gone is `deleted`. */
    delete(account: CloudAccount, id: string): Promise<"deleted" | "in-use">;
  };

  readonly distributions: {
    /** Creates a distribution without aliases, or returns the one that this token created before. */
    create(account: CloudAccount, wanted: { token: string; origin: Origin }): Promise<DistributionSeen>;
    describe(account: CloudAccount, id: string): Promise<DistributionSeen | null>;
    /**
     * Sets aliases, certificate, enabled, and the origin if one is given; all else is kept as the provider has it.
     * @throws CloudError `retryable` `STALE_ETAG`; `invalid` `ALIAS_IN_USE`, `CERTIFICATE_UNUSABLE`; `limit` `TOO_MANY_ALIASES`.
     */
    update(account: CloudAccount, id: string, update: DistributionUpdate): Promise<DistributionSeen>;
    /** `not-ready`: it must be disabled and deployed first. Deleting what is gone is `deleted`. */
    delete(account: CloudAccount, id: string, etag: string): Promise<"deleted" | "not-ready">;
  };

  readonly parameters: {
    /** Writes a SecureString; the reference is its path. @throws CloudError `invalid` `NOT_OURS` when it exists without our tag. */
    put(account: CloudAccount, write: SecretWrite): Promise<{ reference: string }>;
    /** Deleting what is gone succeeds. */
    delete(account: CloudAccount, where: { region: string; name: string }): Promise<void>;
  };

  readonly secrets: {
    /** Writes a secret; the reference is its ARN. @throws CloudError `invalid` `NOT_OURS` when it exists without our tag. */
    put(account: CloudAccount, write: SecretWrite): Promise<{ reference: string }>;
    /** Deleting what is gone succeeds. */
    delete(account: CloudAccount, where: { region: string; name: string }): Promise<void>;
  };
}

/**
 * What a failed call asks of its caller:
 * `retryable` try again later, with backoff; `denied` the role lacks the right or is gone;
 * `gone` the thing addressed does not exist; `limit` a quota only a person can raise; `invalid` the
 * provider refuses this very request, repeating it is useless.
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
  "TOO_MANY_DISTRIBUTIONS",
  "TOO_MANY_PARAMETERS",
  "VALUE_TOO_LARGE",
  "NOT_OURS",
  "REGION_UNAVAILABLE",
  "INVALID_REQUEST",
  "UNKNOWN",
] as const;
export type CloudErrorCode = (typeof CLOUD_ERROR_CODES)[number];

/** A failed call to the cloud. The message is our own and may be shown; the provider's own words stay in `cause`. */
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
