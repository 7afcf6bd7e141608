import { Type } from "typebox";
import type { Cloud } from "../../../cloud/cloud.ts";
import type { Database } from "../../../db/database.ts";
import type { Http } from "../../../http/http.ts";
import { Body, Defaulted } from "../../../http/schemas.ts";
import type { Clock } from "../../../lib/clock.ts";
import { PROJECTS_TAG as tag } from "../../projects/routes.ts";
import { getServiceTraffic } from "./service-traffic.ts";
import { ServiceTrafficSchema, viewServiceTraffic } from "./views.ts";

export function registerTrafficRoute(
  http: Http,
  deps: { readonly db: Database; readonly cloud: Cloud; readonly clock: Clock },
): void {
  http.read({
    path: "/v1/services/:serviceId/traffic",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "getServiceTraffic",
    sdk: "services.getTraffic",
    summary: "Get the requests to a service",
    description:
      "How many requests its distributions answered, and how many with an error, as the cloud counted them. The cloud is asked at each request.",
    query: Body({
      hours: Defaulted(
        Type.Integer({
          minimum: 1,
          maximum: 24,
          default: 24,
          description: "How many hours, up to now. A day has steps of 15 minutes, an hour of one.",
        }),
      ),
    }),
    response: ServiceTrafficSchema,
    handle: async ({ actor, params, query }) =>
      viewServiceTraffic(await getServiceTraffic(deps, actor.organizationId, params.serviceId, query.hours)),
  });
}
