/**
 * Every page: its path, what it reads before it is shown, and the file it is in. A page is loaded with its data when
 * somebody is about to open it. `test/console/every-page.browser.ts` opens each of them.
 */
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { ApiError } from "../../sdk/src/errors.ts";
import type { DeploymentStatus, WebhookDeliveryStatus } from "../../sdk/src/generated/types.ts";
import { readDomainFilter } from "./api/domain-filter.ts";
import { readVariableSearch } from "./api/variable-matrix.ts";
import { readVariables } from "./api/variables.ts";
import { load, type Read, type ReadPages, queryClient, read, readPages } from "./api/query.ts";
import { ErrorPage, NotFoundPage, PendingPage } from "./components/error-page.tsx";
import { Shell } from "./components/shell.tsx";
import { paths } from "./paths.ts";
import { SignInPage } from "./pages/sign-in.tsx";

type Context = {
  /** Reads what a page needs. What is there already, and not old, is not read again. */
  readonly load: (
    ...reads: readonly (Read<unknown> | ReadPages<{ readonly nextCursor: string | null }>)[]
  ) => Promise<void>;
  /** The same for one read whose answer says what else is needed. */
  readonly get: <T>(read: Read<T>) => Promise<T>;
};

/** What every page of an environment shows: its project too. */
async function loadEnvironment({ get, load }: Context, environmentId: string): Promise<void> {
  const { projectId } = await get(read("environments", "get", environmentId));
  await load(read("projects", "get", projectId));
}

/** What every page of a service shows: its environment and its project too. */
async function loadService({ get, load }: Context, serviceId: string): Promise<void> {
  const { projectId, environmentId } = await get(read("services", "get", serviceId));
  await load(read("projects", "get", projectId), read("environments", "get", environmentId));
}

/** What the form of a variable needs: what it is now, and the services that it could be linked to. */
async function loadToSet(
  context: Context,
  scope: { readonly kind: "environment" | "service"; readonly id: string },
  environmentId: string,
): Promise<void> {
  await Promise.all([
    loadEnvironment(context, environmentId),
    context.load(readVariables(scope), read("services", "list", environmentId, { limit: 100 })),
  ]);
}

const root = createRootRouteWithContext<Context>()({ component: Outlet });

/** What an address says of these names, without what is empty. The API refuses what it does not know. */
function textsOf(search: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name];
      // The router reads what looks like a number or a word of JSON as one.
      const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
      return typeof text === "string" && text !== "" ? [[name, text]] : [];
    }),
  );
}

/** Where somebody wanted to go before they had to sign in. */
type SignInSearch = {
  readonly to?: string;
  /** Somebody has just signed in at an identity provider. */
  readonly isDone?: true;
  /** Why an identity provider's sign-in was refused, and where it is in the log. */
  readonly error?: string;
  readonly requestId?: string;
};

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ to, isDone, error, requestId }: Record<string, unknown>): SignInSearch => ({
    ...(typeof to === "string" && /^\/(?![/\\])/.test(to) ? { to } : {}),
    ...(isDone === true ? { isDone } : {}),
    ...(typeof error === "string" && /^[A-Z_]+$/.test(error) ? { error } : {}),
    ...(typeof requestId === "string" ? { requestId } : {}),
  }),
  component: SignInPage,
});

