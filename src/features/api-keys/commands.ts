import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import type { Actor, Scope } from "../../lib/actor.ts";
import { hashApiKey, newApiKey, shownPrefix } from "../../lib/api-key.ts";
import { AppError, COMMON_FAULTS, invalidRequest, notFound, orNotFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { operatorOf, recordAudit } from "../audit/record-audit.ts";
import { emit } from "../events/emit.ts";
import { keepAnAdminKey } from "../users/commands.ts";
import { findUser, listAdmins } from "../users/queries.ts";
import type { ApiKey } from "./api-key.ts";
import { API_KEY_ERRORS } from "./errors.ts";
import { API_KEY_EVENTS } from "./events.ts";
import type { HasProjects } from "./queries.ts";
import { apiKeys } from "./store.ts";

export type KeyFields = {
  readonly name: string;
  readonly userId?: string;
  readonly scopes?: readonly Scope[];
  readonly projectIds?: readonly string[];
  readonly expiresAt?: Date;
};

/**
 * The key itself is only in the result.
 * @throws AppError `NOT_FOUND` for an unknown user or project, `KEY_EXCEEDS_OWN`, `WORKLOAD_MAKES_NO_KEY`;
 * `INVALID_REQUEST` if it would be expired from the beginning
 */
export async function createApiKey(
  tx: Transaction,
  actor: Actor,
  fields: KeyFields,
  hasProjects: HasProjects,
): Promise<{ apiKey: ApiKey; key: string }> {
  const { organizationId } = actor;
  const { name, userId = actor.userId, scopes = null, projectIds = null, expiresAt = null } = fields;
  requireLasting(actor);
  requireNoMore(actor, scopes);
  await requireNoLonger(tx, actor, expiresAt);
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    const { code } = COMMON_FAULTS.TOO_SMALL;
    throw invalidRequest([{ path: "/expiresAt", code, message: "must be in the future" }]);
  }
  if ((await findUser(tx, organizationId, userId)) === null) throw notFound("userId");
  if (projectIds !== null && !(await hasProjects(tx, organizationId, projectIds)))
    throw notFound("projectIds");
  const key = newApiKey();
  const createdBy = actor.userId;
  const apiKey = await insertKey(tx, actor, { name, userId, createdBy, scopes, projectIds, expiresAt }, key);
  return { apiKey, key };
}

/** A key without limits that the operator makes, for the first admin of an organization. */
export async function createOperatorKey(
  tx: Transaction,
  organizationId: string,
  made: { readonly userId: string; readonly name: string },
  key: string,
): Promise<void> {
  const limits = { createdBy: null, scopes: null, projectIds: null, expiresAt: null };
  await insertKey(tx, operatorOf(organizationId), { ...made, ...limits }, key);
}

/** A new key for the first admin of an organization, if all keys were lost; null without such an admin. */
export async function createRecoveryKey(tx: Transaction, organizationId: string): Promise<string | null> {
  const [admin] = await listAdmins(tx, organizationId, 1);
  if (admin === undefined) return null;
  const key = newApiKey();
  await createOperatorKey(tx, organizationId, { userId: admin.id, name: "Made on the command line" }, key);
  return key;
}

async function insertKey(
  tx: Transaction,
  actor: Actor,
  fields: Pick<ApiKey, "name" | "userId" | "createdBy" | "scopes" | "projectIds" | "expiresAt">,
  key: string,
): Promise<ApiKey> {
  const { organizationId } = actor;
  const id = newId("key");
  const shown = { prefix: shownPrefix(key), hash: hashApiKey(key) };
  const apiKey = await apiKeys.insert(tx, { organizationId, id, ...fields, ...shown });
  if (apiKey === undefined) throw notFound();
  announceChange(tx, apiKey.userId);
  recordAudit(tx, actor, "api-key.created", id, { after: { userId: apiKey.userId, ...shownLimits(apiKey) } });
  emitOfKey(tx, actor, "api_key.created", apiKey);
  return apiKey;
}

/** Refuses workloads: a short-lived token must not create lasting access. @throws AppError `WORKLOAD_MAKES_NO_KEY` */
export function requireLasting({ credential }: Actor): void {
  if (credential.kind !== "workload") return;
  throw new AppError(
    API_KEY_ERRORS.WORKLOAD_MAKES_NO_KEY,
    "A workload cannot create API keys or trusts. Use an API key or a session.",
  );
}

/** A key of all projects makes keys, so only the scopes are compared. @throws AppError `KEY_EXCEEDS_OWN` */
export function requireNoMore({ access }: Actor, scopes: readonly Scope[] | null): void {
  const own = access.scopes;
  if (own === null || scopes?.every((scope) => scope === "read" || own.includes(scope))) return;
  throw new AppError(
    API_KEY_ERRORS.KEY_EXCEEDS_OWN,
    `The new key would have more scopes than yours, which has ${own.join(", ")}. Choose \`scopes\` from these.`,
  );
}

/**
 * An expiring key must not create a key or a trust that outlives it.
 * @param expiresAt null for what does not expire
 * @throws AppError `KEY_EXCEEDS_OWN`
 */
export async function requireNoLonger(tx: Transaction, actor: Actor, expiresAt: Date | null): Promise<void> {
  const own = await apiKeys.findOf(tx, actor);
  if (own === null || own.expiresAt === null) return;
  if (expiresAt !== null && expiresAt <= own.expiresAt) return;
  throw new AppError(
    API_KEY_ERRORS.KEY_EXCEEDS_OWN,
    `This would outlive your API key, which expires at ${own.expiresAt.toISOString()}. Name an earlier \`expiresAt\` for a key, or use a key that does not expire.`,
  );
}

/** The limits of a key in the audit trail; none without. */
function shownLimits({ scopes, projectIds, expiresAt }: ApiKey): Record<string, string> {
  return {
    ...(scopes === null ? {} : { scopes: scopes.join(" ") }),
    ...(projectIds === null ? {} : { projectIds: projectIds.join(" ") }),
    ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
  };
}

/** @throws AppError `NOT_FOUND`, `LAST_ADMIN_KEY` */
export async function deleteApiKey(tx: Transaction, actor: Actor, id: string): Promise<void> {
  const { organizationId } = actor;
  const apiKey = orNotFound(
    await keepAnAdminKey(tx, organizationId, () => apiKeys.delete(tx, organizationId, id)),
  );
  announceChange(tx, id);
  announceChange(tx, apiKey.userId);
  recordAudit(tx, actor, "api-key.deleted", id);
  emitOfKey(tx, actor, "api_key.deleted", apiKey);
}

function emitOfKey(
  tx: Transaction,
  actor: Actor,
  type: "api_key.created" | "api_key.deleted",
  { id, name, prefix, userId }: ApiKey,
): void {
  emit(tx, actor, { type: API_KEY_EVENTS[type], subjectId: id, data: { name, prefix, userId } });
}
