/**
 * What each page needs from the beginning, by its path in `routes/`: its file, and what its loader and its first
 * rendering read, the most important first. `early.ts` requests them while the program is loading. A read that is
 * missing here is requested later; a read that the page does not need is wasted. `test/console/early.browser.ts` checks
 * each page for both.
 */
type EarlyPage = {
  /** Below `console/app`. */
  readonly file: string;
  /** Addresses of the API, with the parameters of the path. */
  readonly reads?: readonly string[];
};

const ACCOUNTS = "/v1/aws-accounts?limit=50";
const ALL_PROJECTS = "/v1/projects?limit=100";
const ALL_USERS = "/v1/users?limit=100";
const PROJECT = "/v1/projects/$projectId";
const ENVIRONMENTS = "/v1/projects/$projectId/environments?limit=100";
const OF_ENVIRONMENT = "/v1/environments/$environmentId/place";
const SERVICES = "/v1/environments/$environmentId/services?limit=100";
const OF_SERVICE = "/v1/services/$serviceId/place";
const GROUP = "/v1/domain-certificate-groups/$groupId";
const WEBHOOK = "/v1/webhook-endpoints/$endpointId";

export const EARLY_PAGES: Readonly<Record<string, EarlyPage>> = {
  "/projects": { file: "pages/projects.tsx", reads: ["/v1/overview/projects?limit=50"] },
  "/projects/new": { file: "forms/new-project.tsx", reads: ["/v1/aws-accounts?limit=100"] },
  "/projects/$projectId": {
    file: "pages/project.tsx",
    reads: [
      PROJECT,
      "/v1/overview/projects/$projectId",
      "/v1/projects/$projectId/services?limit=100",
      "/v1/overview/deployments?projectId=$projectId&order=desc&limit=5",
    ],
  },
  "/projects/$projectId/members": {
    file: "pages/project-members.tsx",
    reads: [PROJECT, "/v1/projects/$projectId/members?limit=50", ALL_USERS],
  },
  "/projects/$projectId/settings": { file: "pages/project-settings.tsx", reads: [PROJECT, ENVIRONMENTS] },
  "/environments/$environmentId": {
    file: "pages/environment.tsx",
    reads: [
      OF_ENVIRONMENT,
      SERVICES,
      "/v1/overview/deployments?environmentId=$environmentId&order=desc&limit=5",
    ],
  },
  "/environments/$environmentId/graph": {
    file: "pages/environment-graph.tsx",
    reads: [OF_ENVIRONMENT, "/v1/environments/$environmentId/graph"],
  },
  "/environments/$environmentId/protection": {
    file: "forms/environment-protection.tsx",
    reads: [OF_ENVIRONMENT],
  },
  "/environments/$environmentId/variables": {
    file: "pages/environment-variables.tsx",
    reads: [OF_ENVIRONMENT, SERVICES, "/v1/environments/$environmentId/env-variables?limit=100"],
  },
  "/environments/$environmentId/variables/set": {
    file: "forms/set-variable.tsx",
    reads: [OF_ENVIRONMENT, SERVICES, "/v1/environments/$environmentId/env-variables?limit=100"],
  },
  "/environments/$environmentId/variables/import": {
    file: "forms/import-variables.tsx",
    reads: [OF_ENVIRONMENT],
  },
  "/services/$serviceId": {
    file: "pages/service.tsx",
    reads: [
      OF_SERVICE,
      "/v1/services/$serviceId/health",
      "/v1/overview/deployments?serviceId=$serviceId&order=desc&limit=1",
      "/v1/services/$serviceId/domain-certificate-groups?limit=100",
    ],
  },
  "/services/$serviceId/deployments": {
    file: "pages/service-deployments.tsx",
    reads: [OF_SERVICE, "/v1/overview/deployments?limit=50&serviceId=$serviceId&order=desc"],
  },
  "/services/$serviceId/variables": {
    file: "pages/service-variables.tsx",
    reads: [OF_SERVICE, "/v1/services/$serviceId/env-variables?limit=100"],
  },
  "/services/$serviceId/variables/set": {
    file: "forms/set-variable.tsx",
    reads: [OF_SERVICE, "/v1/services/$serviceId/env-variables?limit=100"],
  },
  "/services/$serviceId/variables/import": { file: "forms/import-variables.tsx", reads: [OF_SERVICE] },
  "/services/$serviceId/domains": {
    file: "pages/service-domains.tsx",
    reads: [
      OF_SERVICE,
      "/v1/services/$serviceId/domain-certificate-groups?limit=50",
      "/v1/overview/domains?limit=50&serviceId=$serviceId",
    ],
  },
  "/services/$serviceId/domains/new": {
    file: "forms/new-domains.tsx",
    reads: [OF_SERVICE, "/v1/services/$serviceId/domain-certificate-groups?limit=100"],
  },
  "/services/$serviceId/domains/import": { file: "forms/import-domains.tsx", reads: [OF_SERVICE] },
  "/services/$serviceId/settings": { file: "pages/service-settings.tsx", reads: [OF_SERVICE] },
  "/services/$serviceId/logs": { file: "pages/service-logs.tsx", reads: [OF_SERVICE] },
  "/domains": { file: "pages/domains.tsx", reads: ["/v1/overview/domains?limit=50", ALL_PROJECTS] },
  "/groups/$groupId": {
    file: "pages/group.tsx",
    reads: [GROUP, `${GROUP}/place`, `${GROUP}/domains?limit=50`, `${GROUP}/share-links?limit=50&order=desc`],
  },
  "/deployments": {
    file: "pages/deployments.tsx",
    reads: ["/v1/overview/deployments?limit=50&order=desc", ALL_PROJECTS],
  },
  "/deployments/$deploymentId": {
    file: "pages/deployment.tsx",
    reads: ["/v1/deployments/$deploymentId", "/v1/deployments/$deploymentId/place", ALL_USERS],
  },
  "/accounts": { file: "pages/accounts.tsx", reads: [ACCOUNTS] },
  "/accounts/new": { file: "forms/new-account.tsx" },
  "/accounts/$accountId": {
    file: "pages/account.tsx",
    reads: ["/v1/aws-accounts/$accountId", ALL_PROJECTS],
  },
  "/git-integrations": { file: "pages/git.tsx", reads: ["/v1/git-integrations?limit=50"] },
  "/git-integrations/new": { file: "forms/new-git.tsx" },
  "/git-integrations/$integrationId": {
    file: "pages/git-integration.tsx",
    reads: ["/v1/git-integrations/$integrationId", ALL_PROJECTS],
  },
  "/webhooks": { file: "pages/webhooks.tsx", reads: ["/v1/webhook-endpoints?limit=50"] },
  "/webhooks/new": { file: "forms/new-webhook.tsx", reads: [ALL_PROJECTS] },
  "/webhooks/$endpointId": {
    file: "pages/webhook.tsx",
    reads: [WEBHOOK, `${WEBHOOK}/deliveries?limit=50&order=desc`],
  },
  "/webhooks/$endpointId/edit": { file: "forms/edit-webhook.tsx", reads: [WEBHOOK, ALL_PROJECTS] },
  "/webhooks/$endpointId/deliveries/$deliveryId": {
    file: "pages/delivery.tsx",
    reads: [WEBHOOK, `${WEBHOOK}/deliveries/$deliveryId`],
  },
  "/users": {
    file: "pages/users.tsx",
    reads: ["/v1/users?limit=50&kind=person", "/v1/users?limit=50&kind=service"],
  },
  "/users/new": { file: "forms/new-user.tsx" },
  "/users/$userId": {
    file: "pages/user.tsx",
    reads: [
      "/v1/users/$userId",
      ALL_USERS,
      "/v1/sessions?limit=50&userId=$userId&order=desc",
      "/v1/api-keys?limit=50",
    ],
  },
  "/api-keys": { file: "pages/api-keys.tsx", reads: ["/v1/api-keys?limit=50", ALL_USERS, ALL_PROJECTS] },
  "/api-keys/new": { file: "forms/new-api-key.tsx", reads: [ALL_USERS, ALL_PROJECTS] },
  "/workload-trusts": {
    file: "pages/workload-trusts.tsx",
    reads: ["/v1/workload-trusts?limit=50", ALL_USERS],
  },
  "/workload-trusts/new": {
    file: "forms/new-workload-trust.tsx",
    reads: ["/v1/users?limit=100&kind=service", ALL_PROJECTS],
  },
  "/workload-trusts/$trustId": {
    file: "pages/workload-trust.tsx",
    reads: ["/v1/workload-trusts/$trustId", ALL_PROJECTS],
  },
  "/sessions": { file: "pages/sessions.tsx" },
  "/audit": { file: "pages/audit.tsx", reads: ["/v1/audit-entries?limit=50&order=desc", ALL_USERS] },
  "/settings": { file: "pages/settings.tsx", reads: ["/v1/organization", "/v1/admin/health"] },
};
