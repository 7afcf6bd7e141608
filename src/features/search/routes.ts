import { Type } from "typebox";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { Body, Defaulted } from "../../http/schemas.ts";
import { searchResources } from "./queries.ts";
import { SearchResultSchema, viewFound } from "./views.ts";

export const OVERVIEW_TAG: Tag = {
  name: "Overview",
  description: "Search, and lists whose rows include related resources.",
};

export function registerSearchRoute(http: Http, { db }: { readonly db: Database }): void {
  http.read({
    path: "/v1/search",
    role: "viewer",
    scope: "read",
    reach: "projects",
    tag: OVERVIEW_TAG,
    operationId: "searchResources",
    sdk: "search.find",
    summary: "Search all resources",
    description:
      "Finds projects, environments, services, domains, domain groups, deployments and accounts by their id or the beginning of their name, in upper or lower case. The newest 2,000 of each kind are also found by any part of their name. A domain is also found by a parent domain or a URL; a deployment by the first digits of its commit, and one of the newest 500 by a part of its message; an account by its number at the provider or its `givenId`.",
    query: Body({
      q: Type.String({
        minLength: 1,
        maxLength: 300,
        description: "The text to search for.",
        examples: ["web"],
      }),
      limit: Defaulted(
        Type.Integer({
          minimum: 1,
          maximum: 20,
          default: 5,
          description: "The maximum number of resources of each type.",
        }),
      ),
    }),
    response: SearchResultSchema,
    handle: async ({ actor, query }) => viewFound(await searchResources(db, actor, query.q, query.limit)),
  });
}
