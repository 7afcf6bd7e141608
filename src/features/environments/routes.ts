import { Type } from "typebox";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body } from "../../http/schemas.ts";
import { visibleTo } from "../../lib/access.ts";
import {
  getEnvironment,
  getProject,
  getService,
  listAllServices,
  listProjectServices,
  listServices,
} from "../projects/queries.ts";
import { OF_PROJECT, PROJECTS_TAG as tag } from "../projects/routes.ts";
import { EnvironmentTypeSchema, ServiceSchema, ServiceTypeSchema } from "../projects/views.ts";
import { showService, showServices } from "./show-service.ts";

const READ = { role: "viewer", scope: "read", tag } as const;

/** Reads of services, with the hosts of their default distributions. */
export function registerServiceRoutes(http: Http, { db }: { readonly db: Database }): void {
  http.read({
    path: "/v1/services",
    ...READ,
    reach: "projects",
    operationId: "listAllServices",
    sdk: "services.listAll",
    summary: "List services",
    description: "Lists the services of all projects that the caller may see.",
    query: Body({
      ...PAGE_QUERY,
      projectId: OF_PROJECT,
      type: Type.Optional(ServiceTypeSchema),
      environmentType: Type.Optional(EnvironmentTypeSchema),
    }),
    response: ListOf("services", ServiceSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const { organizationId } = actor;
      const rows = await listAllServices(db, organizationId, page, query, visibleTo(actor));
      const { items, nextCursor } = makePage(rows, page, (service) => service.id);
      return { services: await showServices(db, organizationId, items), nextCursor };
    },
  });

  http.read({
    path: "/v1/environments/:environmentId/services",
    ...READ,
    operationId: "listServices",
    summary: "List the services of an environment",
    query: Body(PAGE_QUERY),
    response: ListOf("services", ServiceSchema),
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const { id } = await getEnvironment(db, actor.organizationId, params.environmentId);
      const rows = await listServices(db, actor.organizationId, id, page);
      const { items, nextCursor } = makePage(rows, page, (service) => service.id);
      return { services: await showServices(db, actor.organizationId, items), nextCursor };
    },
  });

  http.read({
    path: "/v1/projects/:projectId/services",
    ...READ,
    sdk: "services.listOfProject",
    summary: "List the services of a project",
    description: "Lists the services of all its environments.",
    query: Body(PAGE_QUERY),
    response: ListOf("services", ServiceSchema),
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const { id } = await getProject(db, actor.organizationId, params.projectId);
      const rows = await listProjectServices(db, actor.organizationId, id, page);
      const { items, nextCursor } = makePage(rows, page, (service) => service.id);
      return { services: await showServices(db, actor.organizationId, items), nextCursor };
    },
  });

  http.read({
    path: "/v1/services/:serviceId",
    ...READ,
    summary: "Get a service",
    response: ServiceSchema,
    watch: ({ body }) => [body.id, body.environmentId],
    handle: async ({ actor, params }) =>
      await showService(db, await getService(db, actor.organizationId, params.serviceId)),
  });
}