/** All pages but the sign-in: somebody is signed in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(read("me", "get"));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      throw redirect({ to: paths.signIn(), search: { to: location.href } as never });
    }
  },
  component: Shell,
});

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  beforeLoad: ({ location }) => {
    // Addresses of earlier releases had their path after the hash.
    const old = location.hash.startsWith("/") ? location.hash : paths.projects();
    throw redirect({ to: old, replace: true });
  },
});

const projects = createRoute({
  getParentRoute: () => shell,
  path: "/projects",
  loader: ({ context }) => context.load(readPages("overview", "listProjects", {})),
  component: lazyRouteComponent(() => import("./pages/projects.tsx"), "ProjectsPage"),
});

const newProject = createRoute({
  getParentRoute: () => shell,
  path: "/projects/new",
  loader: ({ context }) => context.load(read("awsAccounts", "list", {})),
  component: lazyRouteComponent(() => import("./forms/new-project.tsx"), "NewProjectForm"),
});

const project = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$projectId",
  loader: ({ context, params }) =>
    context.load(
      read("projects", "get", params.projectId),
      read("environments", "list", params.projectId, {}),
    ),
  component: lazyRouteComponent(() => import("./pages/project.tsx"), "ProjectPage"),
});

const projectMembers = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$projectId/members",
  loader: ({ context, params }) =>
    context.load(
      read("projects", "get", params.projectId),
      readPages("projects", "listMembers", params.projectId, {}),
      read("users", "list", { limit: 100 }),
    ),
  component: lazyRouteComponent(() => import("./pages/project-members.tsx"), "ProjectMembersPage"),
});

const projectSettings = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$projectId/settings",
  loader: ({ context, params }) =>
    context.load(
      read("projects", "get", params.projectId),
      read("environments", "list", params.projectId, {}),
    ),
  component: lazyRouteComponent(() => import("./pages/project-settings.tsx"), "ProjectSettingsPage"),
});

const environment = createRoute({
  getParentRoute: () => shell,
  path: "/environments/$environmentId",
  loader: ({ context, params }) =>
    Promise.all([
      loadEnvironment(context, params.environmentId),
      context.load(read("services", "list", params.environmentId, {})),
    ]),
  component: lazyRouteComponent(() => import("./pages/environment.tsx"), "EnvironmentPage"),
});

const environmentProtection = createRoute({
  getParentRoute: () => shell,
  path: "/environments/$environmentId/protection",
  loader: ({ context, params }) => loadEnvironment(context, params.environmentId),
  component: lazyRouteComponent(
    () => import("./forms/environment-protection.tsx"),
    "EnvironmentProtectionForm",
  ),
});

const environmentVariables = createRoute({
  getParentRoute: () => shell,
  path: "/environments/$environmentId/variables",
  validateSearch: readVariableSearch,
  loader: async ({ context, params }) => {
    const services = read("services", "list", params.environmentId, { limit: 100 });
    await Promise.all([loadEnvironment(context, params.environmentId), context.load(services)]);
  },
  component: lazyRouteComponent(
    () => import("./pages/environment-variables.tsx"),
    "EnvironmentVariablesPage",
  ),
});

const setEnvironmentVariable = createRoute({
  getParentRoute: () => shell,
  path: "/environments/$environmentId/variables/set",
  validateSearch: readVariableSearch,
  loader: ({ context, params: { environmentId } }) =>
    loadToSet(context, { kind: "environment", id: environmentId }, environmentId),
  component: lazyRouteComponent(() => import("./forms/set-variable.tsx"), "SetEnvironmentVariableForm"),
});

const importEnvironmentVariables = createRoute({
  getParentRoute: () => shell,
  path: "/environments/$environmentId/variables/import",
  loader: ({ context, params }) => loadEnvironment(context, params.environmentId),
  component: lazyRouteComponent(
    () => import("./forms/import-variables.tsx"),
    "ImportEnvironmentVariablesForm",
  ),
});

const service = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId",
  loader: ({ context, params }) => loadService(context, params.serviceId),
  component: lazyRouteComponent(() => import("./pages/service.tsx"), "ServicePage"),
});

const serviceDeployments = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/deployments",
  loader: ({ context, params }) =>
    Promise.all([
      loadService(context, params.serviceId),
      context.load(readPages("overview", "listDeployments", { serviceId: params.serviceId, order: "desc" })),
    ]),
  component: lazyRouteComponent(() => import("./pages/service-deployments.tsx"), "ServiceDeploymentsPage"),
});

const serviceVariables = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/variables",
  validateSearch: readVariableSearch,
  loader: ({ context, params }) => loadService(context, params.serviceId),
  component: lazyRouteComponent(() => import("./pages/service-variables.tsx"), "ServiceVariablesPage"),
});

const setServiceVariable = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/variables/set",
  validateSearch: readVariableSearch,
  loader: async ({ context, params: { serviceId } }) => {
    const { environmentId } = await context.get(read("services", "get", serviceId));
    await loadToSet(context, { kind: "service", id: serviceId }, environmentId);
  },
  component: lazyRouteComponent(() => import("./forms/set-variable.tsx"), "SetServiceVariableForm"),
});

const importServiceVariables = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/variables/import",
  loader: ({ context, params }) => loadService(context, params.serviceId),
  component: lazyRouteComponent(() => import("./forms/import-variables.tsx"), "ImportServiceVariablesForm"),
});

const serviceDomains = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/domains",
  loader: ({ context, params }) => loadService(context, params.serviceId),
  component: lazyRouteComponent(() => import("./pages/service-domains.tsx"), "ServiceDomainsPage"),
});

const newDomains = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/domains/new",
  loader: async ({ context, params }) => {
    await Promise.all([
      loadService(context, params.serviceId),
      context.load(read("domainGroups", "list", params.serviceId, { limit: 100 })),
    ]);
  },
  component: lazyRouteComponent(() => import("./forms/new-domains.tsx"), "NewDomainsForm"),
});

const serviceLogs = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceId/logs",
  validateSearch: ({ line }: Record<string, unknown>): { readonly line?: number } =>
    typeof line === "number" && line > 0 ? { line } : {},
  loader: ({ context, params }) => loadService(context, params.serviceId),
  component: lazyRouteComponent(() => import("./pages/service-logs.tsx"), "ServiceLogsPage"),
});

const domains = createRoute({
  getParentRoute: () => shell,
  path: "/domains",
  validateSearch: readDomainFilter,
  component: lazyRouteComponent(() => import("./pages/domains.tsx"), "DomainsPage"),
});

const group = createRoute({
  getParentRoute: () => shell,
  path: "/groups/$groupId",
  loader: async ({ context, params }) => {
    const { serviceId } = await context.get(read("domainGroups", "get", params.groupId));
    await loadService(context, serviceId);
  },
  component: lazyRouteComponent(() => import("./pages/group.tsx"), "GroupPage"),
});

/** Which deployments are shown. */
type DeploymentsSearch = {
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly branch?: string;
  readonly status?: DeploymentStatus;
};

