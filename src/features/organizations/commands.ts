import type { Actor, Identity, Role, Scope } from "../../lib/actor.ts";
import { hashApiKey, newApiKey, shownPrefix } from "../../lib/api-key.ts";
import { announceChange } from "../../db/changes.ts";
import { type Database, isUniqueViolation, type Sql, type Transaction } from "../../db/database.ts";
import { AppError, COMMON_FAULTS, type Fault, invalidRequest, notFound } from "../../lib/errors.ts";
import { emit } from "../events/emit.ts";
import { ORGANIZATION_ERRORS } from "./errors.ts";
import { ORGANIZATION_EVENTS } from "./events.ts";
import { newId } from "../../lib/ids.ts";
import { changeOf, operatorOf, recordAudit } from "./audit.ts";
import type { ApiKey, Caller, Organization, ShownUser, User } from "./organization.ts";
import { apiKeys, organizations, users } from "./store.ts";

/**
 * Creates an organization with its first admin and key. The key is `chosenKey`, or a new one. It is returned only once,
 * and stored as a hash.
 */
export async function createOrganization(
  tx: Transaction,
  name: string,
  chosenKey: string | null,
): Promise<{ organizationId: string; key: string }> {
  const organizationId = newId("org");
  const key = chosenKey ?? newApiKey();
  await organizations.insert(tx, organizationId, name);
  const userId = newId("user");
  const user = await users.insert(tx, {
    organizationId,
    id: userId,
    kind: "person",
    email: "admin@localhost",
    name: "Admin",
    role: "admin",
    gitLogin: null,
  });
  const id = newId("key");
  const apiKey = await apiKeys.insert(tx, {
    organizationId,
    id,
    userId,
    name: "First key",
    prefix: shownPrefix(key),
    hash: hashApiKey(key),
    createdBy: null,
    scopes: null,
    projectIds: null,
    expiresAt: null,
  });
  const operator = operatorOf(organizationId);
  recordAudit(tx, operator, "organization.created", organizationId);
  recordAudit(tx, operator, "user.created", userId, { after: { role: "admin" } });
  recordAudit(tx, operator, "api-key.created", id, { after: { userId } });
  if (user !== undefined) emitOfUser(tx, operator, "user.created", user);
  if (apiKey !== undefined) emitOfKey(tx, operator, "api_key.created", apiKey);
  return { organizationId, key };
}

/** Creates the first organization of an empty database; null if there is one. Safe in several processes at once. */
export async function createFirstOrganization(
  db: Database,
  chosenKey: string | null,
): Promise<{ organizationId: string; key: string } | null> {
  return await db.acrossOrganizations(() =>
    db.transaction(async (tx) => {
      await tx.executeSql("LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE");
      if ((await organizations.count(tx)) > 0) return null;
      return await createOrganization(tx, "Default", chosenKey);
    }),
  );
}

/** @throws AppError `NOT_FOUND` */
export async function getOrganization(sql: Sql, organizationId: string): Promise<Organization> {
  const organization = await organizations.find(sql, organizationId);
  if (organization === null) throw notFound();
  return organization;
}

/** Gives the actor's organization another name. @throws AppError `NOT_FOUND` */
export async function updateOrganization(
  tx: Transaction,
  actor: Actor,
  { name }: { readonly name?: string },
): Promise<Organization> {
  const { organizationId } = actor;
  await organizations.lock(tx, organizationId);
  const organization = await getOrganization(tx, organizationId);
  if (name === undefined || name === organization.name) return organization;
  const renamed = await organizations.rename(tx, organizationId, name);
  if (renamed === null) throw notFound();
  announceChange(tx, organizationId);
  const change = changeOf({ name: organization.name }, { name });
  recordAudit(tx, actor, "organization.updated", organizationId, change);
  emit(tx, actor, {
    type: ORGANIZATION_EVENTS["organization.updated"],
    subjectId: organizationId,
    data: { name },
  });
  return renamed;
}

export type UserFields = {
  readonly kind?: User["kind"];
  /** A person's; a program has none. */
  readonly email?: string | null;
  /** The email address by default. */
  readonly name?: string;
  readonly role: Role;
  readonly gitLogin?: string | null;
};

