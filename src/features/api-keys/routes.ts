import { Type } from "typebox";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, Id, ONE_LINE_TEXT } from "../../http/schemas.ts";
import { SCOPES } from "../../lib/actor.ts";
import { LOCKED } from "../users/commands.ts";
import { USERS_TAG } from "../users/routes.ts";
import { createApiKey, deleteApiKey } from "./commands.ts";
import { getApiKey, type HasProjects } from "./queries.ts";
import { apiKeys } from "./store.ts";
import { ApiKeySchema, NewApiKeySchema, ScopeSchema, viewApiKey } from "./views.ts";

/** More projects than a key is for; each is compared for every request. */
const PROJECTS_OF_KEY_MAX = 50;

const ADMIN = { role: "admin", scope: "admin", reach: "organization", tag: USERS_TAG } as const;

export function registerApiKeyRoutes(
  http: Http,
  { db, hasProjects }: { readonly db: Database; readonly hasProjects: HasProjects },
): void {
  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/api-keys",
    summary: "Create an API key",
    description: "Only this response shows the key.",
    body: Body({
      name: Type.String({
        ...ONE_LINE_TEXT,
        maxLength: 200,
        description: "Its purpose.",
        examples: ["deploy from CI"],
      }),
      userId: Type.Optional(Id("user", "The key's user; yourself by default.")),
      scopes: Type.Optional(
        Type.Array(ScopeSchema, {
          minItems: 1,
          maxItems: SCOPES.length,
          description:
            "Its scopes; everything that its user may do by default. A key with scopes creates only keys with the same scopes or fewer.",
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
          description: "When it expires; never by default.",
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
    ...ADMIN,
    path: "/v1/api-keys",
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
    ...ADMIN,
    path: "/v1/api-keys/:apiKeyId",
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
    ...ADMIN,
    method: "DELETE",
    path: "/v1/api-keys/:apiKeyId",
    precondition: LOCKED,
    summary: "Revoke an API key",
    description: "The key stops working everywhere within 5 s.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteApiKey(tx, actor, params.apiKeyId);
      return { status: 204 };
    },
  });
}
