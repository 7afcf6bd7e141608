import { Type } from "typebox";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import { Body, Defaulted, Id } from "../../http/schemas.ts";
import type { Clock } from "../../lib/clock.ts";
import { OVERVIEW_TAG } from "../search/routes.ts";
import { readStatistics } from "./queries.ts";
import { StatisticsSchema, viewStatistics } from "./views.ts";

export function registerStatisticsRoute(
  http: Http,
  { db, clock }: { readonly db: Database; readonly clock: Clock },
): void {
  http.read({
    path: "/v1/statistics",
    role: "viewer",
    scope: "read",
    reach: "projects",
    tag: OVERVIEW_TAG,
    operationId: "getStatistics",
    sdk: "overview.getStatistics",
    summary: "Get statistics",
    description:
      "Returns the number of domains now and on past days, of certificates by the week of their expiry, and of deployments by day. Requests to services are not included.",
    query: Body({
      projectId: Type.Optional(
        Id("proj", "Only this project. Domains on past days are counted only for all projects together."),
      ),
      days: Defaulted(
        Type.Integer({
          minimum: 1,
          maximum: 366,
          default: 30,
          description: "How many days of domains and deployments, up to today.",
        }),
      ),
    }),
    response: StatisticsSchema,
    handle: async ({ actor, query }) => {
      const { days, projectId = null } = query;
      return viewStatistics(await readStatistics(db, actor, { days, projectId }, clock.now()));
    },
  });
}
