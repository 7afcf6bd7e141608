/**
 * Who may do what: the one place where a caller's role, scopes and projects are held against what an operation needs.
 * Each route declares its needs (`src/http/http.ts`), so what is enforced and what `GET /v1/me` tells are the same.
 */
import { type Actor, type Role, ROLES, type Scope } from "./actor.ts";
import { AppError, COMMON_ERRORS, notFound } from "./errors.ts";

/**
 * What an operation is about. `project`: a resource of a project, which its path names. `projects`: several, or one that
 * the body names; the handler limits itself to those that the caller sees. `organization`: no project's.
 */
export type Reach = "project" | "projects" | "organization";

/** What an operation needs of its caller. */
export type Needs = {
  readonly role: Role;
  readonly scope: Scope;
  readonly reach: Reach;
  readonly isWrite: boolean;
};

/** Why a caller may not do something. */
export type Refusal = "role" | "scope" | "projects";

/** Null if the caller may. @param role of the caller, in the project that it is about */
export function refusalOf({ access }: Pick<Actor, "access">, needs: Needs, role: Role): Refusal | null {
  if (!hasScope(access.scopes, needs.scope)) return "scope";
  if (!isAtLeast(role, needs.role)) return "role";
  // What anyone may read of an organization is shown beside a project, such as the names of users and accounts.
  const isShown = !needs.isWrite && needs.role === "viewer";
  return needs.reach === "organization" && access.projectIds !== null && !isShown ? "projects" : null;
}

/** @throws AppError `ROLE_TOO_LOW`, `SCOPE_MISSING`, `KEY_OF_PROJECTS` */
export function requireNeeds(actor: Pick<Actor, "access" | "role">, needs: Needs, role = actor.role): void {
  switch (refusalOf(actor, needs, role)) {
    case null:
      return;
    case "role":
      throw new AppError(
        COMMON_ERRORS.ROLE_TOO_LOW,
        `This requires the role ${needs.role}; the user of this API key is a ${role}.`,
        { extensions: { neededRole: needs.role } },
      );
    case "scope":
      throw new AppError(
        COMMON_ERRORS.SCOPE_MISSING,
        `This requires the scope ${needs.scope}; this API key has ${actor.access.scopes?.join(", ")}.`,
        { extensions: { neededScope: needs.scope } },
      );
    case "projects":
      throw new AppError(
        COMMON_ERRORS.KEY_OF_PROJECTS,
        "This API key is limited to projects, and this is about the whole organization. Use a key of all projects.",
      );
  }
}

/** Every scope includes `read`. */
function hasScope(scopes: readonly Scope[] | null, needed: Scope): boolean {
  return scopes === null || needed === "read" || scopes.includes(needed);
}

function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Whether anything but the role in the organization decides what the caller sees. */
export function isLimited({ access }: Actor): boolean {
  return access.projectIds !== null;
}

/** Whether the caller sees a project. */
export function sees({ access }: Actor, projectId: string): boolean {
  return access.projectIds?.includes(projectId) ?? true;
}

/** @param field of the body that names the project, if one does @throws AppError `NOT_FOUND` */
export function requireSeen(actor: Actor, projectId: string, field?: string): void {
  if (!sees(actor, projectId)) throw notFound(field);
}

/** Whether the caller may manage the organization, and so see what only those see who do. */
export function isAdmin(actor: Actor): boolean {
  const needs = { role: "admin", scope: "admin", reach: "organization", isWrite: true } as const;
  return refusalOf(actor, needs, actor.role) === null;
}

/** Which projects a list shows: null for all. */
export type Visible = readonly string[] | null;

/** The projects that a caller sees. */
export function visibleTo({ access }: Actor): Visible {
  return access.projectIds;
}
