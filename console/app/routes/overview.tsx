/** What lies across projects: home, domains and deployments. */
import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import type { DeploymentStatus } from "../../../sdk/src/generated/types.ts";
import { HELD, readRights, WAITING_FORKS } from "../api/approvals.ts";
import { type ConnectSearch, endConnect } from "../api/connect-return.ts";
import { readDomainFilter } from "../api/domain-filter.ts";
import { findEntry, type OpenSearch } from "../api/open-preview.ts";
import { read, readAll, readPages } from "../api/query.ts";
import { readStatistics } from "../api/statistics.ts";
import { GUIDE_READS, RECENT_DEPLOYMENTS } from "../components/use-guide.ts";
import { paths } from "../paths.ts";
import { toast } from "../ui/toast.tsx";
import { loadGroup, loadPlaceOfDeployment, shell, textsOf } from "./shell.tsx";

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  beforeLoad: ({ location }) => {
    // Addresses of earlier releases had their path after the hash.
    if (location.hash.startsWith("/")) throw redirect({ to: location.hash, replace: true });
  },
  loader: async ({ context }) => {
    context.begin(GUIDE_READS.accounts, GUIDE_READS.git, GUIDE_READS.domains, readStatistics());
    await context.load(GUIDE_READS.projects, GUIDE_READS.served, RECENT_DEPLOYMENTS);
  },
  component: lazyRouteComponent(() => import("../pages/home.tsx"), "HomePage"),
});

const domains = createRoute({
  getParentRoute: () => shell,
  path: "/domains",
  validateSearch: readDomainFilter,
  loaderDeps: ({ search: { projectId } }) => ({ projectId }),
  loader: ({ context, deps: { projectId } }) => context.begin(readStatistics(projectId)),
  component: lazyRouteComponent(() => import("../pages/domains.tsx"), "DomainsPage"),
});

const group = createRoute({
  getParentRoute: () => shell,
  path: "/groups/$groupId",
  loader: ({ context, params }) => loadGroup(context, params.groupId),
  component: lazyRouteComponent(() => import("../pages/group.tsx"), "GroupPage"),
});

const groupShare = createRoute({
  getParentRoute: () => shell,
  path: "/groups/$groupId/share",
  loader: async ({ context, params }) => {
    context.begin(readPages("domainGroups", "listShareLinks", params.groupId, { order: "desc" }));
    await loadGroup(context, params.groupId);
  },
  component: lazyRouteComponent(() => import("../pages/group-share.tsx"), "GroupSharePage"),
});

const groupRedirects = createRoute({
  getParentRoute: () => shell,
  path: "/groups/$groupId/redirects",
  loader: ({ context, params }) => loadGroup(context, params.groupId),
  component: lazyRouteComponent(() => import("../pages/group-redirects.tsx"), "GroupRedirectsPage"),
});

const groupSettings = createRoute({
  getParentRoute: () => shell,
  path: "/groups/$groupId/settings",
  loader: ({ context, params }) => loadGroup(context, params.groupId),
  component: lazyRouteComponent(() => import("../pages/group-settings.tsx"), "GroupSettingsPage"),
});

/** Where protected previews send browsers, which go back at once. */
const openPreview = createRoute({
  getParentRoute: () => shell,
  path: "/open-preview",
  validateSearch: (search: Record<string, unknown>): OpenSearch => textsOf(search, ["url", "state"]),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => ({ url: await findEntry(deps) }),
  // Its answer is valid for a minute, and for one browser.
  gcTime: 0,
  component: lazyRouteComponent(() => import("../pages/open-preview.tsx"), "OpenPreviewPage"),
});

/** Where a DNS provider leads back to: no page of its own. */
const connected = createRoute({
  getParentRoute: () => shell,
  path: "/domain-connect/$domainId",
  validateSearch: (search: Record<string, unknown>): ConnectSearch => textsOf(search, ["state", "error"]),
  beforeLoad: async ({ context, params: { domainId }, search, preload }) => {
    if (preload) return;
    const { domainCertificateGroupId } = await context.get(read("domains", "get", domainId));
    toast(await endConnect(domainId, search));
    throw redirect({ to: paths.group(domainCertificateGroupId), replace: true });
  },
});

const approvals = createRoute({
  getParentRoute: () => shell,
  path: "/approvals",
  loader: async ({ context }) => {
    context.begin(WAITING_FORKS);
    const { deployments: held } = await context.get(HELD);
    await context.load(WAITING_FORKS);
    await Promise.all(
      held.map(async ({ id, projectId }) => {
        context.begin(
          read("deployments", "compare", id, {}),
          read("projects", "get", projectId),
          readAll("projects", "listMembers", projectId, {}),
        );
        const { approvals: asked } = await context.get(read("deployments", "get", id));
        const waiting = asked.filter(({ status }) => status === "WAITING");
        context.begin(...waiting.map(({ environmentId }) => read("environments", "get", environmentId)));
        await context.load(...waiting.map(({ environmentId }) => readRights(projectId, environmentId)));
      }),
    );
  },
  component: lazyRouteComponent(() => import("../pages/approvals.tsx"), "ApprovalsPage"),
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
  loaderDeps: ({ search: { projectId } }) => ({ projectId }),
  loader: ({ context, deps: { projectId } }) => context.begin(readStatistics(projectId)),
  component: lazyRouteComponent(() => import("../pages/deployments.tsx"), "DeploymentsPage"),
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
  loader: ({ context, params }) =>
    Promise.all([
      context.load(read("deployments", "get", params.deploymentId)),
      loadPlaceOfDeployment(context, params.deploymentId),
    ]),
  component: lazyRouteComponent(() => import("../pages/deployment.tsx"), "DeploymentPage"),
});

export const OVERVIEW_ROUTES = [
  home,
  domains,
  group,
  groupShare,
  groupRedirects,
  groupSettings,
  connected,
  openPreview,
  approvals,
  deployments,
  deployment,
] as const;
