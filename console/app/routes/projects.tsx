/** Projects, and what is in them: environments and services. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { ExecutionStatus } from "../../../sdk/src/generated/types.ts";
import type { SourceSearch } from "../api/new-project.ts";
import { read, readAll, readPages } from "../api/query.ts";
import { readStatistics } from "../api/statistics.ts";
import { readVariableSearch } from "../api/variable-matrix.ts";
import { readVariables } from "../api/variables.ts";
import {
  type Context,
  loadEnvironment,
  loadPlaceOfExecution,
  loadService,
  shell,
  textsOf,
} from "./shell.tsx";

/** What the form of a variable needs: what it is now, and the services that it could be linked to. */
async function loadToSet(
  context: Context,
  scope: { readonly kind: "environment" | "service"; readonly id: string },
  environmentId: string,
): Promise<void> {
  await context.load(readVariables(scope), readAll("services", "list", environmentId, {}));
}

const projects = createRoute({
  getParentRoute: () => shell,
  path: "/projects",
  loader: ({ context }) => context.load(readPages("overview", "listProjects", {})),
  component: lazyRouteComponent(() => import("../pages/projects.tsx"), "ProjectsPage"),
});

const newProject = createRoute({
  getParentRoute: () => shell,
  path: "/projects/new",
  validateSearch: (search: Record<string, unknown>): SourceSearch =>
    textsOf(search, ["account", "git", "repository", "branch"]),
  // A user who may not create a project may not read the integrations either: the page says so.
  loader: async ({ context }) => {
    await Promise.all([
      context.load(readAll("awsAccounts", "list", {})),
      context.load(readAll("gitIntegrations", "list", {})).catch(() => undefined),
    ]);
  },
  component: lazyRouteComponent(() => import("../forms/new-project.tsx"), "NewProjectForm"),
});

const project = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$projectId",
  loader: async ({ context, params: { projectId } }) => {
    context.begin(readStatistics(projectId));
    await context.load(
      read("projects", "get", projectId),
      read("overview", "getProject", projectId),
      readAll("services", "listOfProject", projectId, {}),
      readAll("previews", "list", { projectId }),
    );
  },
  component: lazyRouteComponent(() => import("../pages/project.tsx"), "ProjectPage"),
});

const projectMembers = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$projectId/members",
  loader: ({ context, params }) =>
    context.load(
      read("projects", "get", params.projectId),
      readPages("projects", "listMembers", params.projectId, {}),
      readAll("users", "list", {}),
    ),
  component: lazyRouteComponent(() => import("../pages/project-members.tsx"), "ProjectMembersPage"),
});

const projectSettings = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$projectId/settings",
  loader: ({ context, params }) =>
    context.load(
      read("projects", "get", params.projectId),
      readAll("environments", "list", params.projectId, {}),
    ),
  component: lazyRouteComponent(() => import("../pages/project-settings.tsx"), "ProjectSettingsPage"),
});

const environment = createRoute({
  getParentRoute: () => shell,
  path: "/environments/$environmentId",
  loader: ({ context, params }) => loadEnvironment(context, params.environmentId),
  component: lazyRouteComponent(() => import("../pages/environment.tsx"), "EnvironmentPage"),
});

const environmentGraph = createRoute({
  getParentRoute: () => shell,
  path: "/environments/$environmentId/graph",
  loader: ({ context, params }) =>
    Promise.all([
      loadEnvironment(context, params.environmentId),
      context.load(read("environments", "getGraph", params.environmentId)),
    ]),
  component: lazyRouteComponent(() => import("../pages/environment-graph.tsx"), "EnvironmentGraphPage"),
});

const environmentProtection = createRoute({
  getParentRoute: () => shell,
  path: "/environments/$environmentId/protection",
  loader: ({ context, params }) => loadEnvironment(context, params.environmentId),
  component: lazyRouteComponent(
    () => import("../forms/environment-protection.tsx"),
    "EnvironmentProtectionForm",
  ),
});

const environmentVariables = createRoute({
  getParentRoute: () => shell,
  path: "/environments/$environmentId/variables",
  validateSearch: readVariableSearch,
  loader: ({ context, params }) => loadEnvironment(context, params.environmentId),
  component: lazyRouteComponent(
    () => import("../pages/environment-variables.tsx"),
    "EnvironmentVariablesPage",
  ),
});

const setEnvironmentVariable = createRoute({
  getParentRoute: () => shell,
  path: "/environments/$environmentId/variables/set",
  validateSearch: readVariableSearch,
  loader: ({ context, params: { environmentId } }) =>
    Promise.all([
      loadEnvironment(context, environmentId),
      loadToSet(context, { kind: "environment", id: environmentId }, environmentId),
    ]),
  component: lazyRouteComponent(() => import("../forms/set-variable.tsx"), "SetEnvironmentVariableForm"),
});

const importEnvironmentVariables = createRoute({
  getParentRoute: () => shell,
  path: "/environments/$environmentId/variables/import",
  loader: ({ context, params }) => loadEnvironment(context, params.environmentId),
  component: lazyRouteComponent(
    () => import("../forms/import-variables.tsx"),
    "ImportEnvironmentVariablesForm",
  ),
});

