import type { Credential, CREDENTIAL_KINDS, Role, Scope, Workload } from "../../lib/actor.ts";

export type Organization = { readonly id: string; readonly name: string; readonly createdAt: Date };

/** For how long records are kept. Null: until the organization is deleted. */
export type Retention = {
  readonly auditEntryDays: number | null;
  readonly variableVersionDays: number | null;
  readonly variableRunDays: number;
  readonly eventDays: number;
  readonly webhookAttemptDays: number;
  readonly webhookBodyDays: number;
  readonly gitDeliveryDays: number;
  readonly domainCountDays: number;
  readonly idempotencyHours: number;
};

/** A program is a `service`: it does not sign in, and the organization cannot be left to it. */
export const USER_KINDS = ["person", "service"] as const;

export type User = {
  readonly organizationId: string;
  readonly id: string;
  readonly kind: (typeof USER_KINDS)[number];
  /** Null for a program, and for a person whose identity provider gives none. */
  readonly email: string | null;
  readonly name: string;
  readonly role: Role;
  /** The user's login at the git provider; projects need it there (specification, Authentication 3b). */
  readonly gitLogin: string | null;
  /** When one of its keys, sessions or workloads last made a request; written about once a minute. Null: never. */
  readonly lastSeenAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export const SIGN_IN_KINDS = ["identity-provider", "api-key", "workload"] as const;

/** A user with what lets it in. */
export type ShownUser = User & {
  /** Identity providers that have signed it in. */
  readonly providerIssuers: readonly string[];
  /** Whether it has an API key that has not expired. */
  readonly hasKey: boolean;
  /** Platforms whose workloads may act as it. */
  readonly workloadIssuers: readonly string[];
};

export type ApiKey = {
  readonly organizationId: string;
  readonly id: string;
  readonly userId: string;
  /** The user who created it; null if the operator or an earlier release did. */
  readonly createdBy: string | null;
  readonly name: string;
  /** The key's first characters, for recognizing it. */
  readonly prefix: string;
  /** What it may be used for; null for everything that its user may do. */
  readonly scopes: readonly Scope[] | null;
  /** The projects that it is limited to; null for all. */
  readonly projectIds: readonly string[] | null;
  /** From when on it is refused; null for never. */
  readonly expiresAt: Date | null;
  /** Written about once a minute; null if it was not used yet. */
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
};

/** Who makes a request, and by what it is known. */
export type Caller = {
  readonly organization: Organization;
  readonly user: ShownUser;
  /** Null in a session, and of a workload. */
  readonly apiKey: ApiKey | null;
  readonly credential: Credential & { readonly kind: (typeof CREDENTIAL_KINDS)[number] };
};

/** What an entry says in addition to who did what. It may hold no secret. */
export type AuditDetails = {
  /** The names of what was set, such as variables. */
  readonly names?: readonly string[];
  /** The changed fields, with their values. */
  readonly before?: Readonly<Record<string, string | null>>;
  readonly after?: Readonly<Record<string, string | null>>;
  /** What made the request, if it was a workload. */
  readonly workload?: Workload;
};

export type AuditEntry = {
  readonly id: string;
  readonly at: Date;
  readonly userId: string;
  readonly apiKeyId: string;
  /** Noun and verb, such as `domain.deleted`. */
  readonly action: string;
  readonly resourceId: string;
  readonly requestId: string;
  /** Null for changes without a request, and for entries of earlier releases. */
  readonly sourceAddress: string | null;
  readonly details: AuditDetails | null;
};

/** When credentials of one kind, or their users, were last used, as arrays of equal length. */
export type NotedUses = {
  readonly ids: readonly string[];
  readonly at: readonly Date[];
  /** Nothing is written where a use of this time or later is known. */
  readonly unlessSince: readonly Date[];
};