/** @throws AppError `EMAIL_TAKEN`; `INVALID_REQUEST` for a person without an address, or a program with one */
export async function createUser(tx: Transaction, actor: Actor, fields: UserFields): Promise<User> {
  const { organizationId } = actor;
  const { kind = "person" } = fields;
  requireFieldsOf(kind, fields);
  const email = fields.email?.toLowerCase() ?? null;
  const id = newId("user");
  const user = await refuseTakenEmail(
    email,
    users.insert(tx, {
      organizationId,
      id,
      kind,
      email,
      name: fields.name ?? email ?? id,
      role: fields.role,
      gitLogin: fields.gitLogin ?? null,
    }),
  );
  recordAudit(tx, actor, "user.created", id, { after: { kind, role: fields.role } });
  emitOfUser(tx, actor, "user.created", user);
  return user;
}

function requireFieldsOf(kind: User["kind"], { email, name }: UserFields): void {
  const faults: Fault[] = [];
  const need = (field: string): void =>
    void faults.push({ path: `/${field}`, code: COMMON_FAULTS.REQUIRED.code, message: "is required" });
  if (kind === "person" && email === undefined) need("email");
  if (kind === "service" && name === undefined) need("name");
  if (kind === "service" && email !== undefined) {
    const message = "is not allowed for a service account";
    faults.push({ path: "/email", code: COMMON_FAULTS.INVALID.code, message });
  }
  if (faults.length > 0) throw invalidRequest(faults);
}

/** @throws AppError `NOT_FOUND`, `EMAIL_TAKEN`, `EMAIL_OF_SERVICE`, `LAST_ADMIN`, `LAST_ADMIN_KEY` */
export async function updateUser(
  tx: Transaction,
  actor: Actor,
  id: string,
  changes: Partial<UserFields>,
): Promise<User> {
  await organizations.lock(tx, actor.organizationId);
  const user = await users.find(tx, actor.organizationId, id);
  if (user === null) throw notFound();
  if (user.kind === "service" && changes.email !== undefined) {
    throw new AppError(
      ORGANIZATION_ERRORS.EMAIL_OF_SERVICE,
      "A service account has no email address. Change its name instead.",
    );
  }
  const email = changes.email === undefined ? user.email : (changes.email?.toLowerCase() ?? null);
  const keysBefore = await apiKeys.countOfAdmins(tx, actor.organizationId);
  const updated = await refuseTakenEmail(
    email,
    users.update(tx, {
      ...user,
      email,
      name: changes.name ?? user.name,
      role: changes.role ?? user.role,
      gitLogin: changes.gitLogin === undefined ? user.gitLogin : changes.gitLogin,
    }),
  );
  await requireAnAdmin(tx, actor.organizationId, keysBefore);
  announceChange(tx, id);
  recordAudit(tx, actor, "user.updated", id, changeOf(shownOf(user), shownOf(updated)));
  emitOfUser(tx, actor, "user.updated", updated);
  return updated;
}

/** Deletes a user and all its keys. @throws AppError `NOT_FOUND`, `LAST_ADMIN`, `LAST_ADMIN_KEY` */
export async function deleteUser(tx: Transaction, actor: Actor, id: string): Promise<void> {
  await organizations.lock(tx, actor.organizationId);
  const keysBefore = await apiKeys.countOfAdmins(tx, actor.organizationId);
  const user = await users.delete(tx, actor.organizationId, id);
  if (user === null) throw notFound();
  await requireAnAdmin(tx, actor.organizationId, keysBefore);
  announceChange(tx, id);
  recordAudit(tx, actor, "user.deleted", id);
  emitOfUser(tx, actor, "user.deleted", user);
}

function emitOfUser(
  tx: Transaction,
  actor: Actor,
  type: "user.created" | "user.updated" | "user.deleted",
  { id, name, role }: User,
): void {
  emit(tx, actor, { type: ORGANIZATION_EVENTS[type], subjectId: id, data: { name, role } });
}

export type KeyFields = {
  readonly name: string;
  readonly userId?: string;
  readonly scopes?: readonly Scope[];
  readonly projectIds?: readonly string[];
  readonly expiresAt?: Date;
};

/** Whether all of these are projects of the organization. */
export type HasProjects = (sql: Sql, organizationId: string, ids: readonly string[]) => Promise<boolean>;

