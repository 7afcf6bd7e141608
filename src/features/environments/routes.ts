import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body } from "../../http/schemas.ts";
import { listDefaultDistributionHosts } from "../distributions/commands.ts";
import { getEnvironment, getService, listServices } from "../projects/queries.ts";
import { findPendingRedeploys } from "../variables/effective/pending-redeploy.ts";
import { PROJECTS_TAG as tag } from "../projects/routes.ts";
import { ServiceSchema, viewService } from "../projects/views.ts";
import { showService } from "./show-service.ts";

/** Reads of services, with the hosts of their default distributions. */
export function registerServiceRoutes(http: Http, { db }: { readonly db: Database }): void {
  http.read({
    path: "/v1/environments/:environmentId/services",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "listServices",
    summary: "List the services of an environment",
    query: Body(PAGE_QUERY),
    response: ListOf("services", ServiceSchema),
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const { id } = await getEnvironment(db, actor.organizationId, params.environmentId);
      const rows = await listServices(db, actor.organizationId, id, page);
      const { items, nextCursor } = makePage(rows, page, (service) => service.id);
      const ids = items.map((service) => service.id);
      const [hosts, pending] = await Promise.all([
        listDefaultDistributionHosts(db, actor.organizationId, ids),
        findPendingRedeploys(db, actor.organizationId, ids),
      ]);
      return {
        services: items.map((service) =>
          viewService(service, {
            cdnDomainName: hosts.get(service.id) ?? null,
            pendingRedeploy: pending.get(service.id) ?? null,
          }),
        ),
        nextCursor,
      };
    },
  });

  http.read({
    path: "/v1/services/:serviceId",
    role: "viewer",
    scope: "read",
    tag,
    summary: "Get a service",
    response: ServiceSchema,
    watch: ({ body }) => [body.id, body.environmentId],
    handle: async ({ actor, params }) =>
      await showService(db, await getService(db, actor.organizationId, params.serviceId)),
  });
}
