import { randomBytes } from "node:crypto";
import pLimit from "p-limit";
import { announceChange } from "../../db/changes.ts";
import { isForeignKeyViolation, isUniqueViolation, type Sql, type Transaction } from "../../db/database.ts";
import { type Git, type GitAccess, GitError, nameOfProvider, type Repository } from "../../git/git.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, notFound, orNotFound } from "../../lib/errors.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { Secret } from "../../sealing/secret.ts";
import { emit } from "../events/emit.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { listProjectsOfProvider } from "../projects/queries.ts";
import { GIT_INTEGRATION_ERRORS } from "./errors.ts";
import { GIT_INTEGRATION_EVENTS as EVENTS } from "./events.ts";
import { type GitIntegration, hookIdentity, tokenIdentity } from "./git-integration.ts";
import { getGitIntegration, openGitAccess } from "./queries.ts";
import { reportRefusals } from "./refusal-store.ts";
import { gitIntegrations } from "./store.ts";

type Deps = { readonly db: Sql; readonly git: Git; readonly atRest: AtRestSealing };

/** The token was checked and sealed before (`tokenIdentity`). @throws AppError `GIT_INTEGRATION_EXISTS` */
export async function createGitIntegration(
  tx: Transaction,
  actor: Actor,
  fields: Pick<GitIntegration, "id" | "provider" | "host"> & { readonly sealedToken: Uint8Array },
): Promise<GitIntegration> {
  const { organizationId } = actor;
  const { id, provider, host } = fields;
  const present = await gitIntegrations.findId(tx, organizationId, provider, host);
  if (present !== null) throw exists(fields, present);
  try {
    const integration = orNotFound(await gitIntegrations.insert(tx, { organizationId, ...fields }));
    recordAudit(tx, actor, "git-integration.created", id);
    const type = EVENTS["git_integration.created"];
    emit(tx, actor, { type, subjectId: id, data: { provider, host } });
    return integration;
  } catch (error) {
    // Another request created it after the check above.
    if (!isUniqueViolation(error, "git_integrations_host_key")) throw error;
    throw exists(fields, "{id}", error);
  }
}

function exists(of: Pick<GitIntegration, "provider" | "host">, id: string, cause?: unknown): AppError {
  return new AppError(
    GIT_INTEGRATION_ERRORS.GIT_INTEGRATION_EXISTS,
    `The organization already has a git integration for ${nameOfProvider(of)}. To change its token, replace the token of the integration ${id}.`,
    { cause },
  );
}

/** How many projects a refusal names. */
const NAMED_MAX = 5;

/** @throws AppError `NOT_FOUND`, `GIT_INTEGRATION_IN_USE` */
export async function deleteGitIntegration(tx: Transaction, actor: Actor, id: string): Promise<void> {
  const { organizationId } = actor;
  const { provider, host } = await getGitIntegration(tx, organizationId, id);
  const users = await listProjectsOfProvider(tx, organizationId, provider, host, NAMED_MAX);
  if (users.length > 0) throw inUse(id, users.map((project) => project.id).join(", "));
  try {
    if (!(await gitIntegrations.delete(tx, organizationId, id))) throw notFound();
  } catch (error) {
    // A project was created after the check above.
    if (!isForeignKeyViolation(error)) throw error;
    throw inUse(id, "a project that was just created", error);
  }
  announceChange(tx, id);
  recordAudit(tx, actor, "git-integration.deleted", id);
  const type = EVENTS["git_integration.deleted"];
  emit(tx, actor, { type, subjectId: id, data: { provider, host } });
}

function inUse(id: string, projects: string, cause?: unknown): AppError {
  return new AppError(
    GIT_INTEGRATION_ERRORS.GIT_INTEGRATION_IN_USE,
    `Projects read their repository through this integration: ${projects}. To change the token, replace it; to delete the integration ${id}, delete those projects first.`,
    { cause },
  );
}

const SECRET_BYTES = 32;

/** A new secret for the deliveries of an integration's host, and its sealed form. @throws AppError `NOT_FOUND` */
export async function prepareHookSecret(
  { db, atRest }: Omit<Deps, "git">,
  { organizationId }: Actor,
  id: string,
): Promise<{ readonly integration: GitIntegration; readonly secret: string; readonly sealed: Uint8Array }> {
  const integration = await getGitIntegration(db, organizationId, id);
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const sealed = await atRest.seal(hookIdentity(integration), new Secret(secret));
  return { integration, secret, sealed };
}

/** Activates a prepared secret; from then on the previous one is refused. @throws AppError `NOT_FOUND` */
export async function setHookSecret(
  tx: Transaction,
  actor: Actor,
  { id, provider, host }: GitIntegration,
  sealed: Uint8Array,
): Promise<void> {
  if (!(await gitIntegrations.setHookSecret(tx, actor.organizationId, id, sealed))) throw notFound();
  recordAudit(tx, actor, "git-integration.hook-secret-set", id);
  const type = EVENTS["git_integration.updated"];
  emit(tx, actor, { type, subjectId: id, data: { provider, host, updated: "hookSecret" } });
}

/**
 * How many projects' repositories are tried; in a larger organization, the others show faults at their next deployment.
 */
const PROJECTS_TRIED_MAX = 100;
const TRIED_AT_ONCE = 4;

/**
 * Tries a new token and seals it, while projects use the present one. Refuses a token that the host does not accept.
 * Also refuses a token that cannot read a project's repository that the present token can read: the project could no
 * longer deploy.
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
  const integration = orNotFound(await gitIntegrations.setToken(tx, actor.organizationId, id, sealedToken));
  await reportRefusals.clear(tx, actor.organizationId, id);
  announceChange(tx, id);
  recordAudit(tx, actor, "git-integration.token-replaced", id);
  const { provider, host } = integration;
  const type = EVENTS["git_integration.updated"];
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