/** The values of a user in the audit trail. */
function shownOf({ email, name, role, gitLogin }: User) {
  return { email, name, role, gitLogin };
}

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
  const { scopes = null, projectIds = null, expiresAt = null } = fields;
  requireLasting(actor);
  requireNoMore(actor, scopes);
  await requireNoLonger(tx, actor, expiresAt);
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    const { code } = COMMON_FAULTS.TOO_SMALL;
    throw invalidRequest([{ path: "/expiresAt", code, message: "must be in the future" }]);
  }
  const userId = fields.userId ?? actor.userId;
  if ((await users.find(tx, organizationId, userId)) === null) throw notFound("userId");
  if (projectIds !== null && !(await hasProjects(tx, organizationId, projectIds)))
    throw notFound("projectIds");
  const key = newApiKey();
  const id = newId("key");
  const apiKey = await apiKeys.insert(tx, {
    organizationId,
    id,
    userId,
    createdBy: actor.userId,
    name: fields.name,
    prefix: shownPrefix(key),
    hash: hashApiKey(key),
    scopes,
    projectIds,
    expiresAt,
  });
  if (apiKey === undefined) throw notFound();
  announceChange(tx, userId);
  recordAudit(tx, actor, "api-key.created", id, { after: { userId, ...shownLimits(apiKey) } });
  emitOfKey(tx, actor, "api_key.created", apiKey);
  return { apiKey, key };
}

/** Refuses workloads: a short-lived token must not create lasting access. @throws AppError `WORKLOAD_MAKES_NO_KEY` */
export function requireLasting({ credential }: Actor): void {
  if (credential.kind !== "workload") return;
  throw new AppError(
    ORGANIZATION_ERRORS.WORKLOAD_MAKES_NO_KEY,
    "The token of a workload is short-lived, and makes no lasting way in. Use an API key or a session.",
  );
}

/** A key of all projects makes keys, so only the scopes are compared. @throws AppError `KEY_EXCEEDS_OWN` */
export function requireNoMore({ access }: Actor, scopes: readonly Scope[] | null): void {
  const own = access.scopes;
  if (own === null || scopes?.every((scope) => scope === "read" || own.includes(scope))) return;
  throw new AppError(
    ORGANIZATION_ERRORS.KEY_EXCEEDS_OWN,
    `The new key would have more scopes than yours, which has ${own.join(", ")}. Name \`scopes\` among these.`,
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
    ORGANIZATION_ERRORS.KEY_EXCEEDS_OWN,
    `This would outlive your API key, which expires at ${own.expiresAt.toISOString()}. Name an earlier \`expiresAt\` for a key, or use a key that does not expire.`,
  );
}

/** Who created the key of a request or of its session, if that is another user; null otherwise. */
export async function findOtherCreator(sql: Sql, actor: Actor): Promise<string | null> {
  const key = await apiKeys.findOf(sql, actor);
  return key === null || key.createdBy === actor.userId ? null : key.createdBy;
}

/** The limits of a key in the audit trail; none without. */
function shownLimits({ scopes, projectIds, expiresAt }: ApiKey): Record<string, string> {
  return {
    ...(scopes === null ? {} : { scopes: scopes.join(" ") }),
    ...(projectIds === null ? {} : { projectIds: projectIds.join(" ") }),
    ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
  };
}

/** @throws AppError `NOT_FOUND` */
export async function getApiKey(sql: Sql, organizationId: string, id: string): Promise<ApiKey> {
  const apiKey = await apiKeys.find(sql, organizationId, id);
  if (apiKey === null) throw notFound();
  return apiKey;
}

/** @throws AppError `NOT_FOUND`, `LAST_ADMIN_KEY` */
export async function deleteApiKey(tx: Transaction, actor: Actor, id: string): Promise<void> {
  await organizations.lock(tx, actor.organizationId);
  const keysBefore = await apiKeys.countOfAdmins(tx, actor.organizationId);
  const apiKey = await apiKeys.delete(tx, actor.organizationId, id);
  if (apiKey === null) throw notFound();
  await requireAnAdminKey(tx, actor.organizationId, keysBefore);
  announceChange(tx, id);
  announceChange(tx, apiKey.userId);
  recordAudit(tx, actor, "api-key.deleted", id);
  emitOfKey(tx, actor, "api_key.deleted", apiKey);
}

function emitOfKey(
  tx: Transaction,
  actor: Actor,
  type: "api_key.created" | "api_key.deleted",
  { id, name, prefix, userId }: Pick<ApiKey, "id" | "name" | "prefix" | "userId">,
): void {
  emit(tx, actor, { type: ORGANIZATION_EVENTS[type], subjectId: id, data: { name, prefix, userId } });
}

async function refuseTakenEmail(email: string | null, writing: Promise<User | undefined>): Promise<User> {
  try {
    const user = await writing;
    if (user === undefined) throw notFound();
    return user;
  } catch (error) {
    if (!isUniqueViolation(error, "users_email_key")) throw error;
    throw new AppError(
      ORGANIZATION_ERRORS.EMAIL_TAKEN,
      `A user with the address ${email} already exists. Change that user, or use another address.`,
      { cause: error },
    );
  }
}

