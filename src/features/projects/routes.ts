import type { FastifyInstance } from "fastify";
import type { Platform } from "../../cloud/platform.ts";
import type { Database } from "../../db/database.ts";
import { findDefaultDistributionHost, listDefaultDistributionHosts } from "../distributions/commands.ts";
import type { Git } from "../../git/git.ts";
import type { Http } from "../../http/http.ts";
import type { Precondition } from "../../http/requests/precondition.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { changeProject } from "../project-changes/change/change-project.ts";
import { getEnvironment, getProject, getProjectDetails, getService } from "./queries.ts";
import { createConfigurationParser } from "../configuration/configuration.ts";
import { CONFIGURATION_SCHEMA } from "../configuration/configuration-schema.ts";
import { createProject } from "../project-changes/create/create-project.ts";
import { abandonProject, deleteProject } from "../project-changes/delete/delete-project.ts";
import { findNewProjectFaults, NewProjectBody } from "../project-changes/create/new-project.ts";
import { listRefusals, planChange } from "../project-changes/change/plan-change.ts";
import { ProjectPlanSchema, viewPlan } from "../project-changes/change/plan-views.ts";
import { prepareChange } from "../project-changes/change/prepare-change.ts";
import { findProjectChangeFaults, ProjectChangeBody } from "../project-changes/change/project-change.ts";
import { prepareProject } from "../project-changes/create/prepare-project.ts";
import { environments, projects, services } from "./store.ts";
import {
  AbandonedProjectSchema,
  EnvironmentSchema,
  ProjectSchema,
  ServiceSchema,
  viewAbandonedProject,
  viewEnvironment,
  viewProject,
  viewService,
} from "./views.ts";

const tag: Tag = {
  name: "Projects",
  description:
    "Repositories that are deployed to a cloud account, and the environments and services that their configuration describes.",
};

/** For PATCH and DELETE. */
const precondition: Precondition<"/v1/projects/:projectId"> = {
  lock: async ({ tx, actor, params }) =>
    void (await projects.lock(tx, actor.organizationId, params.projectId)),
};

export function registerProjectRoutes(
  http: Http,
  deps: { db: Database; git: Git; atRest: AtRestSealing; jobs: Jobs; platform: Platform | null },
): void {
  const { db, jobs, platform } = deps;
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
    handle: async ({ sql, actor, params }) =>
      viewProject(await getProjectDetails(sql, actor.organizationId, params.projectId)),
  });

  http.write({
    method: "PATCH",
    path: "/v1/projects/:projectId",
    precondition,
    role: "developer",
    tag,
    summary: "Change a project",
    description:
      "What is left out stays. `config` brings environments and services to what it says at once: new ones are created, those that it no longer has are removed, from the cloud in the background; what runs gets changed settings with its next deployment. With `iac` environments and services follow with the deployments. A repository may move within its provider and host; access to it is checked as for a new project. Refused while a deployment is under way (but for `name`), and where the configuration cannot be applied; `POST …/plan` with the same body says so before.",
    body: ProjectChangeBody,
    findFaults: (body) => findProjectChangeFaults(body, parseConfiguration),
    responses: { 200: ProjectSchema },
    prepare: ({ actor, params, body }) =>
      prepareChange({ ...deps, parseConfiguration }, actor, params.projectId, body, false),
    commit: async ({ tx, actor, prepared }) => ({
      status: 200,
      body: viewProject(await changeProject(tx, jobs, actor, prepared)),
    }),
  });

  http.write({
    method: "POST",
    path: "/v1/projects/:projectId/plan",
    role: "developer",
    tag,
    summary: "Plan a change of a project",
    description:
      "Takes the body of PATCH, changes nothing, and answers what that would change, and everything that stands in its way. With an empty body it compares the project with its present configuration.",
    body: ProjectChangeBody,
    findFaults: (body) => findProjectChangeFaults(body, parseConfiguration),
    responses: { 200: ProjectPlanSchema },
    prepare: ({ actor, params, body }) =>
      prepareChange({ ...deps, parseConfiguration }, actor, params.projectId, body, true),
    commit: async ({ tx, prepared }) => {
      const plan = await planChange(tx, prepared);
      return { status: 200, body: viewPlan(prepared, plan, await listRefusals(tx, prepared, plan)) };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/projects/:projectId",
    precondition,
    role: "developer",
    tag,
    summary: "Delete a project",
    description:
      "Its environments, services, variables and deployments are gone at once. What it has in the cloud account is removed in the background; until that is done the project is `DELETING`, and then it answers 404. One that has nothing there is gone at once (204). Refused while a service has domain certificate groups, and while the account does not work, which `leftInAccount` then says more of.",
    responses: { 202: ProjectSchema, 204: null },
    commit: async ({ tx, actor, params }) => {
      const project = await deleteProject(tx, { jobs, platform }, actor, params.projectId);
      if (project === null) return { status: 204 };
      return { status: 202, location: `/v1/projects/${project.id}`, body: viewProject(project) };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/projects/:projectId/abandon",
    role: "developer",
    tag,
    summary: "Delete a project whose cloud account does not come back",
    description:
      "For an account that is `DISCONNECTED` or lacks permissions, where a deletion cannot end: the project, its domain certificate groups and all the rest of it are gone at once, and the answer names what stays behind in the account.",
    responses: { 200: AbandonedProjectSchema },
    commit: async ({ tx, actor, params }) => ({
      status: 200,
      body: viewAbandonedProject(await abandonProject(tx, platform, actor, params.projectId)),
    }),
  });

  http.read({
    path: "/v1/projects/:projectId/environments",
    role: "viewer",
    tag,
    operationId: "listEnvironments",
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
    operationId: "listServices",
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
