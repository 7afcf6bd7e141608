import { Type } from "typebox";
import { type Actor, SCOPES } from "../../lib/actor.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { type Place, requireSeen } from "../../lib/access.ts";
import { AppError, notFound } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../../http/errors.ts";
import type { ResolveScope } from "../../http/admission.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { At, Body, Id, Nullable, ONE_LINE_TEXT } from "../../http/schemas.ts";
import {
  createApiKey,
  createUser,
  deleteApiKey,
  deleteUser,
  type HasProjects,
  getApiKey,
  getOrganization,
  getShownUser,
  findCaller,
  updateOrganization,
  updateUser,
} from "./commands.ts";
import type { Retention } from "./organization.ts";
import { PermissionsSchema, viewPermissions } from "./permission-views.ts";
import { apiKeys, organizations, users } from "./store.ts";
import {
  ApiKeySchema,
  CallerSchema,
  NewApiKeySchema,
  OrganizationSchema,
  type ProviderLabels,
  RoleSchema,
  ScopeSchema,
  UserKindSchema,
  UserSchema,
  viewApiKey,
  viewCaller,
  viewOrganization,
  viewUser,
} from "./views.ts";

const MeSchema = Type.Object(
  { ...CallerSchema.properties, permissions: PermissionsSchema },
  { title: "Caller", description: "Who makes the request, and what they may do." },
);

/** So many are enough to ask. */
const ADMINS_SHOWN = 10;

/** More projects than a key is for; each is compared for every request. */
const PROJECTS_OF_KEY_MAX = 50;

const ORGANIZATION: Tag = {
  name: "Organization",
  description: "The organization of the caller, and for how long records are kept.",
};
const USERS: Tag = {
  name: "Users and API keys",
  description: "The users of the API, their roles and their keys.",
};
const USER_FIELDS = {
  email: Type.String({
    format: "email",
    maxLength: 254,
    description: "Unique within the organization.",
    examples: ["ada@acme.example"],
  }),
  name: Type.String({
    ...ONE_LINE_TEXT,
    maxLength: 200,
    description: "Display name; the email address by default.",
    examples: ["Ada Lovelace"],
  }),
  role: RoleSchema,
  gitLogin: Nullable(
    Type.String({
      ...ONE_LINE_TEXT,
      maxLength: 100,
      description: "The user's login at the git provider.",
      examples: ["ada"],
    }),
  ),
};

/** Changes of an organization, its users and its keys run one after another. */
const OF_ORGANIZATION = {
  lock: ({ tx, actor }: { tx: Transaction; actor: Actor }) => organizations.lock(tx, actor.organizationId),
};

