/**
 * The reads of each page's loader and first rendering, by the path of its route, the most important first: addresses of
 * the API, with the parameters of the path. `early.ts` requests them while the program is loading. A read that is missing
 * here is requested later; a read that the page does not need is wasted. `test/console/early.browser.ts` checks each page
 * for both.
 */
const ACCOUNTS = "/v1/aws-accounts?limit=50";
const ALL_PROJECTS = "/v1/projects?limit=100";
const ALL_KEYS = "/v1/api-keys?limit=100";
const ALL_USERS = "/v1/users?limit=100";
const PROJECT = "/v1/projects/$projectId";
const ENVIRONMENTS = "/v1/projects/$projectId/environments?limit=100";
const OF_ENVIRONMENT = "/v1/environments/$environmentId/place";
const SERVICES = "/v1/environments/$environmentId/services?limit=100";
const OF_SERVICE = "/v1/services/$serviceId/place";
const STATISTICS = "/v1/statistics?days=30";
const GROUP = "/v1/domain-certificate-groups/$groupId";
const OF_GROUP = [GROUP, `${GROUP}/place`, `${GROUP}/domains?limit=50`];
const WEBHOOK = "/v1/webhook-endpoints/$endpointId";

export const EARLY_READS: Readonly<Record<string, readonly string[]>> = {
  "/": [
    "/v1/overview/projects?limit=100",
    "/v1/overview/deployments?order=desc&limit=8",
    "/v1/overview/domains?status=ATTACHED&limit=20",
    STATISTICS,
  ],
  "/projects": ["/v1/overview/projects?limit=50"],
  "/projects/new": ["/v1/aws-accounts?limit=100", "/v1/git-integrations?limit=100"],
  "/projects/$projectId": [
    PROJECT,
    "/v1/overview/projects/$projectId",
    "/v1/projects/$projectId/services?limit=100",
    "/v1/previews?limit=100&projectId=$projectId",
    "/v1/overview/deployments?projectId=$projectId&order=desc&limit=5",
    `${STATISTICS}&projectId=$projectId`,
  ],
  "/projects/$projectId/members": [PROJECT, "/v1/projects/$projectId/members?limit=50", ALL_USERS],
  "/projects/$projectId/settings": [PROJECT, ENVIRONMENTS],
  "/environments/$environmentId": [
    OF_ENVIRONMENT,
    SERVICES,
    "/v1/overview/deployments?environmentId=$environmentId&order=desc&limit=5",
  ],
  "/environments/$environmentId/graph": [OF_ENVIRONMENT, SERVICES, "/v1/environments/$environmentId/graph"],
  "/environments/$environmentId/protection": [OF_ENVIRONMENT, SERVICES],
  "/environments/$environmentId/variables": [
    OF_ENVIRONMENT,
    SERVICES,
    "/v1/environments/$environmentId/env-variables?limit=100",
  ],
  "/environments/$environmentId/variables/set": [
    OF_ENVIRONMENT,
    SERVICES,
    "/v1/environments/$environmentId/env-variables?limit=100",
  ],
  "/environments/$environmentId/variables/import": [OF_ENVIRONMENT, SERVICES],
  "/services/$serviceId": [
    OF_SERVICE,
    "/v1/services/$serviceId/health",
    "/v1/overview/deployments?serviceId=$serviceId&order=desc&limit=1",
    "/v1/services/$serviceId/domain-certificate-groups?limit=100",
  ],
  "/services/$serviceId/deployments": [
    OF_SERVICE,
    "/v1/overview/deployments?limit=50&serviceId=$serviceId&order=desc",
  ],
  "/services/$serviceId/variables": [OF_SERVICE, "/v1/services/$serviceId/env-variables?limit=100"],
  "/services/$serviceId/variables/set": [OF_SERVICE, "/v1/services/$serviceId/env-variables?limit=100"],
  "/services/$serviceId/variables/import": [OF_SERVICE],
  "/services/$serviceId/domains": [
    OF_SERVICE,
    "/v1/services/$serviceId/domain-certificate-groups?limit=50",
    "/v1/overview/domains?limit=50&serviceId=$serviceId",
  ],
  "/services/$serviceId/domains/new": [
    OF_SERVICE,
    "/v1/services/$serviceId/domain-certificate-groups?limit=100",
  ],
  "/services/$serviceId/domains/import": [OF_SERVICE],
  "/services/$serviceId/settings": [OF_SERVICE],
  "/services/$serviceId/logs": [OF_SERVICE],
  "/services/$serviceId/executions": [
    OF_SERVICE,
    "/v1/services/$serviceId/executions?limit=50&order=desc",
    ALL_USERS,
  ],
  "/executions/$executionId": ["/v1/executions/$executionId", "/v1/executions/$executionId/place", ALL_USERS],
  "/snapshots": ["/v1/snapshots?limit=50&order=desc"],
  "/domains": ["/v1/overview/domains?limit=50", STATISTICS, ALL_PROJECTS],
  "/groups/$groupId": OF_GROUP,
  "/groups/$groupId/share": [...OF_GROUP, `${GROUP}/share-links?limit=50&order=desc`],
  "/groups/$groupId/redirects": OF_GROUP,
  "/groups/$groupId/settings": OF_GROUP,
  "/approvals": [
    "/v1/overview/deployments?status=PENDING_APPROVAL&limit=50",
    "/v1/previews?state=WAITING_FOR_APPROVAL&limit=50",
  ],
  "/deployments": ["/v1/overview/deployments?limit=50&order=desc", ALL_PROJECTS, STATISTICS],
  "/deployments/$deploymentId": [
    "/v1/deployments/$deploymentId",
    "/v1/deployments/$deploymentId/place",
    ALL_USERS,
  ],
  "/accounts": [ACCOUNTS],
  "/accounts/server": ["/v1/admin/own-server"],
  "/accounts/$accountId": ["/v1/aws-accounts/$accountId", ALL_PROJECTS],
  "/git-integrations": ["/v1/git-integrations?limit=50"],
  "/git-integrations/$integrationId": [
    "/v1/git-integrations/$integrationId",
    ALL_PROJECTS,
    "/v1/git-integrations/$integrationId/deliveries?limit=50&order=desc",
  ],
  "/webhooks": ["/v1/webhook-endpoints?limit=50"],
  "/webhooks/new": [ALL_PROJECTS],
  "/webhooks/$endpointId": [WEBHOOK, `${WEBHOOK}/deliveries?limit=50&order=desc`],
  "/webhooks/$endpointId/edit": [WEBHOOK, ALL_PROJECTS],
  "/webhooks/$endpointId/deliveries/$deliveryId": [WEBHOOK, `${WEBHOOK}/deliveries/$deliveryId`],
  "/notifications": ["/v1/notification-channels?limit=50"],
  "/notifications/new": [ALL_PROJECTS],
  "/notifications/$channelId": ["/v1/notification-channels/$channelId"],
  "/notifications/$channelId/edit": ["/v1/notification-channels/$channelId", ALL_PROJECTS],
  "/my-notifications": ["/v1/me/notifications", ALL_PROJECTS],
  "/users": [ALL_USERS],
  "/users/service-accounts": [ALL_USERS],
  "/users/$userId": [
    "/v1/users/$userId",
    "/v1/users/$userId/invitation",
    ALL_USERS,
    "/v1/sessions?limit=50&userId=$userId&order=desc",
    ALL_KEYS,
  ],
  "/api-keys": [ALL_KEYS, ALL_USERS, ALL_PROJECTS],
  "/api-keys/new": [ALL_USERS, ALL_PROJECTS],
  "/workload-trusts": ["/v1/workload-trusts?limit=50", ALL_USERS],
  "/workload-trusts/new": ["/v1/users?limit=100&kind=service", ALL_PROJECTS],
  "/workload-trusts/$trustId": ["/v1/workload-trusts/$trustId", ALL_PROJECTS],
  "/audit": ["/v1/audit-entries?limit=50&order=desc", ALL_USERS],
  "/settings": ["/v1/organization", "/v1/organization/branding", "/v1/admin/health"],
};