const deployments = createRoute({
  getParentRoute: () => shell,
  path: "/deployments",
  validateSearch: (search: Record<string, unknown>): DeploymentsSearch =>
    textsOf(search, ["projectId", "environmentId", "branch", "status"]),
  component: lazyRouteComponent(() => import("./pages/deployments.tsx"), "DeploymentsPage"),
});

/** Which line of which service's log is shown, and which deployment is beside it. */
type DeploymentSearch = { readonly line?: number; readonly service?: string; readonly with?: string };

const deployment = createRoute({
  getParentRoute: () => shell,
  path: "/deployments/$deploymentId",
  validateSearch: ({ line, service, with: other }: Record<string, unknown>): DeploymentSearch => ({
    ...(Number.isInteger(Number(line)) && Number(line) > 0 ? { line: Number(line) } : {}),
    ...(typeof service === "string" ? { service } : {}),
    ...(typeof other === "string" ? { with: other } : {}),
  }),
  loader: async ({ context, params }) => {
    const { projectId } = await context.get(read("deployments", "get", params.deploymentId));
    await context.load(read("projects", "get", projectId));
  },
  component: lazyRouteComponent(() => import("./pages/deployment.tsx"), "DeploymentPage"),
});

const accounts = createRoute({
  getParentRoute: () => shell,
  path: "/accounts",
  loader: ({ context }) => context.load(readPages("awsAccounts", "list", {})),
  component: lazyRouteComponent(() => import("./pages/accounts.tsx"), "AccountsPage"),
});

const newAccount = createRoute({
  getParentRoute: () => shell,
  path: "/accounts/new",
  component: lazyRouteComponent(() => import("./forms/new-account.tsx"), "NewAccountForm"),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: "/accounts/$accountId",
  loader: ({ context, params }) => context.load(read("awsAccounts", "get", params.accountId)),
  component: lazyRouteComponent(() => import("./pages/account.tsx"), "AccountPage"),
});

const git = createRoute({
  getParentRoute: () => shell,
  path: "/git-integrations",
  component: lazyRouteComponent(() => import("./pages/git.tsx"), "GitPage"),
});

const newGit = createRoute({
  getParentRoute: () => shell,
  path: "/git-integrations/new",
  component: lazyRouteComponent(() => import("./forms/new-git.tsx"), "NewGitForm"),
});

const gitIntegration = createRoute({
  getParentRoute: () => shell,
  path: "/git-integrations/$integrationId",
  loader: ({ context, params }) => context.load(read("gitIntegrations", "get", params.integrationId)),
  component: lazyRouteComponent(() => import("./pages/git-integration.tsx"), "GitIntegrationPage"),
});

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("./pages/webhooks.tsx"), "WebhooksPage"),
});

const newWebhook = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/new",
  loader: ({ context }) => context.load(read("projects", "list", { limit: 100 })),
  component: lazyRouteComponent(() => import("./forms/new-webhook.tsx"), "NewWebhookForm"),
});

