import type { Platform } from "../../../cloud/platform.ts";
import type { Database } from "../../../db/database.ts";
import type { Http } from "../../../http/http.ts";
import { PROJECTS_TAG as tag } from "../../projects/routes.ts";
import { getServiceHealth } from "./service-health.ts";
import { ServiceHealthSchema, viewServiceHealth } from "./views.ts";

export function registerHealthOfServicesRoute(
  http: Http,
  deps: { readonly db: Database; readonly platform: Platform | null },
): void {
  http.read({
    path: "/v1/services/:serviceId/health",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "getServiceHealth",
    sdk: "services.getHealth",
    summary: "Ask how a service does",
    description:
      "Its addresses, its live release, and what the platform says of it now. The platform is asked at each request.",
    response: ServiceHealthSchema,
    handle: async ({ actor, params }) =>
      viewServiceHealth(await getServiceHealth(deps, actor.organizationId, params.serviceId)),
  });
}
