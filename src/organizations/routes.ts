import { Type } from "typebox";
import { ROLES } from "../actor.ts";
import type { Database } from "../db/database.ts";
import { notFound } from "../errors.ts";
import type { Http } from "../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../http/paging.ts";
import { Body, Nullable, Words } from "../http/schemas.ts";
import {
  createApiKey,
  createUser,
  deleteApiKey,
  deleteUser,
  getApiKey,
  getCaller,
  updateUser,
} from "./commands.ts";
import { apiKeys, auditEntries, users } from "./store.ts";
import {
  ApiKeySchema,
  AuditEntrySchema,
  CallerSchema,
  NewApiKeySchema,
  UserSchema,
  viewApiKey,
  viewAuditEntry,
  viewCaller,
  viewUser,
} from "./views.ts";

const USER_FIELDS = {
  email: Type.String({ format: "email", maxLength: 254 }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  role: Words(ROLES, {
    description:
      "`viewer` reads, `developer` also writes, `admin` also manages users, keys, cloud accounts and git integrations.",
  }),
  gitLogin: Nullable(
    Type.String({ minLength: 1, maxLength: 100, description: "The user's login at the git provider." }),
  ),
};

export function registerOrganizationRoutes(
  http: Http,
  { db, cloud }: { db: Database; cloud: "sandbox" | "aws" },
): void {
  http.read({
    path: "/v1/me",
    role: "viewer",
    tag: "Users and API keys",
    summary: "Tell whose API key this is",
    description:
      "The user with its role, which says what the key may do; the organization; and the key's prefix.",
    response: CallerSchema,
    watch: ({ body }) => [body.user.id, body.apiKey.id],
    handle: async ({ actor }) => viewCaller(await getCaller(db, actor), cloud),
  });

  http.write({
    method: "POST",
    path: "/v1/users",
    role: "admin",
    tag: "Users and API keys",
    summary: "Create a user",
    body: Body({
      email: USER_FIELDS.email,
      name: Type.Optional(USER_FIELDS.name),
      role: USER_FIELDS.role,
      gitLogin: Type.Optional(USER_FIELDS.gitLogin),
    }),
    responses: { 201: UserSchema },
    commit: async ({ tx, actor, body }) => {
      const user = await createUser(tx, actor, body);
      return { status: 201, location: `/v1/users/${user.id}`, body: viewUser(user) };
    },
  });

  http.read({
    path: "/v1/users",
    role: "viewer",
    tag: "Users and API keys",
    summary: "List users",
    query: Body(PAGE_QUERY),
    response: ListOf("users", UserSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await users.list(db, actor.organizationId, page);
      const { items, nextCursor } = makePage(rows, page, (user) => user.id);
      return { users: items.map(viewUser), nextCursor };
    },
  });

  http.read({
    path: "/v1/users/:userId",
    role: "viewer",
    tag: "Users and API keys",
    summary: "Get a user",
    response: UserSchema,
    watch: ({ params }) => [params.userId],
    handle: async ({ actor, params }) => {
      const user = await users.find(db, actor.organizationId, params.userId);
      if (user === null) throw notFound();
      return viewUser(user);
    },
  });

  http.write({
    method: "PATCH",
    path: "/v1/users/:userId",
    role: "admin",
    tag: "Users and API keys",
    summary: "Change a user",
    description: "A changed role takes effect within 5 s. The organization keeps at least one admin.",
    body: Body({
      email: Type.Optional(USER_FIELDS.email),
      name: Type.Optional(USER_FIELDS.name),
      role: Type.Optional(USER_FIELDS.role),
      gitLogin: Type.Optional(USER_FIELDS.gitLogin),
    }),
    responses: { 200: UserSchema },
    commit: async ({ tx, actor, params, body }) => ({
      status: 200,
      body: viewUser(await updateUser(tx, actor, params.userId, body)),
    }),
  });

  http.write({
    method: "DELETE",
    path: "/v1/users/:userId",
    role: "admin",
    tag: "Users and API keys",
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
    tag: "Users and API keys",
    summary: "Create an API key",
    description: "The key is in this answer and never shown again.",
    body: Body({
      name: Type.String({ minLength: 1, maxLength: 200 }),
      userId: Type.Optional(Type.String({ description: "Whose key it is; yours when left out." })),
    }),
    responses: { 201: NewApiKeySchema },
    commit: async ({ tx, actor, body }) => {
      const { apiKey, key } = await createApiKey(tx, actor, body);
      return { status: 201, location: `/v1/api-keys/${apiKey.id}`, body: { ...viewApiKey(apiKey), key } };
    },
  });

  http.read({
    path: "/v1/api-keys",
    role: "admin",
    tag: "Users and API keys",
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
    tag: "Users and API keys",
    summary: "Get an API key",
    description: "The key itself is not shown.",
    response: ApiKeySchema,
    // A user's keys go with the user.
    watch: ({ body }) => [body.id, body.userId],
    handle: async ({ actor, params }) =>
      viewApiKey(await getApiKey(db, actor.organizationId, params.apiKeyId)),
  });

  http.write({
    method: "DELETE",
    path: "/v1/api-keys/:apiKeyId",
    role: "admin",
    tag: "Users and API keys",
    summary: "Revoke an API key",
    description: "It is refused everywhere within 5 s.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteApiKey(tx, actor, params.apiKeyId);
      return { status: 204 };
    },
  });

  http.read({
    path: "/v1/audit-entries",
    role: "admin",
    tag: "Audit",
    summary: "List what was done, newest first",
    query: Body({
      ...PAGE_QUERY,
      resourceId: Type.Optional(
        Type.String({ maxLength: 200, description: "Only what was done to this resource." }),
      ),
    }),
    response: ListOf("auditEntries", AuditEntrySchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await auditEntries.list(db, actor.organizationId, page, query.resourceId ?? null);
      const { items, nextCursor } = makePage(rows, page, (entry) => entry.id);
      return { auditEntries: items.map(viewAuditEntry), nextCursor };
    },
  });
}
