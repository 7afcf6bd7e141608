import type { FastifyInstance } from "fastify";
import type { Database } from "../db/database.ts";
import { findDefaultDistributionHost, listDefaultDistributionHosts } from "../distributions/commands.ts";
import type { Git } from "../git/git.ts";
import type { Http } from "../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../http/paging.ts";
import { Body } from "../http/schemas.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { AtRestSealing } from "../sealing/at-rest.ts";
import { getEnvironment, getProject, getService } from "./commands.ts";
import { createConfigurationParser } from "./configuration.ts";
import { CONFIGURATION_SCHEMA } from "./configuration-schema.ts";
import { createProject } from "./create-project.ts";
import { deleteProject } from "./delete-project.ts";
import { findNewProjectFaults, NewProjectBody } from "./new-project.ts";
import { prepareProject } from "./prepare-project.ts";
import { environments, projects, services } from "./store.ts";
import {
  EnvironmentSchema,
  ProjectSchema,
  ServiceSchema,
  viewEnvironment,
  viewProject,
  viewService,
} from "./views.ts";

const tag = "Projects";

export function registerProjectRoutes(
  http: Http,
  deps: { db: Database; git: Git; atRest: AtRestSealing; jobs: Jobs },
): void {
  const { db, jobs } = deps;
  const parseConfiguration = createConfigurationParser();

  http.write({
    method: "POST",
    path: "/v1/projects",
    role: "developer",
    tag,
    summary: "Create a project",
    description:
      "Creates its environments and services from the configuration. Needs a connected cloud account, a git integration that reads the repository, and that the API key's user may read it.",
    body: NewProjectBody,
    findFaults: (body) => findNewProjectFaults(body, parseConfiguration),
    responses: { 201: ProjectSchema },
    prepare: ({ actor, body }) => prepareProject({ ...deps, parseConfiguration }, actor, body),
    commit: async ({ tx, actor, prepared }) => {
      const project = await createProject(tx, jobs, actor, prepared);
      return { status: 201, location: `/v1/projects/${project.id}`, body: viewProject(project) };
    },
  });

  http.read({
    path: "/v1/projects",
    role: "viewer",
    tag,
    summary: "List projects",
    query: Body(PAGE_QUERY),
    response: ListOf("projects", ProjectSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await projects.list(db, actor.organizationId, page);
      const { items, nextCursor } = makePage(rows, page, (project) => project.id);
      return { projects: items.map(viewProject), nextCursor };
    },
  });

  http.read({
    path: "/v1/projects/:projectId",
    role: "viewer",
    tag,
    summary: "Get a project",
    response: ProjectSchema,
    watch: ({ params }) => [params.projectId],
    handle: async ({ actor, params }) =>
      viewProject(await getProject(db, actor.organizationId, params.projectId)),
  });

  http.write({
    method: "DELETE",
    path: "/v1/projects/:projectId",
    role: "developer",
    tag,
    summary: "Delete a project",
    description:
      "Deletes its environments, services, variables and deployments. Refused while a service has domain certificate groups. What it has in the cloud account is removed in the background.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteProject(tx, jobs, actor, params.projectId);
      return { status: 204 };
    },
  });

  http.read({
    path: "/v1/projects/:projectId/environments",
    role: "viewer",
    tag,
    summary: "List the environments of a project",
    query: Body(PAGE_QUERY),
    response: ListOf("environments", EnvironmentSchema),
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const { id } = await getProject(db, actor.organizationId, params.projectId);
      const rows = await environments.list(db, actor.organizationId, id, page);
      const { items, nextCursor } = makePage(rows, page, (environment) => environment.id);
      return { environments: items.map(viewEnvironment), nextCursor };
    },
  });

  http.read({
    path: "/v1/environments/:environmentId",
    role: "viewer",
    tag,
    summary: "Get an environment",
    response: EnvironmentSchema,
    watch: ({ params }) => [params.environmentId],
    handle: async ({ actor, params }) =>
      viewEnvironment(await getEnvironment(db, actor.organizationId, params.environmentId)),
  });

  http.read({
    path: "/v1/environments/:environmentId/services",
    role: "viewer",
    tag,
    summary: "List the services of an environment",
    query: Body(PAGE_QUERY),
    response: ListOf("services", ServiceSchema),
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const { id } = await getEnvironment(db, actor.organizationId, params.environmentId);
      const rows = await services.list(db, actor.organizationId, id, page);
      const { items, nextCursor } = makePage(rows, page, (service) => service.id);
      const ids = items.map((service) => service.id);
      const hosts = await listDefaultDistributionHosts(db, actor.organizationId, ids);
      return {
        services: items.map((service) => viewService(service, hosts.get(service.id) ?? null)),
        nextCursor,
      };
    },
  });

  http.read({
    path: "/v1/services/:serviceId",
    role: "viewer",
    tag,
    summary: "Get a service",
    response: ServiceSchema,
    watch: ({ params }) => [params.serviceId],
    handle: async ({ actor, params }) => {
      const { organizationId } = actor;
      const service = await getService(db, organizationId, params.serviceId);
      const host = await findDefaultDistributionHost(db, organizationId, service.id);
      return viewService(service, host);
    },
  });
}

/** Serves the schema to editors and checkers, which send no API key. `publicUrl` has no trailing slash. */
export function registerSchemaRoute(app: FastifyInstance, publicUrl: string): void {
  const { $schema, ...rest } = CONFIGURATION_SCHEMA;
  const text = JSON.stringify({ $schema, $id: `${publicUrl}/schema.json`, ...rest });
  app.get("/schema.json", { schema: { hide: true } }, async (_request, reply) => {
    // Editors in a browser fetch it from another origin.
    reply.header("access-control-allow-origin", "*").header("cache-control", "public, max-age=3600");
    return await reply.type("application/schema+json; charset=utf-8").send(text);
  });
}
