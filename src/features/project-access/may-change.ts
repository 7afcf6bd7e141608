/**
 * Decides who can change the code and settings that run in protected environments. Every way to change them asks here
 * with the database as it is then: a request in its transaction, while it holds the project, because what
 * authentication remembers may be seconds old; and a deployment when its runs are created and when each begins, because
 * that is long after its request. A path that names an environment, or something in one, asks the same rule
 * (`refusalOf`) at its admission. `test/guards/protection.test.ts` has the list of the ways.
 */
import type { Sql } from "../../db/database.ts";
import { type Needs, type Place, refusalOf, requireNeeds } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { findRights } from "./queries.ts";

/** To deploy, roll back, approve, reject and cancel. */
export const DEPLOY: Needs = { role: "developer", scope: "deploy", reach: "project", isWrite: true };
/** To change or delete a project, which says what runs in all of its environments. */
export const CHANGE_PROJECT: Needs = { role: "developer", scope: "admin", reach: "project", isWrite: true };

/** @throws AppError `ROLE_TOO_LOW`, `ENVIRONMENT_PROTECTED`, `SCOPE_MISSING` if the caller may not, in one of the places */
export async function requireMayChange(
  sql: Sql,
  actor: Actor,
  needs: Needs,
  places: readonly Place[],
): Promise<void> {
  if (places.length === 0) return;
  const { role, access } = (await findRights(sql, actor.organizationId, actor.userId)) ?? {
    ...actor,
    role: "viewer",
  };
  const now = { role, access: { ...actor.access, grants: access.grants } };
  for (const place of places) requireNeeds(now, needs, place);
}

/** Whether a user may, long after the request. Its credential was asked then. */
export async function mayChange(
  sql: Sql,
  organizationId: string,
  userId: string | null,
  needs: Needs,
  place: Place,
): Promise<boolean> {
  const user = userId === null ? null : await findRights(sql, organizationId, userId);
  return user !== null && refusalOf(user, needs, place) === null;
}
