/**
 * Authorization: the one place that compares a caller's role, scopes and projects with the needs of an operation. Each
 * route declares its needs (`src/http/http.ts`), so `GET /v1/me` reports exactly what is enforced.
 */
import { type Actor, type Role, ROLES, type Scope } from "./actor.ts";
import { AppError, COMMON_ERRORS, notFound } from "./errors.ts";

/**
 * What an operation is about. `project`: a resource of a project, which its path names. `projects`: several projects,
 * or a project that the body names; the handler limits itself to projects that the caller sees. `organization`: no
 * project.
 */
export type Reach = "project" | "projects" | "organization";

/** What an operation needs of its caller. */
export type Needs = {
  readonly role: Role;
  readonly scope: Scope;
  readonly reach: Reach;
  readonly isWrite: boolean;
};

/** Where a resource is; the environment is null for what is not in one, such as a deployment. */
export type Place = { readonly projectId: string; readonly environmentId: string | null };

/** Why a caller may not do something: what is missing, and the role or the scope that it takes. */
export type Refusal =
  | { readonly by: "role" | "protection"; readonly neededRole: Role; readonly role: Role }
  | { readonly by: "scope"; readonly neededScope: Scope }
  | { readonly by: "projects" };

type Caller = Pick<Actor, "access" | "role">;

/**
 * Null if the caller may.
 * @param place that the caller sees; null for the organization, or where it is not known yet: then the highest role
 * that the caller has anywhere counts
 */
export function refusalOf(caller: Caller, needs: Needs, place: Place | null): Refusal | null {
  const { access } = caller;
  if (!hasScope(access.scopes, needs.scope)) return { by: "scope", neededScope: needs.scope };
  const role =
    place === null ? generalRole(caller, needs.reach) : (roleIn(caller, place.projectId) ?? "viewer");
  if (!isAtLeast(role, needs.role)) return { by: "role", neededRole: needs.role, role };
  // What anyone may read of an organization is shown beside a project, such as the names of users and accounts.
  const isShown = !needs.isWrite && needs.role === "viewer";
  if (needs.reach === "organization" && access.projectIds !== null && !isShown) return { by: "projects" };
  const guard = place !== null && needs.isWrite ? protectionOf(caller, needs, place) : null;
  return guard === null || isAtLeast(role, guard) ? null : { by: "protection", neededRole: guard, role };
}

/** @throws AppError `ROLE_TOO_LOW`, `SCOPE_MISSING`, `KEY_OF_PROJECTS`, `ENVIRONMENT_PROTECTED` */
export function requireNeeds(caller: Caller, needs: Needs, place: Place | null = null): void {
  const refusal = refusalOf(caller, needs, place);
  if (refusal !== null) throw errorOf(caller, refusal, place);
}

function errorOf({ access }: Caller, refusal: Refusal, place: Place | null): AppError {
  switch (refusal.by) {
    case "role": {
      const { neededRole, role } = refusal;
      return new AppError(
        COMMON_ERRORS.ROLE_TOO_LOW,
        `This requires the role ${neededRole}; the caller is a ${role}${place === null ? "" : " in this project"}.`,
        { extensions: { neededRole } },
      );
    }
    case "protection": {
      const { neededRole, role } = refusal;
      return new AppError(
        COMMON_ERRORS.ENVIRONMENT_PROTECTED,
        `${place?.environmentId === null ? "An environment of the project" : "The environment"} is protected: this requires the role ${neededRole} in the project; the caller is a ${role}.`,
        { extensions: { neededRole, environmentId: place?.environmentId ?? null } },
      );
    }
    case "scope":
      return new AppError(
        COMMON_ERRORS.SCOPE_MISSING,
        `This requires the scope ${refusal.neededScope}; the caller has ${access.scopes?.join(", ")}.`,
        { extensions: { neededScope: refusal.neededScope } },
      );
    case "projects":
      return new AppError(
        COMMON_ERRORS.KEY_OF_PROJECTS,
        "The caller is limited to projects, and this is about the whole organization. Use a key that is not limited to projects.",
      );
  }
}

/** Every scope includes `read`. */
function hasScope(scopes: readonly Scope[] | null, needed: Scope): boolean {
  return scopes === null || needed === "read" || scopes.includes(needed);
}

export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

export function higherRole(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? one : other;
}

/** The role in the organization; for what may be in any project, the highest that the caller has in one. */
function generalRole({ access, role }: Caller, reach: Reach): Role {
  const { roles } = access.grants;
  if (reach === "organization" || roles === null) return role;
  return [...roles.values()].reduce<Role>((highest, one) => higherRole(highest, one ?? "viewer"), role);
}

/** The caller's role in a project; null if the caller does not see it. */
export function roleIn({ access, role }: Caller, projectId: string): Role | null {
  if (access.projectIds?.includes(projectId) === false) return null;
  const inProject = access.grants.roles?.get(projectId);
  return inProject === undefined ? role : inProject;
}

/**
 * The role in the project that a write needs because environments are protected; null if it needs none. A write to a
 * resource of an environment needs the role of the environment's deployers. A change of the project decides what every
 * environment runs, and removes environments. So it needs an admin if any environment is protected, even if the
 * protection only asks for a second person: otherwise one person could remove the environment and create it again
 * without its protection.
 */
function protectionOf({ access }: Caller, { scope }: Needs, place: Place): Role | null {
  const { protections } = access.grants;
  if (protections === null) return null;
  if (place.environmentId !== null) return protections.get(place.environmentId)?.role ?? null;
  if (scope !== "admin") return null;
  return [...protections.values()].some(({ projectId }) => projectId === place.projectId) ? "admin" : null;
}

/** Lets in a caller who may do all that the user may. @throws AppError `SCOPE_MISSING`, `KEY_OF_PROJECTS` */
export function requireUnlimited(caller: Caller): void {
  if (caller.access.scopes !== null) requireNeeds(caller, { ...OF_ORGANIZATION, scope: "admin" });
  if (caller.access.projectIds !== null) requireNeeds(caller, OF_ORGANIZATION);
}

const OF_ORGANIZATION: Needs = { role: "viewer", scope: "read", reach: "organization", isWrite: true };

/** Whether anything but the role in the organization decides what the caller sees and may do in a project. */
export function isLimited({ access }: Caller): boolean {
  return access.projectIds !== null || access.grants.roles !== null || access.grants.protections !== null;
}

/** Whether the caller sees a project. */
export function sees(caller: Caller, projectId: string): boolean {
  return roleIn(caller, projectId) !== null;
}

/** @param field of the body that names the project, if one does @throws AppError `NOT_FOUND` */
export function requireSeen(caller: Caller, projectId: string, field?: string): void {
  if (!sees(caller, projectId)) throw notFound(field);
}

/** Whether the caller may manage the organization, and so see what only those see who do. */
export function isAdmin(caller: Caller): boolean {
  const needs = { role: "admin", scope: "admin", reach: "organization", isWrite: true } as const;
  return refusalOf(caller, needs, null) === null;
}

/** Which projects a list shows: `only` these, and none of `but`; null for all. */
export type Visible = {
  readonly only: readonly string[] | null;
  readonly but: readonly string[] | null;
} | null;

/** The projects that a caller sees. */
export function visibleTo({ access }: Caller): Visible {
  const { projectIds, grants } = access;
  const hidden = [...(grants.roles ?? [])].filter(([, role]) => role === null).map(([id]) => id);
  if (projectIds === null && hidden.length === 0) return null;
  return { only: projectIds, but: hidden.length === 0 ? null : hidden.toSorted() };
}
