import type { Static } from "typebox";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body } from "../../http/schemas.ts";
import { visibleTo } from "../../lib/access.ts";
import type { Clock } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { DOMAIN_FILTERS, readFilter } from "../custom-domains/domain-routes.ts";
import { tag as domainsTag } from "../custom-domains/group-routes.ts";
import { getGroup, listDomains } from "../custom-domains/queries.ts";
import { getDeployment, listDeployments } from "../deployments/queries.ts";
import { DEPLOYMENT_FILTERS, DEPLOYMENTS_TAG } from "../deployments/routes.ts";
import { showService } from "../environments/show-service.ts";
import { getExecution } from "../executions/queries.ts";
import { EXECUTIONS_TAG } from "../executions/routes.ts";
import { getEnvironment, getProjectDetails, getService, listProjects } from "../projects/queries.ts";
import { PROJECTS_TAG } from "../projects/routes.ts";
import { viewEnvironment, viewProject } from "../projects/views.ts";
import { OVERVIEW_TAG as tag } from "../search/routes.ts";
import { findProjectFacts } from "./queries.ts";
import { rows } from "./store.ts";
import {
  DeploymentRowSchema,
  DomainRowSchema,
  PlaceSchema,
  ProjectRowSchema,
  viewDeploymentRow,
  viewDomainRow,
  viewProjectRow,
} from "./views.ts";

const LIST = { role: "viewer", scope: "read", reach: "projects", tag } as const;

type Place = Static<typeof PlaceSchema>;

/** A place is what a resource is in, for pages that show all of it. */
const PLACE = {
  role: "viewer",
  scope: "read",
  response: PlaceSchema,
  watch: ({ body: { project, environment, service } }: { readonly body: Place }) =>
    [project, environment, service].flatMap((one) => (one === null ? [] : [one.id])),
} as const;

