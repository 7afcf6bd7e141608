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

/**
 * Finds where a resource is that a path names, for each parameter that names one of a project. If a path has several,
 * the first of this record counts. Each throws AppError `NOT_FOUND` when there is no such resource.
 */
export type Places = Readonly<Record<string, (organizationId: string, id: string) => Promise<Place>>>;

export type Admission = {
  /** What a route needs. @throws when it does not say, or says twice, what it is about */
  needsOf(
    method: string,
    route: Pick<Needs, "role" | "scope"> & {
      readonly path: string;
      readonly reach?: Exclude<Reach, "project">;
    },
  ): Needs;
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

/** How many places are remembered. */
const REMEMBERED = 50_000;
/** No id has another form; what has one is not looked for. */
const ID = /^[a-z]{1,8}_[0-9a-z]{1,40}$/;

export function createAdmission(places: Places): Admission {
  const remembered = new Map<string, Place>();
  const placeIn = (names: readonly string[]): string | undefined =>
    Object.keys(places).find((name) => names.includes(name));

  const placeOf = async (
    { organizationId }: Actor,
    params: Readonly<Record<string, string>>,
  ): Promise<Place> => {
    const parameter = placeIn(Object.keys(params)) ?? "";
    const [id, find] = [params[parameter], places[parameter]];
    if (id === undefined || find === undefined) throw new Error("The path names no resource.");
    if (!ID.test(id)) throw notFound();
    const key = `${organizationId} ${parameter} ${id}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const place = await find(organizationId, id);
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(key, place);
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
    needsOf(method, { path, role, scope, reach }) {
      const hasPlace = placeIn(path.split("/").map((part) => part.slice(1))) !== undefined;
      if (hasPlace === (reach !== undefined))
        throw new Error(
          `${method} ${path}: a route has a \`reach\` if its path names no resource of a project.`,
        );
      return { role, scope, reach: reach ?? "project", isWrite: method !== "GET" };
    },
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