/** Which deliveries of a webhook are shown. */
type DeliveriesSearch = { readonly status?: WebhookDeliveryStatus; readonly type?: string };
const DELIVERY_STATUSES: readonly unknown[] = ["PENDING", "DELIVERED", "FAILED"];

const webhook = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/$endpointId",
  validateSearch: ({ status, type }: Record<string, unknown>): DeliveriesSearch => ({
    ...(DELIVERY_STATUSES.includes(status) ? { status: status as WebhookDeliveryStatus } : {}),
    ...(typeof type === "string" && type !== "" ? { type } : {}),
  }),
  loader: ({ context, params }) => context.load(read("webhookEndpoints", "get", params.endpointId)),
  component: lazyRouteComponent(() => import("./pages/webhook.tsx"), "WebhookPage"),
});

const editWebhook = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/$endpointId/edit",
  loader: ({ context, params }) =>
    context.load(
      read("webhookEndpoints", "get", params.endpointId),
      read("projects", "list", { limit: 100 }),
    ),
  component: lazyRouteComponent(() => import("./forms/edit-webhook.tsx"), "EditWebhookForm"),
});

const delivery = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/$endpointId/deliveries/$deliveryId",
  loader: ({ context, params }) =>
    context.load(
      read("webhookEndpoints", "get", params.endpointId),
      read("webhookEndpoints", "getDelivery", params.endpointId, params.deliveryId),
    ),
  component: lazyRouteComponent(() => import("./pages/delivery.tsx"), "DeliveryPage"),
});

const users = createRoute({
  getParentRoute: () => shell,
  path: "/users",
  component: lazyRouteComponent(() => import("./pages/users.tsx"), "UsersPage"),
});

const newUser = createRoute({
  getParentRoute: () => shell,
  path: "/users/new",
  component: lazyRouteComponent(() => import("./forms/new-user.tsx"), "NewUserForm"),
});

const user = createRoute({
  getParentRoute: () => shell,
  path: "/users/$userId",
  loader: ({ context, params }) =>
    context.load(read("users", "get", params.userId), read("users", "list", { limit: 100 })),
  component: lazyRouteComponent(() => import("./pages/user.tsx"), "UserPage"),
});

const keys = createRoute({
  getParentRoute: () => shell,
  path: "/api-keys",
  component: lazyRouteComponent(() => import("./pages/api-keys.tsx"), "ApiKeysPage"),
});

const newKey = createRoute({
  getParentRoute: () => shell,
  path: "/api-keys/new",
  loader: ({ context }) =>
    context.load(read("users", "list", { limit: 100 }), read("projects", "list", { limit: 100 })),
  component: lazyRouteComponent(() => import("./forms/new-api-key.tsx"), "NewApiKeyForm"),
});

const sessions = createRoute({
  getParentRoute: () => shell,
  path: "/sessions",
  component: lazyRouteComponent(() => import("./pages/sessions.tsx"), "SessionsPage"),
});

/** Which entries of the audit are shown. Days are as in `2026-11-01`. */
type AuditSearch = {
  readonly userId?: string;
  readonly action?: string;
  readonly resourceId?: string;
  readonly from?: string;
  readonly to?: string;
};

const audit = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: (search: Record<string, unknown>): AuditSearch =>
    textsOf(search, ["userId", "action", "resourceId", "from", "to"]),
  component: lazyRouteComponent(() => import("./pages/audit.tsx"), "AuditPage"),
});

const settings = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/settings.tsx"), "SettingsPage"),
});

const pages = [
  home,
  projects,
  newProject,
  project,
  projectMembers,
  projectSettings,
  environment,
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
  serviceLogs,
  domains,
  group,
  deployments,
  deployment,
  accounts,
  newAccount,
  account,
  git,
  newGit,
  gitIntegration,
  webhooks,
  newWebhook,
  webhook,
  editWebhook,
  delivery,
  users,
  newUser,
  user,
  keys,
  newKey,
  sessions,
  audit,
  settings,
] as const;

export const router = createRouter({
  routeTree: root.addChildren([signIn, shell.addChildren(pages)]),
  basepath: "/console",
  context: {
    load: async (...reads) => await load(queryClient, reads),
    get: async (one) => await queryClient.ensureQueryData(one),
  },
  defaultPreload: "intent",
  // The query cache knows what is old.
  defaultPreloadStaleTime: 0,
  defaultStaleTime: 0,
  defaultPendingComponent: PendingPage,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- it is merged with the package's own
  interface Register {
    router: typeof router;
  }
}
