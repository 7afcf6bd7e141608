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
};

/** What a token's seal is bound to, so that a sealed token in another row does not open. */
export function tokenIdentity({ organizationId, id }: Pick<GitIntegration, "organizationId" | "id">) {
  return ["git integration token", organizationId, id];
}

/** What a hook secret's seal is bound to. */
export function hookIdentity({ organizationId, id }: Pick<GitIntegration, "organizationId" | "id">) {
  return ["git hook secret", organizationId, id];
}
