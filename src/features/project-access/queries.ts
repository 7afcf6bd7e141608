import type { Sql } from "../../db/database.ts";
import { higherRole } from "../../lib/access.ts";
import { type Grants, type Identity, NO_GRANTS, type Principal } from "../../lib/actor.ts";
import { members } from "./store.ts";

/** The identity with what projects give its user, so that it is remembered with it. */
export async function addGrants(
  sql: Sql,
  identity: Identity | "expired" | null,
): Promise<Principal | "expired" | null> {
  if (identity === null || identity === "expired") return identity;
  return { ...identity, access: { ...identity.access, grants: await findGrants(sql, identity) } };
}

/** What projects give a user, or withhold. Admins of the organization have all rights everywhere. */
async function findGrants(sql: Sql, { organizationId, userId, role }: Identity): Promise<Grants> {
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
            protections.map(({ id, projectId, deployers, approvers }) => [
              id,
              { projectId, role: deployers, projectRole: higherRole(deployers, approvers ?? deployers) },
            ]),
          ),
  };
}
