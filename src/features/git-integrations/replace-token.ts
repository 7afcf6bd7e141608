/**
 * Replaces the token of an integration while its projects keep working. The new token is tried at the host before the
 * transaction; until the commit, the old one is used.
 */
import pLimit from "p-limit";
import type { Actor } from "../../lib/actor.ts";
import { announceChange } from "../../db/changes.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import { AppError, notFound } from "../../lib/errors.ts";
import { GIT_INTEGRATION_ERRORS } from "./errors.ts";
import { type Git, type GitAccess, GitError, type Repository } from "../../git/git.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import { emit } from "../events/emit.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { listProjectsOfProvider } from "../projects/queries.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { Secret } from "../../sealing/secret.ts";
import { getGitIntegration } from "./commands.ts";
import { GIT_INTEGRATION_EVENTS } from "./events.ts";
import { type GitIntegration, tokenIdentity } from "./git-integration.ts";
import { openGitAccess } from "./open-git-access.ts";
import { gitIntegrations } from "./store.ts";

type Deps = { readonly db: Sql; readonly git: Git; readonly atRest: AtRestSealing };

/**
 * How many projects' repositories are tried; in a larger organization, the others show faults at their next deployment.
 */
const PROJECTS_TRIED_MAX = 100;
const TRIED_AT_ONCE = 4;
const NAMED_MAX = 5;

/**
 * Tries a new token and seals it. Refuses a token that the host does not accept. Also refuses a token that cannot read
 * a project's repository that the present token can read: the project could no longer deploy.
 * @throws AppError `NOT_FOUND`, `GIT_TOKEN_READS_LESS`; GitError
 */
export async function prepareToken(
  deps: Deps,
  { organizationId }: Actor,
  id: string,
  token: string,
): Promise<Uint8Array> {
  const { provider, host } = await getGitIntegration(deps.db, organizationId, id);
  const access: GitAccess = { provider, host, token };
  await deps.git.checkToken(access);
  await requireSameReach(deps, organizationId, access);
  return await deps.atRest.seal(tokenIdentity({ organizationId, id }), new Secret(token));
}

/** Replaces the token by a prepared one. @throws AppError `NOT_FOUND` */
export async function replaceToken(
  tx: Transaction,
  actor: Actor,
  id: string,
  sealedToken: Uint8Array,
): Promise<GitIntegration> {
  const integration = await gitIntegrations.setToken(tx, actor.organizationId, id, sealedToken);
  if (integration === null) throw notFound();
  announceChange(tx, id);
  recordAudit(tx, actor, "git-integration.token-replaced", id);
  const { provider, host } = integration;
  const type = GIT_INTEGRATION_EVENTS["git_integration.updated"];
  emit(tx, actor, { type, subjectId: id, data: { provider, host, updated: "token" } });
  return integration;
}

async function requireSameReach(deps: Deps, organizationId: string, access: GitAccess): Promise<void> {
  const { provider, host } = access;
  const projects = await listProjectsOfProvider(deps.db, organizationId, provider, host, PROJECTS_TRIED_MAX);
  const repositories = [...new Set(projects.map(({ normalizedRepoUrl }) => normalizedRepoUrl))];
  const unread = await listUnread(deps.git, access, repositories);
  if (unread.length === 0) return;
  // An expired or revoked token reads nothing, so any other token is better.
  const present = await openGitAccess(deps, organizationId, provider, host);
  const unreadBefore = await listUnread(deps.git, present, unread);
  const missed = unread.filter((url) => !unreadBefore.includes(url));
  if (missed.length === 0) return;
  const affected = projects.filter(({ normalizedRepoUrl }) => missed.includes(normalizedRepoUrl));
  const named = affected
    .slice(0, NAMED_MAX)
    .map((project) => `${project.normalizedRepoUrl} (${project.id})`)
    .join(", ");
  const more = affected.length > NAMED_MAX ? ` and ${affected.length - NAMED_MAX} more` : "";
  throw new AppError(
    GIT_INTEGRATION_ERRORS.GIT_TOKEN_READS_LESS,
    `The new token cannot read repositories that the current token can read: ${named}${more}. Give it access to them. The current token stays.`,
  );
}

/**
 * The repositories that a token cannot read. @throws GitError `HOST_UNAVAILABLE`, which does not show whether it can
 */
async function listUnread(git: Git, access: GitAccess, urls: readonly string[]): Promise<readonly string[]> {
  const areRead = await pLimit(TRIED_AT_ONCE).map(urls, (url) =>
    canRead(git, access, parseRepositoryUrl(url)),
  );
  return urls.filter((_, index) => areRead[index] !== true);
}

async function canRead(git: Git, access: GitAccess, repository: Repository): Promise<boolean> {
  try {
    await git.listBranches(access, repository);
    return true;
  } catch (error) {
    if (!(error instanceof GitError) || error.code === "HOST_UNAVAILABLE") throw error;
    return false;
  }
}
