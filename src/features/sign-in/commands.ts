import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { type Actor, FULL_ACCESS } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import type { Identity, ProviderSettings } from "../../oidc/provider.ts";
import { recordAudit, slipwayOf } from "../organizations/audit.ts";
import {
  createUser,
  findFirstOrganization,
  findUser,
  findUserByEmail,
  lockOrganization,
  updateUser,
} from "../organizations/commands.ts";
import type { User } from "../organizations/organization.ts";
import { beginSession, type NewSession } from "../organizations/sessions/commands.ts";
import { decidePlace } from "./decide-place.ts";
import { SIGN_IN_ERRORS } from "./errors.ts";
import { identities } from "./identity-store.ts";

/** Where the browser is that signs in. */
export type SignInFrom = Pick<Actor, "requestId" | "sourceAddress" | "userAgent">;

/**
 * Begins a session for whom a provider has signed in. The user is made at the first sign-in, and has the role of its
 * groups from each sign-in on.
 * @throws AppError `SIGN_IN_WITHOUT_ROLE`, `EMAIL_TAKEN`, `LAST_ADMIN`, `LAST_ADMIN_KEY`
 */
export async function signIn(
  db: Database,
  settings: ProviderSettings,
  identity: Identity,
  from: SignInFrom,
): Promise<NewSession> {
  const place = decidePlace(settings.rules, identity.groups);
  if (place === null) throw withoutRole();
  const organizationId = place.organizationId ?? settings.organizationId ?? (await findFirstOrganization(db));
  if (organizationId === null) throw withoutRole();
  return await db.within(organizationId, () =>
    db.transaction(async (tx) => {
      // Two tabs of a person who was never here make one user.
      if (!(await lockOrganization(tx, organizationId))) throw withoutRole();
      const by = { ...slipwayOf(organizationId), ...from };
      const user = await findOrMakeUser(tx, by, settings, identity, place.role);
      const current =
        user.role === place.role ? user : await updateUser(tx, by, user.id, { role: place.role });
      const actor: Actor = {
        ...from,
        organizationId,
        userId: current.id,
        credential: { kind: "none", id: current.id },
        role: current.role,
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
  const userId = await identities.findUserId(tx, organizationId, identity);
  const known = userId === null ? null : await findUser(tx, organizationId, userId);
  if (known !== null) return known;
  const email = identity.email?.toLowerCase() ?? null;
  const same =
    linksByEmail && identity.isEmailVerified && email !== null
      ? await findUserByEmail(tx, organizationId, email)
      : null;
  const isLinkable =
    same !== null &&
    same.kind === "person" &&
    !(await identities.isLinked(tx, organizationId, same.id, identity.issuer));
  const user = isLinkable
    ? same
    : await createUser(tx, by, { email, role, ...(identity.name === null ? {} : { name: identity.name }) });
  identities.insert(tx, organizationId, identity, user.id);
  announceChange(tx, user.id);
  recordAudit(tx, by, "user.linked", user.id, { after: { provider } });
  return user;
}

function withoutRole(): AppError {
  return new AppError(
    SIGN_IN_ERRORS.SIGN_IN_WITHOUT_ROLE,
    "None of your groups has a role here. Ask an admin which group you need.",
  );
}
