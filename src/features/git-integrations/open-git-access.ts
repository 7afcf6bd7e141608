import type { Sql } from "../../db/database.ts";
import { AppError } from "../../lib/errors.ts";
import { GIT_INTEGRATION_ERRORS } from "./errors.ts";
import { type GitAccess, type GitProvider, nameOfProvider } from "../../git/git.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { tokenIdentity } from "./git-integration.ts";
import { gitIntegrations } from "./store.ts";

/**
 * The organization's access to a git provider, with its token opened. Use it at once and do not keep it.
 * @throws AppError `GIT_INTEGRATION_MISSING`; SealingError `TAMPERED`
 */
export async function openGitAccess(
  deps: { readonly db: Sql; readonly atRest: AtRestSealing },
  organizationId: string,
  provider: GitProvider,
  host: string | null,
): Promise<GitAccess> {
  const found = await gitIntegrations.findSealedToken(deps.db, organizationId, provider, host);
  if (found === null) throw gitIntegrationMissing(provider, host);
  const token = await deps.atRest.open(tokenIdentity({ organizationId, id: found.id }), found.sealedToken);
  return { provider, host, token: token.reveal() };
}

/** The refusal when an organization has no integration for a provider and host. */
export function gitIntegrationMissing(provider: GitProvider, host: string | null, cause?: unknown): AppError {
  return new AppError(
    GIT_INTEGRATION_ERRORS.GIT_INTEGRATION_MISSING,
    `The organization has no git integration for ${nameOfProvider({ provider, host })}. An admin can add one under Git.`,
    { cause },
  );
}