async function requireAnAdmin(tx: Transaction, organizationId: string, keysBefore: number): Promise<void> {
  if ((await users.countAdmins(tx, organizationId)) === 0) {
    throw new AppError(
      ORGANIZATION_ERRORS.LAST_ADMIN,
      "This would leave the organization without an admin. Make another user an admin first.",
    );
  }
  await requireAnAdminKey(tx, organizationId, keysBefore);
}

/**
 * The caller must hold the lock on the organization's row: otherwise two requests could each rely on the other's key.
 * @param before how many there were. If all had expired, people sign in otherwise, and nothing is taken from them.
 */
async function requireAnAdminKey(tx: Transaction, organizationId: string, before: number): Promise<void> {
  if (before === 0 || (await apiKeys.countOfAdmins(tx, organizationId)) > 0) return;
  throw new AppError(
    ORGANIZATION_ERRORS.LAST_ADMIN_KEY,
    "This would leave the organization without an admin's API key, so nobody could manage it. Create another admin key first.",
  );
}

/** @throws AppError `NOT_FOUND` */
export async function getUser(sql: Sql, organizationId: string, id: string): Promise<User> {
  const user = await users.find(sql, organizationId, id);
  if (user === null) throw notFound();
  return user;
}

/** A user with what lets it in. @throws AppError `NOT_FOUND` */
export async function getShownUser(sql: Sql, organizationId: string, id: string): Promise<ShownUser> {
  const user = await users.findShown(sql, organizationId, id);
  if (user === null) throw notFound();
  return user;
}

/** Who makes a request; null when the key or its user was deleted meanwhile. */
export async function findCaller(
  sql: Sql,
  { organizationId, userId, credential }: Actor,
): Promise<Caller | null> {
  const { kind, id } = credential;
  const [organization, user, apiKey] = await Promise.all([
    organizations.find(sql, organizationId),
    users.findShown(sql, organizationId, userId),
    kind === "api-key" ? apiKeys.find(sql, organizationId, id) : null,
  ]);
  const isKeyGone = kind === "api-key" && apiKey === null;
  if (organization === null || user === null || isKeyGone || kind === "none") return null;
  return { organization, user, apiKey, credential: { kind, id } };
}

/** The owner of a key; null when the key does not exist. Only for authentication. */
export async function findPrincipal(sql: Sql, keyHash: Uint8Array): Promise<Identity | "expired" | null> {
  return await apiKeys.findPrincipal(sql, keyHash);
}

/** How many organizations this installation has. */
export async function countOrganizations(sql: Sql): Promise<number> {
  return await organizations.count(sql);
}

/** Holds an organization's users and keys until the transaction ends. @returns whether there is such an organization */
export async function lockOrganization(tx: Transaction, organizationId: string): Promise<boolean> {
  await organizations.lock(tx, organizationId);
  return (await organizations.find(tx, organizationId)) !== null;
}

/** Null for an unknown user. */
export async function findUser(sql: Sql, organizationId: string, id: string): Promise<User | null> {
  return await users.find(sql, organizationId, id);
}

/** The user with an address, in lower case; null without one. */
export async function findUserByEmail(sql: Sql, organizationId: string, email: string): Promise<User | null> {
  return await users.findByEmail(sql, organizationId, email);
}

/** The id of the installation's first organization, which is its operator's; null before the first start. */
export async function findFirstOrganization(sql: Sql): Promise<string | null> {
  return await organizations.findFirst(sql);
}

/** All organizations of this installation, oldest first; only for its operator. */
export async function listOrganizations(sql: Sql): Promise<readonly Organization[]> {
  return await organizations.list(sql);
}

/** A new key for the first admin of an organization, if all keys were lost; null without such an admin. */
export async function createRecoveryKey(tx: Transaction, organizationId: string): Promise<string | null> {
  const admin = await users.findFirstAdmin(tx, organizationId);
  if (admin === null) return null;
  const key = newApiKey();
  const id = newId("key");
  const operator = operatorOf(organizationId);
  const made = { id, userId: admin.id, name: "Made on the command line", prefix: shownPrefix(key) };
  const limits = { createdBy: null, scopes: null, projectIds: null, expiresAt: null };
  await apiKeys.insert(tx, { organizationId, ...made, ...limits, hash: hashApiKey(key) });
  recordAudit(tx, operator, "api-key.created", id, { after: { userId: admin.id } });
  emitOfKey(tx, operator, "api_key.created", made);
  return key;
}
