import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { type Actor, FULL_ACCESS, type Role, ROLES } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import type { Identity } from "../../oidc/identity.ts";
import type { ProviderSettings } from "../../oidc/provider.ts";
import { recordAudit, slipwayOf } from "../audit/record-audit.ts";
import { findFirstOrganization } from "../organizations/queries.ts";
import { createUser, lockOrganization, updateUser } from "../users/commands.ts";
import { findUser, findUserByEmail } from "../users/queries.ts";
import type { User } from "../users/user.ts";
import { beginSession, endSessionsOf, type NewSession } from "../sessions/commands.ts";
import { decideAddress } from "./decide-address.ts";
import { decideRole } from "./decide-role.ts";
import { SIGN_IN_ERRORS } from "./errors.ts";
import { identities } from "./store.ts";

/** Where the browser is that signs in. */
export type SignInFrom = Pick<Actor, "requestId" | "sourceAddress" | "userAgent">;

/**
 * Begins a session for whom a provider has signed in. The user is made at the first sign-in. Its role is that of its
 * groups, and its name and address are the provider's, from each sign-in on.
 * @throws AppError `SIGN_IN_WITHOUT_ROLE`, `SIGN_IN_GROUPS_MISSING`, `EMAIL_TAKEN`, `LAST_ADMIN`, `LAST_ADMIN_KEY`
 */
export async function signIn(
  db: Database,
  settings: ProviderSettings,
  identity: Identity,
  from: SignInFrom,
): Promise<NewSession> {
  // A role without the groups would be too low, and would be saved.
  if (identity.isWithoutGroups && settings.rules.some(({ group }) => group !== "*")) throw groupsMissing();
  const decided = decideRole(settings.rules, identity.groups);
  if (decided === null) throw withoutRole();
  const organizationId =
    decided.organizationId ?? settings.organizationId ?? (await findFirstOrganization(db));
  if (organizationId === null) throw withoutRole();
  return await db.within(organizationId, () =>
    db.transaction(async (tx) => {
      // Two tabs of a person who was never here make one user.
      if (!(await lockOrganization(tx, organizationId))) throw withoutRole();
      const by = { ...slipwayOf(organizationId), ...from };
      const user = await findOrMakeUser(tx, by, settings, identity, decided.role);
      const actor: Actor = {
        ...from,
        organizationId,
        userId: user.id,
        credential: { kind: "none", id: user.id },
        role: user.role,
        access: FULL_ACCESS,
      };
      return await beginSession(tx, actor, { apiKeyId: null, provider: settings.name });
    }),
  );
}

async function findOrMakeUser(
  tx: Transaction,
  by: Actor,
  { name: provider, linksByEmail }: ProviderSettings,
  identity: Identity,
  role: User["role"],
): Promise<User> {
  const { organizationId } = by;
  const { issuer, name } = identity;
  const email = identity.isEmailVerified ? (identity.email?.toLowerCase() ?? null) : null;
  const userId = await identities.findUserId(tx, organizationId, identity);
  const known = userId === null ? null : await findUser(tx, organizationId, userId);
  const found = email === null ? null : await findUserByEmail(tx, organizationId, email);
  const holder = found === null || found.id === userId ? null : found;
  const of = holder === null ? [] : await identities.listOfUser(tx, organizationId, holder.id);
  const address =
    holder === null || email === null ? null : decideAddress(of, { email, issuer, linksByEmail });
  if (holder !== null && address === "take") await updateUser(tx, by, holder.id, { email: null });
  const shown = { role, ...(name === null ? {} : { name }) };
  if (known !== null) {
    identities.noteEmail(tx, organizationId, identity, email);
    const isFree = address === null || address === "take";
    return await refresh(tx, by, known, {
      ...shown,
      ...(email === null ? {} : { email: isFree ? email : null }),
    });
  }
  const linked = address === "link" ? holder : null;
  // An earlier session of this user may belong to another person than the person who is linked now.
  if (linked !== null && isHigher(role, linked.role)) await endSessionsOf(tx, by, linked.id);
  const user =
    linked === null ? await createUser(tx, by, { email, ...shown }) : await refresh(tx, by, linked, shown);
  identities.insert(tx, organizationId, identity, user.id, email);
  announceChange(tx, user.id);
  recordAudit(tx, by, "user.linked", user.id, { after: { provider } });
  return user;
}

/** Writes what the provider says of a user, if it differs. */
async function refresh(tx: Transaction, by: Actor, user: User, given: Partial<User>): Promise<User> {
  const { role = user.role, name = user.name, email = user.email } = given;
  if (role === user.role && name === user.name && email === user.email) return user;
  return await updateUser(tx, by, user.id, { role, name, email });
}

function isHigher(role: Role, than: Role): boolean {
  return ROLES.indexOf(role) > ROLES.indexOf(than);
}

function groupsMissing(): AppError {
  return new AppError(
    SIGN_IN_ERRORS.SIGN_IN_GROUPS_MISSING,
    "You are in too many groups, so the identity provider left them out. Ask the operator to configure it to send only the assigned groups.",
  );
}

function withoutRole(): AppError {
  return new AppError(
    SIGN_IN_ERRORS.SIGN_IN_WITHOUT_ROLE,
    "None of your groups has a role here. Ask an admin which group you need.",
  );
}
