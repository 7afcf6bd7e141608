import { Type } from "typebox";
import type { CloudKind } from "../../cloud/cloud.ts";
import type { Database } from "../../db/database.ts";
import type { Places } from "../../http/admission.ts";
import { HTTP_ERRORS } from "../../http/errors.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { Body, Id, ONE_LINE_TEXT } from "../../http/schemas.ts";
import { type Place, requireSeen } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, notFound } from "../../lib/errors.ts";
import type { HasProjects } from "../api-keys/queries.ts";
import { LOCKED } from "../users/commands.ts";
import { listAdmins } from "../users/queries.ts";
import { USERS_TAG } from "../users/routes.ts";
import type { ProviderLabels } from "../users/views.ts";
import { updateOrganization } from "./commands.ts";
import { findCaller, getOrganization } from "./queries.ts";
import {
  CallerSchema,
  OrganizationSchema,
  PermissionsSchema,
  type Retention,
  viewCaller,
  viewOrganization,
  viewPermissions,
} from "./views.ts";

/** More admins than a caller has to ask. */
const ADMINS_SHOWN = 10;

export const ORGANIZATION_TAG: Tag = {
  name: "Organization",
  description: "The organization of the caller, and for how long records are kept.",
};
const READ = { role: "viewer", scope: "read", tag: USERS_TAG } as const;

type Deps = {
  readonly db: Database;
  readonly cloud: CloudKind;
  readonly hasProjects: HasProjects;
  readonly findEnvironment: Places[string];
  readonly labels: ProviderLabels;
  readonly retention: Retention;
};

export function registerOrganizationRoutes(http: Http, deps: Deps): void {
  const { db, cloud, labels, retention } = deps;
  const permissionsOf = async (actor: Actor, place: Place | null) => {
    const admins = await listAdmins(db, actor.organizationId, ADMINS_SHOWN);
    return viewPermissions(actor, http.operations(), place, admins);
  };

  http.read({
    path: "/v1/me",
    ...READ,
    reach: "organization",
    summary: "Get the caller",
    description:
      "Returns the user, whose role determines what the request may do; the organization; the key or the session; and what the caller may do in the organization.",
    response: CallerSchema,
    watch: ({ body }) => [body.user.id, body.credential.id, body.organization.id],
    handle: async ({ actor }) => {
      const [caller, permissions] = await Promise.all([findCaller(db, actor), permissionsOf(actor, null)]);
      // Authentication is remembered for seconds.
      if (caller === null) throw credentialDeleted();
      return { ...viewCaller(caller, cloud, labels), permissions };
    },
  });

  http.read({
    path: "/v1/me/permissions",
    ...READ,
    reach: "projects",
    operationId: "getPermissions",
    sdk: "me.getPermissions",
    summary: "Get the caller's permissions in a project or an environment",
    description:
      "Returns for each operation whether the caller may call it, and the reason if not. Without a query, the permissions are those in the organization; for operations on projects, the caller's highest role in any project then counts.",
    query: Body({
      projectId: Type.Optional(Id("proj", "Permissions in this project.")),
      environmentId: Type.Optional(Id("env", "Permissions in this environment.")),
    }),
    response: PermissionsSchema,
    handle: async ({ actor, query }) => await permissionsOf(actor, await resolvePlace(deps, actor, query)),
  });

  http.read({
    path: "/v1/organization",
    role: "viewer",
    scope: "read",
    reach: "organization",
    tag: ORGANIZATION_TAG,
    summary: "Get the organization",
    description: "Returns its name, and for how long this installation keeps records.",
    response: OrganizationSchema,
    watch: ({ body }) => [body.id],
    handle: async ({ sql, actor }) =>
      viewOrganization(await getOrganization(sql, actor.organizationId), retention),
  });

  http.write({
    method: "PATCH",
    path: "/v1/organization",
    precondition: LOCKED,
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: ORGANIZATION_TAG,
    summary: "Rename the organization",
    body: Body({
      name: Type.Optional(
        Type.String({
          ...ONE_LINE_TEXT,
          maxLength: 200,
          description: "Display name.",
          examples: ["Acme"],
        }),
      ),
    }),
    responses: { 200: OrganizationSchema },
    commit: async ({ tx, actor, body }) => ({
      status: 200,
      body: viewOrganization(await updateOrganization(tx, actor, body), retention),
    }),
  });
}

function credentialDeleted(): AppError {
  return new AppError(
    HTTP_ERRORS.UNAUTHENTICATED,
    "The user, the API key or the session of this request was deleted.",
  );
}

/** The place that the query names; null without. @throws AppError `NOT_FOUND` if there is none that the caller sees */
async function resolvePlace(
  { db, hasProjects, findEnvironment }: Deps,
  actor: Actor,
  { projectId, environmentId }: { readonly projectId?: string; readonly environmentId?: string },
): Promise<Place | null> {
  const { organizationId } = actor;
  if (environmentId !== undefined) {
    const place = await findEnvironment(organizationId, environmentId);
    requireSeen(actor, place.projectId);
    if (projectId !== undefined && projectId !== place.projectId) throw notFound();
    return place;
  }
  if (projectId === undefined) return null;
  requireSeen(actor, projectId);
  if (!(await hasProjects(db, organizationId, [projectId]))) throw notFound();
  return { projectId, environmentId: null };
}
