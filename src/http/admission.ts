/**
 * Lets a caller in to a route, or refuses: what the route needs is held against the caller's role, scopes and projects
 * before its body is read. The project of a resource is only looked for when something but the organization's role
 * decides, and once, because a resource never moves to another project.
 */
import { isDeepStrictEqual } from "node:util";
import {
  isLimited,
  type Needs,
  type Place,
  type Reach,
  requireNeeds,
  requireSeen,
  visibleTo,
} from "../lib/access.ts";
import type { Actor, Principal } from "../lib/actor.ts";
import { AppError, COMMON_ERRORS, notFound } from "../lib/errors.ts";

/** Parameters of paths that name a resource of a project. The first of a path says where it is. */
export const PLACES = [
  "projectId",
  "environmentId",
  "serviceId",
  "domainGroupId",
  "domainId",
  "deploymentId",
] as const;
export type PlaceParameter = (typeof PLACES)[number];

/** @throws AppError `NOT_FOUND` when there is no such resource */
export type ResolveScope = (
  organizationId: string,
  parameter: Exclude<PlaceParameter, "projectId">,
  id: string,
) => Promise<Place>;

export type Admission = {
  /** @throws AppError `ROLE_TOO_LOW`, `SCOPE_MISSING`, `KEY_OF_PROJECTS`, `ENVIRONMENT_PROTECTED`; `NOT_FOUND` for what the caller does not see */
  admit(actor: Actor, needs: Needs, params: Readonly<Record<string, string>>): Promise<void>;
  /** The same for a request that is held open, of which what it shows may depend on what the caller was then. */
  admitAgain(
    actor: Actor,
    principal: Principal,
    needs: Needs,
    params: Readonly<Record<string, string>>,
  ): Promise<void>;
};

/** What a route needs. @throws when it does not say, or says twice, what it is about */
export function needsOf(
  method: string,
  route: Pick<Needs, "role" | "scope"> & {
    readonly path: string;
    readonly reach?: Exclude<Reach, "project">;
  },
): Needs {
  const { path, role, scope, reach } = route;
  const hasPlace = placeIn(path.split("/").map((part) => part.slice(1))) !== undefined;
  if (hasPlace === (reach !== undefined))
    throw new Error(`${method} ${path}: a route has a \`reach\` if its path names no resource of a project.`);
  return { role, scope, reach: reach ?? "project", isWrite: method !== "GET" };
}

function placeIn(names: readonly string[]): PlaceParameter | undefined {
  return PLACES.find((name) => names.includes(name));
}

/** How many places are remembered. */
const REMEMBERED = 50_000;
/** No id has another form; what has one is not looked for. */
const ID = /^[a-z]{1,8}_[0-9a-z]{1,40}$/;

export function createAdmission(resolveScope: ResolveScope): Admission {
  const places = new Map<string, Place>();

  const placeOf = async (
    { organizationId }: Actor,
    params: Readonly<Record<string, string>>,
  ): Promise<Place> => {
    const parameter = placeIn(Object.keys(params));
    const id = parameter === undefined ? undefined : params[parameter];
    if (parameter === undefined || id === undefined) throw new Error("The path names no resource.");
    if (parameter === "projectId") return { projectId: id, environmentId: null };
    if (!ID.test(id)) throw notFound();
    const key = `${organizationId} ${parameter} ${id}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    const place = await resolveScope(organizationId, parameter, id);
    if (places.size >= REMEMBERED) places.clear();
    places.set(key, place);
    return place;
  };

  const admit: Admission["admit"] = async (actor, needs, params) => {
    const isOfProject = needs.reach === "project" && isLimited(actor);
    // Check permission before the lookup: a caller without it in any project must not learn where the resource is.
    requireNeeds(actor, isOfProject ? { ...needs, reach: "projects" } : needs);
    if (!isOfProject) return;
    const place = await placeOf(actor, params);
    requireSeen(actor, place.projectId);
    requireNeeds(actor, needs, place);
  };

  return {
    admit,
    admitAgain: async (actor, principal, needs, params) => {
      const now = { ...actor, ...principal };
      await admit(now, needs, params);
      // What it shows follows from the caller as it was when the request began.
      if (!isDeepStrictEqual(shownBy(now, needs.reach), shownBy(actor, needs.reach)))
        throw new AppError(COMMON_ERRORS.PROJECTS_CHANGED, COMMON_ERRORS.PROJECTS_CHANGED.cause);
    },
  };
}

/** All of a caller that decides what a read shows, besides whether it is let in. A resource of a project shows everyone the same. */
function shownBy(caller: Pick<Actor, "userId" | "role" | "access">, reach: Reach): readonly unknown[] {
  const { userId, role, access } = caller;
  if (reach === "project") return [userId];
  return [userId, role, access.scopes, access.projectIds, reach === "projects" ? visibleTo(caller) : null];
}