const service = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId",
  loader: ({ context, params: { serviceId } }) =>
    Promise.all([
      loadService(context, serviceId),
      context.load(read("overview", "listDeployments", { serviceId, order: "desc", limit: 1 })),
    ]),
  component: lazyRouteComponent(() => import("../pages/service.tsx"), "ServicePage"),
});

const serviceDeployments = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/deployments",
  loader: ({ context, params }) =>
    Promise.all([
      loadService(context, params.serviceId),
      context.load(readPages("overview", "listDeployments", { serviceId: params.serviceId, order: "desc" })),
    ]),
  component: lazyRouteComponent(() => import("../pages/service-deployments.tsx"), "ServiceDeploymentsPage"),
});

const serviceVariables = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/variables",
  validateSearch: readVariableSearch,
  loader: async ({ context, params: { serviceId } }) => {
    context.begin(readVariables({ kind: "service", id: serviceId }));
    await loadService(context, serviceId);
    const { environmentId } = await context.get(read("services", "get", serviceId));
    context.begin(readVariables({ kind: "environment", id: environmentId }));
  },
  component: lazyRouteComponent(() => import("../pages/service-variables.tsx"), "ServiceVariablesPage"),
});

const setServiceVariable = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/variables/set",
  validateSearch: readVariableSearch,
  loader: async ({ context, params: { serviceId } }) => {
    await loadService(context, serviceId);
    const { environmentId } = await context.get(read("services", "get", serviceId));
    await loadToSet(context, { kind: "service", id: serviceId }, environmentId);
  },
  component: lazyRouteComponent(() => import("../forms/set-variable.tsx"), "SetServiceVariableForm"),
});

const importServiceVariables = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/variables/import",
  loader: ({ context, params }) => loadService(context, params.serviceId),
  component: lazyRouteComponent(() => import("../forms/import-variables.tsx"), "ImportServiceVariablesForm"),
});

const serviceDomains = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/domains",
  loader: ({ context, params }) => loadService(context, params.serviceId),
  component: lazyRouteComponent(() => import("../pages/service-domains.tsx"), "ServiceDomainsPage"),
});

const newDomains = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/domains/new",
  // A group that they are added to.
  validateSearch: (search: Record<string, unknown>): { readonly group?: string } =>
    textsOf(search, ["group"]),
  loader: async ({ context, params }) => {
    await Promise.all([
      loadService(context, params.serviceId),
      context.load(readAll("domainGroups", "list", params.serviceId, {})),
    ]);
  },
  component: lazyRouteComponent(() => import("../forms/new-domains.tsx"), "NewDomainsForm"),
});

const importDomains = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/domains/import",
  loader: ({ context, params }) => loadService(context, params.serviceId),
  component: lazyRouteComponent(() => import("../forms/import-domains.tsx"), "ImportDomainsForm"),
});

const serviceLogs = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/logs",
  validateSearch: ({ line }: Record<string, unknown>): { readonly line?: number } =>
    typeof line === "number" && line > 0 ? { line } : {},
  loader: ({ context, params }) => loadService(context, params.serviceId),
  component: lazyRouteComponent(() => import("../pages/service-logs.tsx"), "ServiceLogsPage"),
});

/** Which executions are shown. */
type ExecutionsSearch = { readonly jobId?: string; readonly status?: ExecutionStatus };

const serviceExecutions = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/executions",
  validateSearch: (search: Record<string, unknown>): ExecutionsSearch => textsOf(search, ["jobId", "status"]),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params: { serviceId }, deps }) =>
    Promise.all([
      loadService(context, serviceId),
      context.load(readPages("executions", "list", serviceId, { order: "desc", ...deps })),
    ]),
  component: lazyRouteComponent(() => import("../pages/service-executions.tsx"), "ServiceExecutionsPage"),
});

const execution = createRoute({
  getParentRoute: () => shell,
  path: "/executions/$executionId",
  validateSearch: ({ line }: Record<string, unknown>): { readonly line?: number } =>
    typeof line === "number" && line > 0 ? { line } : {},
  loader: ({ context, params: { executionId } }) =>
    Promise.all([
      context.load(read("executions", "get", executionId)),
      loadPlaceOfExecution(context, executionId),
    ]),
  component: lazyRouteComponent(() => import("../pages/execution.tsx"), "ExecutionPage"),
});

const snapshots = createRoute({
  getParentRoute: () => shell,
  path: "/snapshots",
  validateSearch: (search: Record<string, unknown>): { readonly projectId?: string } =>
    textsOf(search, ["projectId"]),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => context.load(readPages("snapshots", "listAll", { order: "desc", ...deps })),
  component: lazyRouteComponent(() => import("../pages/snapshots.tsx"), "SnapshotsPage"),
});

const serviceSettings = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/settings",
  loader: ({ context, params }) => loadService(context, params.serviceId),
  component: lazyRouteComponent(() => import("../pages/service-settings.tsx"), "ServiceSettingsPage"),
});

export const PROJECT_ROUTES = [
  projects,
  newProject,
  project,
  projectMembers,
  projectSettings,
  environment,
  environmentGraph,
  environmentProtection,
  environmentVariables,
  setEnvironmentVariable,
  importEnvironmentVariables,
  service,
  serviceDeployments,
  serviceVariables,
  setServiceVariable,
  importServiceVariables,
  serviceDomains,
  newDomains,
  importDomains,
  serviceLogs,
  serviceExecutions,
  execution,
  serviceSettings,
  snapshots,
] as const;
