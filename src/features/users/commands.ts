import { announceChange } from "../../db/changes.ts";
import { isUniqueViolation, type Transaction } from "../../db/database.ts";
import type { Actor, Role } from "../../lib/actor.ts";
import {
  AppError,
  COMMON_FAULTS,
  type Fault,
  invalidRequest,
  notFound,
  orNotFound,
} from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { changeOf, recordAudit } from "../audit/record-audit.ts";
import { emit } from "../events/emit.ts";
import { USER_ERRORS } from "./errors.ts";
import { USER_EVENTS } from "./events.ts";
import { getUser } from "./queries.ts";
import { users } from "./store.ts";
import type { User } from "./user.ts";

/**
 * Holds an organization's users and keys until the transaction ends, so that their changes run one after another.
 * @returns whether there is such an organization
 */
export const { lockOrganization } = users;

/** For routes: changes of an organization, its users and its keys run one after another. */
export const LOCKED = {
  lock: async ({ tx, actor }: { readonly tx: Transaction; readonly actor: Actor }) =>
    void (await lockOrganization(tx, actor.organizationId)),
};

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
  const { organizationId } = actor;
  const [user, updated] = await keepAnAdminKey(tx, organizationId, async () => {
    const before = await getUser(tx, organizationId, id);
    if (before.kind === "service" && changes.email !== undefined) {
      throw new AppError(
        USER_ERRORS.EMAIL_OF_SERVICE,
        "A service account has no email address. Change its name instead.",
      );
    }
    const email = changes.email === undefined ? before.email : (changes.email?.toLowerCase() ?? null);
    const after = { ...before, ...changes, email };
    const written = await refuseTakenEmail(email, users.update(tx, after));
    await requireAnAdmin(tx, organizationId);
    return [before, written];
  });
  announceChange(tx, id);
  recordAudit(tx, actor, "user.updated", id, changeOf(shownOf(user), shownOf(updated)));
  emitOfUser(tx, actor, "user.updated", updated);
  return updated;
}

/** Deletes a user and all its keys. @throws AppError `NOT_FOUND`, `LAST_ADMIN`, `LAST_ADMIN_KEY` */
export async function deleteUser(tx: Transaction, actor: Actor, id: string): Promise<void> {
  const { organizationId } = actor;
  const user = await keepAnAdminKey(tx, organizationId, async () => {
    const deleted = orNotFound(await users.delete(tx, organizationId, id));
    await requireAnAdmin(tx, organizationId);
    return deleted;
  });
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
  emit(tx, actor, { type: USER_EVENTS[type], subjectId: id, data: { name, role } });
}

async function refuseTakenEmail(email: string | null, writing: Promise<User | undefined>): Promise<User> {
  try {
    const user = await writing;
    if (user === undefined) throw notFound();
    return user;
  } catch (error) {
    if (!isUniqueViolation(error, "users_email_key")) throw error;
    throw new AppError(
      USER_ERRORS.EMAIL_TAKEN,
      `A user with the address ${email} already exists. Change that user, or use another address.`,
      { cause: error },
    );
  }
}

async function requireAnAdmin(tx: Transaction, organizationId: string): Promise<void> {
  if ((await users.listAdmins(tx, organizationId, 1)).length > 0) return;
  throw new AppError(
    USER_ERRORS.LAST_ADMIN,
    "This would leave the organization without an admin. Make another user an admin first.",
  );
}

/**
 * Changes users or keys, and refuses if no key of an admin would be left. It holds the lock on the organization:
 * otherwise two requests could each rely on the other's key. If all keys had expired before, people sign in otherwise,
 * and the change is allowed.
 * @throws AppError `LAST_ADMIN_KEY`
 */
export async function keepAnAdminKey<T>(
  tx: Transaction,
  organizationId: string,
  change: () => Promise<T>,
): Promise<T> {
  await lockOrganization(tx, organizationId);
  const before = await users.countAdminKeys(tx, organizationId);
  const changed = await change();
  if (before === 0 || (await users.countAdminKeys(tx, organizationId)) > 0) return changed;
  throw new AppError(
    USER_ERRORS.LAST_ADMIN_KEY,
    "This would leave the organization without an admin's API key. Create another admin key first.",
  );
}

/** The values of a user in the audit trail. */
function shownOf({ email, name, role, gitLogin }: User) {
  return { email, name, role, gitLogin };
}
