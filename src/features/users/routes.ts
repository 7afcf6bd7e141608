import { Type } from "typebox";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { At, Body, Nullable, ONE_LINE_TEXT } from "../../http/schemas.ts";
import { createUser, deleteUser, LOCKED, updateUser } from "./commands.ts";
import { getShownUser } from "./queries.ts";
import { users } from "./store.ts";
import { type ProviderLabels, RoleSchema, UserKindSchema, UserSchema, viewUser } from "./views.ts";

export const USERS_TAG: Tag = {
  name: "Users and API keys",
  description: "The users of the API, their roles and their keys.",
};

const READ = { role: "viewer", scope: "read", reach: "organization", tag: USERS_TAG } as const;
const ADMIN = { role: "admin", scope: "admin", reach: "organization", tag: USERS_TAG } as const;

const OPTIONAL_FIELDS = {
  email: Type.Optional(
    Type.String({
      format: "email",
      maxLength: 254,
      description: "Unique within the organization.",
      examples: ["ada@acme.example"],
    }),
  ),
  name: Type.Optional(
    Type.String({
      ...ONE_LINE_TEXT,
      maxLength: 200,
      description: "Display name; the email address by default.",
      examples: ["Ada Lovelace"],
    }),
  ),
  gitLogin: Type.Optional(
    Nullable(
      Type.String({
        ...ONE_LINE_TEXT,
        maxLength: 100,
        description: "The user's login at the git provider.",
        examples: ["ada"],
      }),
    ),
  ),
};

export function registerUserRoutes(
  http: Http,
  { db, labels }: { readonly db: Database; readonly labels: ProviderLabels },
): void {
  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/users",
    summary: "Create a user",
    description:
      "A `person` needs an `email`. A `service` account is a program: it needs a `name`, has no address, and does not sign in.",
    body: Body({
      kind: Type.Optional(At(UserKindSchema, "A `person` by default.")),
      ...OPTIONAL_FIELDS,
      role: RoleSchema,
    }),
    responses: { 201: UserSchema },
    commit: async ({ tx, actor, body }) => {
      const { id } = await createUser(tx, actor, body);
      const user = await getShownUser(tx, actor.organizationId, id);
      return { status: 201, location: `/v1/users/${id}`, body: viewUser(user, labels) };
    },
  });

  http.read({
    ...READ,
    path: "/v1/users",
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
    ...READ,
    path: "/v1/users/:userId",
    summary: "Get a user",
    response: UserSchema,
    unguarded: ["lastSeenAt"],
    watch: ({ params }) => [params.userId],
    handle: async ({ sql, actor, params }) =>
      viewUser(await getShownUser(sql, actor.organizationId, params.userId), labels),
  });

  http.write({
    ...ADMIN,
    method: "PATCH",
    path: "/v1/users/:userId",
    precondition: LOCKED,
    summary: "Change a user",
    description: "A changed role takes effect within 5 s. The organization keeps at least one admin.",
    body: Body({ ...OPTIONAL_FIELDS, role: Type.Optional(RoleSchema) }),
    responses: { 200: UserSchema },
    commit: async ({ tx, actor, params, body }) => {
      const { id } = await updateUser(tx, actor, params.userId, body);
      return { status: 200, body: viewUser(await getShownUser(tx, actor.organizationId, id), labels) };
    },
  });

  http.write({
    ...ADMIN,
    method: "DELETE",
    path: "/v1/users/:userId",
    precondition: LOCKED,
    summary: "Delete a user and its API keys",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteUser(tx, actor, params.userId);
      return { status: 204 };
    },
  });
}
