import type { Sql } from "../../db/database.ts";
import { higherRole } from "../../lib/access.ts";
import {
  type Actor,
  FULL_ACCESS,
  type Grants,
  type Identity,
  NO_GRANTS,
  type Principal,
} from "../../lib/actor.ts";
import { findUser } from "../users/queries.ts";
import { members } from "./store.ts";

/** The identity with what projects give its user, so that it is remembered with it. */
export async function addGrants(
  sql: Sql,
  identity: Identity | "expired" | null,
): Promise<Principal | "expired" | null> {
  if (identity === null || identity === "expired") return identity;
  return { ...identity, access: { ...identity.access, grants: await findGrants(sql, identity) } };
}

/** A user's rights as the database has them now, without the limits of a credential; null if the user is deleted. */
export async function findRights(
  sql: Sql,
  organizationId: string,
  userId: string,
): Promise<Pick<Actor, "role" | "access"> | null> {
  const user = await findUser(sql, organizationId, userId);
  if (user === null) return null;
  const { role } = user;
  const grants = await findGrants(sql, { organizationId, userId, role });
  return { role, access: { ...FULL_ACCESS, grants } };
}

/** What projects give a user, or withhold. Admins of the organization have all rights everywhere. */
async function findGrants(
  sql: Sql,
  { organizationId, userId, role }: Pick<Identity, "organizationId" | "userId" | "role">,
): Promise<Grants> {
  if (role === "admin") return NO_GRANTS;
  const [roles, protections] = await Promise.all([
    members.listRoles(sql, organizationId, userId),
    members.listProtected(sql, organizationId),
  ]);
  return {
    roles:
      roles.length === 0
        ? null
        : new Map(
            roles.map((one) => [
              one.projectId,
              one.isClosed || one.role === null ? one.role : higherRole(role, one.role),
            ]),
          ),
    protections:
      protections.length === 0
        ? null
        : new Map(
            protections.map(({ id, projectId, role: deployers }) => [id, { projectId, role: deployers }]),
          ),
  };
}
