export const ROLES = ["viewer", "developer", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const CREDENTIAL_KINDS = ["api-key", "session", "workload"] as const;
/** `none` is for work without a request, and for pushes, which their signature identifies. */
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number] | "none";

/**
 * What a request was authenticated by. Limits count by its id, and audit entries show it. Work without a credential has
 * the id of who does it.
 */
export type Credential = {
  readonly kind: CredentialKind;
  readonly id: string;
  /** Only set for a workload's token. */
  readonly workload?: Workload;
};

/** What ran elsewhere, and which trust let it in. Audit entries show it. */
export type Workload = {
  readonly trustId: string;
  /** The name of the trust. */
  readonly name: string;
  /** What its platform says it is. */
  readonly subject: string;
  /** What it says of these, if it says it. */
  readonly repository: string | null;
  readonly ref: string | null;
  readonly runId: string | null;
};

/** What a credential may be used for. Each includes `read`; a user's role limits it further. */
export const SCOPES = ["read", "deploy", "domains", "variables", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** What limits a caller besides the role in the organization. */
export type Access = {
  /** What the credential may be used for; null for everything that the role allows. */
  readonly scopes: readonly Scope[] | null;
  /** The projects that the credential is limited to; null for all. */
  readonly projectIds: readonly string[] | null;
  readonly grants: Grants;
};

/** What projects give a user, or withhold. Null if projects change nothing, as for all admins. */
export type Grants = {
  /** The user's role per project, if it differs from the organization's; null if the user does not see the project. */
  readonly roles: ReadonlyMap<string, Role | null> | null;
  /** The protected environments, by their ids. */
  readonly protections: ReadonlyMap<string, Protection> | null;
};

/** The role in the project that deploys to a protected environment, and sets its variables and domains. */
export type Protection = { readonly projectId: string; readonly role: Role };

export const NO_GRANTS: Grants = { roles: null, protections: null };

/** Nothing but the role limits the caller. */
export const FULL_ACCESS: Access = { scopes: null, projectIds: null, grants: NO_GRANTS };

/** Whom a credential identifies, before what projects give its user is known. */
export type Identity = Omit<Principal, "access"> & {
  readonly access: Omit<Access, "grants">;
};

/** The same with what projects give its user. */
export type Principal = Omit<Actor, "requestId" | "sourceAddress" | "userAgent">;

/** Who makes a request. Every command takes an actor, and touches only its organization. */
export type Actor = {
  readonly organizationId: string;
  readonly userId: string;
  readonly credential: Credential;
  /** In the organization; a project may give another (`access.ts`). */
  readonly role: Role;
  readonly access: Access;
  readonly requestId: string;
  /** Where the request came from; missing for work without a request. */
  readonly sourceAddress?: string;
  /** What the client says it is; missing for work without a request. */
  readonly userAgent?: string;
};
