import { Type } from "typebox";
import type { Cloud } from "../../cloud/cloud.ts";
import type { Http } from "../../http/http.ts";
import { Body } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { PROJECTS_TAG as tag } from "../projects/routes.ts";
import { invalidate } from "./commands.ts";
import { findPathFaults, PATHS_MAX } from "./paths.ts";
import { getInvalidation } from "./queries.ts";
import { InvalidationSchema, StartedInvalidationSchema, viewInvalidation } from "./views.ts";

const STARTED = "The invalidation has started. Read its status with its id.";
const NOTHING =
  "Nothing caches responses of the service, so there is nothing to remove. The invalidation is complete.";

export function registerInvalidationRoutes(
  http: Http,
  deps: { readonly jobs: Jobs; readonly cloud: Pick<Cloud, "cachesAnswers"> },
): void {
  http.write({
    method: "POST",
    path: "/v1/services/:serviceId/cloudfront/invalidation",
    role: "developer",
    scope: "deploy",
    tag,
    operationId: "invalidateService",
    sdk: "services.invalidate",
    summary: "Remove responses of a service from caches",
    description:
      "Removes responses from the caches of all distributions of the service. Slipway's distributions cache nothing until you set another cache policy in CloudFront. The edges of the sandbox and of own servers never cache: there, the invalidation is complete at once.",
    body: Body({
      paths: Type.Array(Type.String({ minLength: 1, maxLength: 4_000 }), {
        minItems: 1,
        maxItems: PATHS_MAX,
        uniqueItems: true,
        description:
          "Which responses: paths that begin with `/`, with the query if it is part of the cache key. `*` as the last character stands for any text; at most 15 may end so. Characters that URLs do not have are encoded.",
        examples: [["/index.html", "/images/*"]],
      }),
    }),
    findFaults: findPathFaults,
    responses: { 200: StartedInvalidationSchema },
    commit: async ({ tx, actor, params, body }) => {
      const { id, endedAt } = await invalidate(tx, deps, actor, params.serviceId, body.paths);
      return {
        status: 200,
        location: `/v1/cloudfront/invalidation/${id}`,
        body: { message: endedAt === null ? STARTED : NOTHING, invalidationId: id },
      };
    },
  });

  http.read({
    path: "/v1/cloudfront/invalidation/:invalidationId",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "getInvalidation",
    sdk: "services.getInvalidation",
    summary: "Get an invalidation",
    description: "Slipway keeps invalidations for 30 days.",
    response: InvalidationSchema,
    watch: ({ params }) => [params.invalidationId],
    handle: async ({ sql, actor, params }) =>
      viewInvalidation(await getInvalidation(sql, actor.organizationId, params.invalidationId)),
  });
}