export function registerConsoleListRoutes(
  http: Http,
  { db, clock }: { readonly db: Database; readonly clock: Clock },
): void {
  http.read({
    path: "/v1/overview/projects",
    ...LIST,
    operationId: "listProjectRows",
    summary: "List projects with their environments",
    description:
      "Each project has the state, addresses and last deployment of its environments, and what needs attention. Of an organization's domains that are not served, the first 5,000 are counted.",
    query: Body(PAGE_QUERY),
    response: ListOf("projects", ProjectRowSchema),
    handle: async ({ actor, query }) => {
      const { organizationId } = actor;
      const page = readPage(query);
      const found = await listProjects(db, organizationId, page, visibleTo(actor));
      const { items, nextCursor } = makePage(found, page, ({ id }) => id);
      const projects = await findProjectFacts(db, organizationId, items);
      return { projects: projects.map(viewProjectRow), nextCursor };
    },
  });

  http.read({
    path: "/v1/overview/projects/:projectId",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "getProjectRow",
    summary: "Get a project with its environments",
    description: "Returns the same fields as the list.",
    response: ProjectRowSchema,
    handle: async ({ actor: { organizationId }, params }) => {
      const project = await getProjectDetails(db, organizationId, params.projectId);
      const [row] = await findProjectFacts(db, organizationId, [project]);
      if (row === undefined) throw notFound();
      return viewProjectRow(row);
    },
  });

  http.read({
    path: "/v1/overview/deployments",
    ...LIST,
    operationId: "listDeploymentRows",
    summary: "List deployments with the names of their project and environments",
    query: Body({ ...PAGE_QUERY, ...DEPLOYMENT_FILTERS }),
    response: ListOf("deployments", DeploymentRowSchema),
    handle: async ({ actor, query }) => {
      const { organizationId } = actor;
      const page = readPage(query);
      const found = await listDeployments(db, organizationId, page, query, visibleTo(actor));
      const { items, nextCursor } = makePage(found, page, ({ id }) => id);
      const facts = await rows.ofDeployments(db, organizationId, idsOf(items));
      const deployments = pair(items, facts).map(([one, own]) => viewDeploymentRow(one, own));
      return { deployments, nextCursor };
    },
  });

  http.read({
    path: "/v1/overview/domains",
    ...LIST,
    operationId: "listDomainRows",
    summary: "List domains with their service and who must act next",
    query: Body({ ...PAGE_QUERY, ...DOMAIN_FILTERS }),
    response: ListOf("domains", DomainRowSchema),
    handle: async ({ actor, query }) => {
      const { organizationId } = actor;
      const page = readPage(query);
      const found = await listDomains(db, organizationId, page, readFilter(query), visibleTo(actor));
      const { items, nextCursor } = makePage(found, page, ({ id }) => id);
      const facts = await rows.ofDomains(db, organizationId, idsOf(items));
      const now = clock.now();
      return { domains: pair(items, facts).map(([one, own]) => viewDomainRow(one, own, now)), nextCursor };
    },
  });

  const showProject = async (organizationId: string, id: string) =>
    viewProject(await getProjectDetails(db, organizationId, id));

  const placeOfService = async (organizationId: string, id: string) => {
    const found = await getService(db, organizationId, id);
    const [project, environment, service] = await Promise.all([
      showProject(organizationId, found.projectId),
      getEnvironment(db, organizationId, found.environmentId),
      showService(db, found),
    ]);
    return { project, environment: viewEnvironment(environment), service };
  };

  http.read({
    ...PLACE,
    path: "/v1/environments/:environmentId/place",
    tag: PROJECTS_TAG,
    summary: "Get an environment with its project",
    handle: async ({ actor: { organizationId }, params }) => {
      const environment = await getEnvironment(db, organizationId, params.environmentId);
      const project = await showProject(organizationId, environment.projectId);
      return { project, environment: viewEnvironment(environment), service: null };
    },
  });

  http.read({
    ...PLACE,
    path: "/v1/services/:serviceId/place",
    tag: PROJECTS_TAG,
    summary: "Get a service with its environment and project",
    handle: async ({ actor: { organizationId }, params }) =>
      await placeOfService(organizationId, params.serviceId),
  });

  http.read({
    ...PLACE,
    path: "/v1/domain-certificate-groups/:domainGroupId/place",
    tag: domainsTag,
    summary: "Get the service, environment and project of a group",
    handle: async ({ actor: { organizationId }, params }) => {
      const { serviceId } = await getGroup(db, organizationId, params.domainGroupId);
      return await placeOfService(organizationId, serviceId);
    },
  });

  http.read({
    ...PLACE,
    path: "/v1/executions/:executionId/place",
    tag: EXECUTIONS_TAG,
    summary: "Get the service, environment and project of an execution",
    handle: async ({ actor: { organizationId }, params }) => {
      const { serviceId } = await getExecution(db, organizationId, params.executionId);
      return await placeOfService(organizationId, serviceId);
    },
  });

  http.read({
    ...PLACE,
    path: "/v1/deployments/:deploymentId/place",
    tag: DEPLOYMENTS_TAG,
    summary: "Get the project of a deployment",
    handle: async ({ actor: { organizationId }, params }) => {
      const { projectId } = await getDeployment(db, organizationId, params.deploymentId);
      return { project: await showProject(organizationId, projectId), environment: null, service: null };
    },
  });
}

type Identified = { readonly id: string };

function idsOf(items: readonly Identified[]): readonly string[] {
  return items.map(({ id }) => id);
}

/** Each item with its facts. An item that was deleted meanwhile has none, and is left out. */
function pair<Item extends Identified, Facts extends Identified>(
  items: readonly Item[],
  facts: readonly Facts[],
): readonly (readonly [Item, Facts])[] {
  const byId = new Map(facts.map((one) => [one.id, one]));
  return items.flatMap((item) => {
    const own = byId.get(item.id);
    return own === undefined ? [] : [[item, own] as const];
  });
}
