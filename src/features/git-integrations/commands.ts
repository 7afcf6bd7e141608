import type { Actor } from "../../lib/actor.ts";
import { announceChange } from "../../db/changes.ts";
import { isForeignKeyViolation, isUniqueViolation, type Sql, type Transaction } from "../../db/database.ts";
import { AppError, notFound } from "../../lib/errors.ts";
import { GIT_INTEGRATION_ERRORS } from "./errors.ts";
import { type GitProvider, nameOfProvider } from "../../git/git.ts";
import { emit } from "../events/emit.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { listProjectsOfProvider } from "../projects/queries.ts";
import { GIT_INTEGRATION_EVENTS } from "./events.ts";
import type { GitIntegration } from "./git-integration.ts";
import { gitIntegrations } from "./store.ts";

/** The token was checked and sealed before (`tokenIdentity`). @throws AppError `GIT_INTEGRATION_EXISTS` */
export async function createGitIntegration(
  tx: Transaction,
  actor: Actor,
  fields: { id: string; provider: GitProvider; host: string | null; sealedToken: Uint8Array },
): Promise<GitIntegration> {
  const { organizationId } = actor;
  const present = await gitIntegrations.findId(tx, organizationId, fields.provider, fields.host);
  if (present !== null) throw exists(fields, present);
  try {
    const integration = await gitIntegrations.insert(tx, { organizationId, ...fields });
    if (integration === null) throw notFound();
    recordAudit(tx, actor, "git-integration.created", integration.id);
    emit(tx, actor, {
      type: GIT_INTEGRATION_EVENTS["git_integration.created"],
      subjectId: integration.id,
      data: { provider: integration.provider, host: integration.host },
    });
    return integration;
  } catch (error) {
    // Another request created it after the check above.
    if (!isUniqueViolation(error, "git_integrations_host_key")) throw error;
    throw exists(fields, "{id}", error);
  }
}

function exists(
  { provider, host }: Pick<GitIntegration, "provider" | "host">,
  id: string,
  cause?: unknown,
): AppError {
  return new AppError(
    GIT_INTEGRATION_ERRORS.GIT_INTEGRATION_EXISTS,
    `The organization already has a git integration for ${nameOfProvider({ provider, host })}. To change its token, replace the token of the integration ${id}.`,
    { cause },
  );
}

/** @throws AppError `NOT_FOUND` */
export async function getGitIntegration(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<GitIntegration> {
  const integration = await gitIntegrations.find(sql, organizationId, id);
  if (integration === null) throw notFound();
  return integration;
}

const NAMED_PROJECTS_MAX = 5;

/** @throws AppError `NOT_FOUND`, `GIT_INTEGRATION_IN_USE` */
export async function deleteGitIntegration(tx: Transaction, actor: Actor, id: string): Promise<void> {
  const { organizationId } = actor;
  const { provider, host } = await getGitIntegration(tx, organizationId, id);
  const users = await listProjectsOfProvider(tx, organizationId, provider, host, NAMED_PROJECTS_MAX);
  if (users.length > 0) throw inUse(id, users.map((project) => project.id).join(", "));
  try {
    if (!(await gitIntegrations.delete(tx, organizationId, id))) throw notFound();
  } catch (error) {
    // A project was created after the check above.
    if (!isForeignKeyViolation(error)) throw error;
    throw inUse(id, "one that was just created", error);
  }
  announceChange(tx, id);
  recordAudit(tx, actor, "git-integration.deleted", id);
  const type = GIT_INTEGRATION_EVENTS["git_integration.deleted"];
  emit(tx, actor, { type, subjectId: id, data: { provider, host } });
}

function inUse(id: string, projects: string, cause?: unknown): AppError {
  return new AppError(
    GIT_INTEGRATION_ERRORS.GIT_INTEGRATION_IN_USE,
    `Projects read their repository through this integration: ${projects}. To change the token, replace it; to delete the integration ${id}, delete those projects first.`,
    { cause },
  );
}
