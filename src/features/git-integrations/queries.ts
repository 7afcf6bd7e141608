import type { Database, Sql } from "../../db/database.ts";
import { type Git, type GitAccess, type GitProvider, nameOfProvider } from "../../git/git.ts";
import { AppError, orNotFound } from "../../lib/errors.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import type { Secret } from "../../sealing/secret.ts";
import { GIT_INTEGRATION_ERRORS } from "./errors.ts";
import { type GitIntegration, hookIdentity, tokenIdentity } from "./git-integration.ts";
import { gitIntegrations } from "./store.ts";

/** What asking a git host for an organization needs. */
export type GitDeps = { readonly db: Database; readonly git: Git; readonly atRest: AtRestSealing };

type Deps = { readonly db: Sql; readonly atRest: AtRestSealing };

/** @throws AppError `NOT_FOUND` */
export async function getGitIntegration(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<GitIntegration> {
  return orNotFound(await gitIntegrations.find(sql, organizationId, id));
}

/**
 * The organization's access to a git provider, with its token opened. Use it at once and do not keep it.
 * @throws AppError `GIT_INTEGRATION_MISSING`; SealingError `TAMPERED`
 */
export async function openGitAccess(
  { db, atRest }: Deps,
  organizationId: string,
  provider: GitProvider,
  host: string | null,
): Promise<GitAccess> {
  const found = await gitIntegrations.findSealedToken(db, organizationId, provider, host);
  if (found === null) throw gitIntegrationMissing(provider, host);
  const token = await atRest.open(tokenIdentity({ organizationId, id: found.id }), found.sealedToken);
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

/** An integration that may have sent a delivery, and its secret. */
export type HookSender = {
  readonly organizationId: string;
  readonly id: string;
  readonly secret: Secret;
};

/**
 * All organizations' integrations that have a hook secret and a project with the repository: a delivery does not name
 * its organization, only its signature shows it.
 */
export async function listHookSenders(
  { db, atRest }: Deps,
  provider: GitProvider,
  normalizedRepoUrl: string,
): Promise<readonly HookSender[]> {
  const found = await gitIntegrations.listHookSenders(db, provider, normalizedRepoUrl);
  return await Promise.all(
    found.map(async ({ sealedHookSecret, ...sender }) => ({
      ...sender,
      secret: await atRest.open(hookIdentity(sender), sealedHookSecret),
    })),
  );
}