export function registerOrganizationRoutes(
  http: Http,
  deps: {
    readonly db: Database;
    readonly cloud: "sandbox" | "aws";
    readonly hasProjects: HasProjects;
    readonly resolveScope: ResolveScope;
    readonly labels: ProviderLabels;
    readonly retention: Retention;
  },
): void {
  const { db, cloud, hasProjects, labels, retention } = deps;
  const permissionsOf = async (actor: Actor, place: Place | null) =>
    viewPermissions(
      actor,
      http.operations(),
      place,
      await users.listAdmins(db, actor.organizationId, ADMINS_SHOWN),
    );

  http.read({
    path: "/v1/me",
    role: "viewer",
    scope: "read",
    reach: "organization",
    tag: USERS,
    summary: "Get who makes this request",
    description:
      "The user, whose role determines what the request may do; the organization; the key or the session; and what the caller may do in the organization.",
    response: MeSchema,
    watch: ({ body }) => [body.user.id, body.credential.id, body.organization.id],
    handle: async ({ actor }) => {
      const [caller, permissions] = await Promise.all([findCaller(db, actor), permissionsOf(actor, null)]);
      // Authentication is remembered for seconds.
      if (caller === null) throw gone();
      return { ...viewCaller(caller, cloud, labels), permissions };
    },
  });

  http.read({
    path: "/v1/me/permissions",
    role: "viewer",
    scope: "read",
    reach: "projects",
    tag: USERS,
    operationId: "getPermissions",
    sdk: "me.getPermissions",
    summary: "Get what the caller may do in a project or an environment",
    description:
      "For each operation whether the caller may call it there, and if not, what refuses it. Without a query it is about the organization, and what is about a project is judged by the highest role that the caller has in any.",
    query: Body({
      projectId: Type.Optional(Id("proj", "The project that is asked about.")),
      environmentId: Type.Optional(Id("env", "The environment that is asked about.")),
    }),
    response: PermissionsSchema,
    handle: async ({ actor, query }) => await permissionsOf(actor, await placeOf(deps, actor, query)),
  });

  http.read({
    path: "/v1/organization",
    role: "viewer",
    scope: "read",
    reach: "organization",
    tag: ORGANIZATION,
    sdk: "organization.get",
    summary: "Get the organization",
    description: "Its name, and for how long this installation keeps records.",
    response: OrganizationSchema,
    watch: ({ body }) => [body.id],
    handle: async ({ sql, actor }) =>
      viewOrganization(await getOrganization(sql, actor.organizationId), retention),
  });

  http.write({
    method: "PATCH",
    path: "/v1/organization",
    precondition: OF_ORGANIZATION,
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: ORGANIZATION,
    sdk: "organization.update",
    summary: "Rename the organization",
    body: Body({
      name: Type.Optional(
        Type.String({
          ...ONE_LINE_TEXT,
          maxLength: 200,
          description: "Shown to people.",
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

  http.write({
    method: "POST",
    path: "/v1/users",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: USERS,
    summary: "Create a user",
    description:
      "A `person` needs an `email`. A `service` account is a program: it needs a `name`, has no address, and does not sign in.",
    body: Body({
      kind: Type.Optional(At(UserKindSchema, "A `person` by default.")),
      email: Type.Optional(USER_FIELDS.email),
      name: Type.Optional(USER_FIELDS.name),
      role: USER_FIELDS.role,
      gitLogin: Type.Optional(USER_FIELDS.gitLogin),
    }),
    responses: { 201: UserSchema },
    commit: async ({ tx, actor, body }) => {
      const { id } = await createUser(tx, actor, body);
      const user = await getShownUser(tx, actor.organizationId, id);
      return { status: 201, location: `/v1/users/${id}`, body: viewUser(user, labels) };
    },
  });

  http.read({
    path: "/v1/users",
    role: "viewer",
    scope: "read",
    reach: "organization",
    tag: USERS,
    summary: "List users",
    query: Body({ ...PAGE_QUERY, kind: Type.Optional(At(UserKindSchema, "Only users of this kind.")) }),
    response: ListOf("users", UserSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await users.list(db, actor.organizationId, query.kind ?? null, page);
      const { items, nextCursor } = makePage(rows, page, (user) => user.id);
      return { users: items.map((user) => viewUser(user, labels)), nextCursor };
    },
  });

  http.read({
    path: "/v1/users/:userId",
    role: "viewer",
    scope: "read",
    reach: "organization",
    tag: USERS,
    summary: "Get a user",
    response: UserSchema,
    unguarded: ["lastSeenAt"],
    watch: ({ params }) => [params.userId],
    handle: async ({ sql, actor, params }) =>
      viewUser(await getShownUser(sql, actor.organizationId, params.userId), labels),
  });

  http.write({
    method: "PATCH",
    path: "/v1/users/:userId",
    precondition: OF_ORGANIZATION,
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: USERS,
    summary: "Change a user",
    description: "A changed role takes effect within 5 s. The organization keeps at least one admin.",
    body: Body({
      email: Type.Optional(USER_FIELDS.email),
      name: Type.Optional(USER_FIELDS.name),
      role: Type.Optional(USER_FIELDS.role),
      gitLogin: Type.Optional(USER_FIELDS.gitLogin),
    }),
    responses: { 200: UserSchema },
    commit: async ({ tx, actor, params, body }) => {
      const { id } = await updateUser(tx, actor, params.userId, body);
      return { status: 200, body: viewUser(await getShownUser(tx, actor.organizationId, id), labels) };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/users/:userId",
    precondition: OF_ORGANIZATION,
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: USERS,
    summary: "Delete a user and its API keys",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteUser(tx, actor, params.userId);
      return { status: 204 };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/api-keys",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: USERS,
    summary: "Create an API key",
    description: "Only this answer shows the key.",
    body: Body({
      name: Type.String({
        ...ONE_LINE_TEXT,
        maxLength: 200,
        description: "What it is for.",
        examples: ["deploy from CI"],
      }),
      userId: Type.Optional(Id("user", "The key's user; yourself by default.")),
      scopes: Type.Optional(
        Type.Array(ScopeSchema, {
          minItems: 1,
          maxItems: SCOPES.length,
          description:
            "What it may be used for; everything that its user may do by default. A key with scopes creates no key with others.",
        }),
      ),
      projectIds: Type.Optional(
        Type.Array(Id("proj", "A project of the organization."), {
          minItems: 1,
          maxItems: PROJECTS_OF_KEY_MAX,
          description:
            "The projects that it is limited to; all by default. It sees no other project, and changes nothing outside of projects.",
        }),
      ),
      expiresAt: Type.Optional(
        Type.String({
          format: "date-time",
          maxLength: 40,
          description: "From when on it is refused; never by default.",
          examples: ["2027-02-20T00:00:00.000Z"],
        }),
      ),
    }),
    responses: { 201: NewApiKeySchema },
    commit: async ({ tx, actor, body }) => {
      const { expiresAt, ...fields } = body;
      const given = { ...fields, ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }) };
      const { apiKey, key } = await createApiKey(tx, actor, given, hasProjects);
      return { status: 201, location: `/v1/api-keys/${apiKey.id}`, body: { ...viewApiKey(apiKey), key } };
    },
  });

  http.read({
    path: "/v1/api-keys",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: USERS,
    summary: "List API keys",
    query: Body(PAGE_QUERY),
    response: ListOf("apiKeys", ApiKeySchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await apiKeys.list(db, actor.organizationId, page);
      const { items, nextCursor } = makePage(rows, page, (key) => key.id);
      return { apiKeys: items.map(viewApiKey), nextCursor };
    },
  });

  http.read({
    path: "/v1/api-keys/:apiKeyId",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: USERS,
    summary: "Get an API key",
    description: "The key itself is not shown.",
    response: ApiKeySchema,
    unguarded: ["lastUsedAt"],
    // Deleting a user deletes its keys, too.
    watch: ({ body }) => [body.id, body.userId],
    handle: async ({ sql, actor, params }) =>
      viewApiKey(await getApiKey(sql, actor.organizationId, params.apiKeyId)),
  });

  http.write({
    method: "DELETE",
    path: "/v1/api-keys/:apiKeyId",
    precondition: OF_ORGANIZATION,
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: USERS,
    summary: "Revoke an API key",
    description: "It stops working everywhere within 5 s.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteApiKey(tx, actor, params.apiKeyId);
      return { status: 204 };
    },
  });
}

function gone(): AppError {
  return new AppError(
    HTTP_ERRORS.UNAUTHENTICATED,
    "The user, the API key or the session of this request was deleted.",
  );
}

/** The place that the query names; null without. @throws AppError `NOT_FOUND` if there is none that the caller sees */
async function placeOf(
  { db, hasProjects, resolveScope }: { db: Database; hasProjects: HasProjects; resolveScope: ResolveScope },
  actor: Actor,
  { projectId, environmentId }: { readonly projectId?: string; readonly environmentId?: string },
): Promise<Place | null> {
  const { organizationId } = actor;
  if (environmentId !== undefined) {
    const place = await resolveScope(organizationId, "environmentId", environmentId);
    requireSeen(actor, place.projectId);
    if (projectId !== undefined && projectId !== place.projectId) throw notFound();
    return place;
  }
  if (projectId === undefined) return null;
  requireSeen(actor, projectId);
  if (!(await hasProjects(db, organizationId, [projectId]))) throw notFound();
  return { projectId, environmentId: null };
}
