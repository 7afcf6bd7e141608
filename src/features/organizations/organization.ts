import type { Role } from "../../lib/actor.ts";

export type Organization = { readonly id: string; readonly name: string };

export type User = {
  readonly organizationId: string;
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** The user's login at the git provider; projects need it there (specification, Authentication 3b). */
  readonly gitLogin: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type ApiKey = {
  readonly organizationId: string;
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** The key's first characters, to recognize it by. */
  readonly prefix: string;
  readonly createdAt: Date;
};

/** Whose key a request came with. */
export type Caller = {
  readonly organization: Organization;
  readonly user: User;
  readonly apiKey: ApiKey;
};

/** What an entry says beside who did what: nothing in it may be secret. */
export type AuditDetails = {
  /** Names of what was set, as of variables. */
  readonly names?: readonly string[];
  /** What changed, with its values. */
  readonly before?: Readonly<Record<string, string | null>>;
  readonly after?: Readonly<Record<string, string | null>>;
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
  /** Null for what no request did, and for entries of earlier releases. */
  readonly sourceAddress: string | null;
  readonly details: AuditDetails | null;
};
