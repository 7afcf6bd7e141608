import type { GitProvider } from "../../git/git.ts";

/** An organization's access to a git provider. The token is not part of it: it stays sealed in its row. */
export type GitIntegration = {
  readonly organizationId: string;
  readonly id: string;
  readonly provider: GitProvider;
  /** Only with `provider_b_self_hosted`: a host name in lower case, with its port if it has one. */
  readonly host: string | null;
  readonly createdAt: Date;
  /** When its token was set, at its creation or by a replacement. */
  readonly tokenSetAt: Date;
  readonly tokenStatus: TokenStatus;
  /** When the host was last asked about the token; this also happens when the token is set. */
  readonly lastCheckAt: Date;
  /** The error of that check, of the token or of the host. */
  readonly lastCheckError: TokenCheckError | null;
  /** Why the host refuses reports of deployments; null if it takes all of them. */
  readonly reportError: TokenCheckError | null;
};

/**
 *   WORKING  the host accepted the token when it last answered
 *   REFUSED  the host refused the token: it expired, was revoked, or lacks permissions; WORKING again when a check
 *            finds it accepted
 *
 * A host that does not answer says nothing of the token, whose status stays unchanged.
 */
export const TOKEN_STATUSES = ["WORKING", "REFUSED"] as const;
export type TokenStatus = (typeof TOKEN_STATUSES)[number];

export type TokenCheckError = { readonly code: string; readonly message: string; readonly action: string };

/** What a token's seal is bound to, so that a sealed token in another row does not open. */
export function tokenIdentity({ organizationId, id }: Pick<GitIntegration, "organizationId" | "id">) {
  return ["git integration token", organizationId, id];
}

/** What a hook secret's seal is bound to. */
export function hookIdentity({ organizationId, id }: Pick<GitIntegration, "organizationId" | "id">) {
  return ["git hook secret", organizationId, id];
}
