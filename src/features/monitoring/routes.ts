import { Type } from "typebox";
import type { Http } from "../../http/http.ts";
import { Body, Defaulted } from "../../http/schemas.ts";
import { PROJECTS_TAG as tag } from "../projects/routes.ts";
import { getServiceHealth, getServiceTraffic, type MonitoringDeps } from "./queries.ts";
import { ServiceHealthSchema, ServiceTrafficSchema, viewServiceHealth, viewServiceTraffic } from "./views.ts";

const READ = { role: "viewer", scope: "read", tag } as const;

export function registerMonitoringRoutes(http: Http, deps: MonitoringDeps): void {
  http.read({
    path: "/v1/services/:serviceId/health",
    ...READ,
    summary: "Get the health of a service",
    description:
      "Returns the service's addresses, its live release, and its health as the platform reports it now. The platform is asked at each request.",
    response: ServiceHealthSchema,
    handle: async ({ actor, params }) =>
      viewServiceHealth(await getServiceHealth(deps, actor.organizationId, params.serviceId)),
  });

  http.read({
    path: "/v1/services/:serviceId/traffic",
    ...READ,
    summary: "Get the traffic of a service",
    description:
      "Returns how many requests the service's distributions answered, and how many of them with an error, as the cloud counted them. The cloud is asked at each request.",
    query: Body({
      hours: Defaulted(
        Type.Integer({
          minimum: 1,
          maximum: 24,
          default: 24,
          description:
            "The number of hours up to now. A day has steps of 15 minutes, an hour has steps of one minute.",
        }),
      ),
    }),
    response: ServiceTrafficSchema,
    handle: async ({ actor, params, query }) =>
      viewServiceTraffic(await getServiceTraffic(deps, actor.organizationId, params.serviceId, query.hours)),
  });
}
