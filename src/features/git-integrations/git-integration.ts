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
  /** When the host was last asked about the token; it also is when the token is set. */
  readonly lastCheckAt: Date;
  /** What that found wrong, with the token or with the host. */
  readonly lastCheckError: TokenCheckError | null;
};

/**
 *   WORKING  the host accepted the token when it last answered
 *   REFUSED  it refused it: the token expired, was revoked, or lacks permissions; becomes WORKING again by itself
 *
 * A host that is away says nothing of the token, which stays as it was.
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
