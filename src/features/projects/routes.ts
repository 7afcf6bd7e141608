import { Type } from "typebox";
import type { Database, Transaction } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, EXAMPLE_IDS } from "../../http/schemas.ts";
import type { Actor } from "../../lib/actor.ts";
import { visibleTo } from "../../lib/access.ts";
import { lockProject } from "./commands.ts";
import { getEnvironment, getProject, getProjectDetails, listProjects } from "./queries.ts";
import { environments } from "./store.ts";
import { EnvironmentSchema, ProjectSchema, viewEnvironment, viewProject } from "./views.ts";

export const PROJECTS_TAG: Tag = {
  name: "Projects",
  description:
    "Repositories that are deployed to a cloud account, with the environments and services of their configuration.",
};

const READ = { role: "viewer", scope: "read", tag: PROJECTS_TAG } as const;

/** The parameter of lists that can be limited to a project. */
export const OF_PROJECT = Type.Optional(
  Type.String({ maxLength: 100, description: "Only of this project.", examples: [EXAMPLE_IDS.proj] }),
);

/** For changes of a project: holds it until the transaction ends. */
export const LOCKED_PROJECT = {
  lock: async ({ tx, actor, params }: { tx: Transaction; actor: Actor; params: { projectId: string } }) =>
    void (await lockProject(tx, actor.organizationId, params.projectId)),
};

/** Reads of projects and environments. Their changes are in the features above. */
export function registerProjectReadRoutes(http: Http, { db }: { readonly db: Database }): void {
  http.read({
    path: "/v1/projects",
    ...READ,
    reach: "projects",
    summary: "List projects",
    query: Body(PAGE_QUERY),
    response: ListOf("projects", ProjectSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await listProjects(db, actor.organizationId, page, visibleTo(actor));
      const { items, nextCursor } = makePage(rows, page, (project) => project.id);
      return { projects: items.map(viewProject), nextCursor };
    },
  });

  http.read({
    path: "/v1/projects/:projectId",
    ...READ,
    summary: "Get a project",
    response: ProjectSchema,
    watch: ({ params }) => [params.projectId],
    handle: async ({ sql, actor, params }) =>
      viewProject(await getProjectDetails(sql, actor.organizationId, params.projectId)),
  });

  http.read({
    path: "/v1/projects/:projectId/environments",
    ...READ,
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
    ...READ,
    summary: "Get an environment",
    response: EnvironmentSchema,
    watch: ({ params }) => [params.environmentId],
    handle: async ({ sql, actor, params }) =>
      viewEnvironment(await getEnvironment(sql, actor.organizationId, params.environmentId)),
  });
}
