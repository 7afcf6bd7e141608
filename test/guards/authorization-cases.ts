import type { Role, Scope } from "../../src/lib/actor.ts";
import { CONFIG } from "../helpers/customers/scenario.ts";

/** What an organization has: one of each resource, by the name that paths give its id. */
export type Resources = Readonly<Record<string, string>>;

type Case = {
  readonly role: Role;
  readonly scope: Scope;
  /** What it is about, unless its path names a resource of a project. */
  readonly reach?: "projects" | "organization";
  /** A body that the route accepts, with every text that leads to a resource. */
  readonly body?: (own: Resources) => object;
  /** Only its user and admins see what it is about; others are answered as if there were nothing. */
  readonly isPersonal?: true;
  /** A query that the route needs. */
  readonly query?: (own: Resources) => Readonly<Record<string, string>>;
};

/** A receiver of webhooks at an address where nothing listens: a delivery fails at once. */
export const RECEIVER_URL = "http://127.0.0.1:9/";

/** A commit that no repository has. */
const COMMIT = "9fceb02d0ae598e95dc970b74767f19372d61af8";

/** The demo repository of the sandbox. */
export const REPO_URL = "https://git.sandbox.test/demo.git";

const variables = (own: Resources) => ({
  plainText: { GREETING: "hello" },
  fromService: { LINKED: { id: own["serviceId"], value: "url" } },
});

/** Add a line here for each new route. */
export const CASES: Readonly<Record<string, Case>> = {
  "GET /v1/me": { role: "viewer", scope: "read", reach: "organization" },
  "GET /v1/me/permissions": {
    role: "viewer",
    scope: "read",
    reach: "projects",
    query: (own) => ({ projectId: own["projectId"] ?? "", environmentId: own["environmentId"] ?? "" }),
  },
  "GET /v1/organization": { role: "viewer", scope: "read", reach: "organization" },
  "PATCH /v1/organization": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: () => ({ name: "Renamed" }),
  },
  "GET /v1/organization/branding": { role: "viewer", scope: "read", reach: "organization" },
  "PATCH /v1/organization/branding": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: () => ({ name: "Branded" }),
  },
  "GET /v1/users": { role: "viewer", scope: "read", reach: "organization" },
  "POST /v1/users": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: () => ({ email: "new@example.com", role: "viewer" }),
  },
  "GET /v1/users/{userId}": { role: "viewer", scope: "read", reach: "organization" },
  "PATCH /v1/users/{userId}": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: () => ({ name: "Renamed" }),
  },
  "DELETE /v1/users/{userId}": { role: "admin", scope: "admin", reach: "organization" },
  "GET /v1/api-keys": { role: "admin", scope: "admin", reach: "organization" },
  "POST /v1/api-keys": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: (own) => ({ name: "new", userId: own["userId"], projectIds: [own["projectId"]] }),
  },
  "GET /v1/api-keys/{apiKeyId}": { role: "admin", scope: "admin", reach: "organization" },
  "DELETE /v1/api-keys/{apiKeyId}": { role: "admin", scope: "admin", reach: "organization" },
  "GET /v1/sessions": { role: "viewer", scope: "read", reach: "organization" },
  "POST /v1/sessions": { role: "viewer", scope: "read", reach: "organization" },
  "GET /v1/sessions/{sessionId}": {
    role: "viewer",
    scope: "read",
    reach: "organization",
    isPersonal: true,
  },
  "DELETE /v1/sessions/{sessionId}": { role: "viewer", scope: "read", reach: "organization" },
  "GET /v1/workload-trusts": { role: "admin", scope: "admin", reach: "organization" },
  "POST /v1/workload-trusts": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: (own) => ({
      name: "another",
      userId: own["serviceUserId"],
      issuer: "https://issuer.example",
      audience: "slipway",
      conditions: { sub: "another" },
      scopes: ["deploy"],
      projectIds: [own["projectId"]],
    }),
  },
  "GET /v1/workload-trusts/{workloadTrustId}": { role: "admin", scope: "admin", reach: "organization" },
  "DELETE /v1/workload-trusts/{workloadTrustId}": { role: "admin", scope: "admin", reach: "organization" },
  "GET /v1/admin/sign-in-providers": { role: "admin", scope: "admin", reach: "organization" },
  "GET /v1/admin/health": { role: "admin", scope: "admin", reach: "organization" },
  "GET /v1/admin/own-server": { role: "admin", scope: "admin", reach: "organization" },
  "GET /v1/audit-entries": { role: "admin", scope: "admin", reach: "organization" },
  "GET /v1/events": { role: "viewer", scope: "read", reach: "projects" },
  "GET /v1/overview/projects/{projectId}": { role: "viewer", scope: "read" },
  "GET /v1/overview/projects": { role: "viewer", scope: "read", reach: "projects" },
  "GET /v1/overview/deployments": { role: "viewer", scope: "read", reach: "projects" },
  "GET /v1/overview/domains": { role: "viewer", scope: "read", reach: "projects" },
  "GET /v1/statistics": { role: "viewer", scope: "read", reach: "projects" },
  "GET /v1/search": {
    role: "viewer",
    scope: "read",
    reach: "projects",
    query: (own) => ({ q: own["projectId"] ?? "" }),
  },
  "GET /v1/aws-accounts": { role: "viewer", scope: "read", reach: "organization" },
  "POST /v1/aws-accounts": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: () => ({ givenId: "another" }),
  },
  "GET /v1/aws-accounts/{awsAccountId}": { role: "viewer", scope: "read", reach: "organization" },
  "PATCH /v1/aws-accounts/{awsAccountId}": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: () => ({ name: "Renamed" }),
  },
  "DELETE /v1/aws-accounts/{awsAccountId}": { role: "admin", scope: "admin", reach: "organization" },
  "POST /v1/aws-accounts/{awsAccountId}/abandon": { role: "admin", scope: "admin", reach: "organization" },
  "POST /v1/aws-accounts/{awsAccountId}/unbind": { role: "admin", scope: "admin", reach: "organization" },
  "POST /v1/aws-accounts/{awsAccountId}/check": { role: "admin", scope: "admin", reach: "organization" },
  "GET /v1/git-integrations": { role: "developer", scope: "admin", reach: "organization" },
  "POST /v1/git-integrations": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: () => ({ provider: "provider_b", token: "any" }),
  },
  "GET /v1/git-integrations/{gitIntegrationId}": { role: "developer", scope: "admin", reach: "organization" },
  "PATCH /v1/git-integrations/{gitIntegrationId}": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: () => ({ token: "another" }),
  },
  "POST /v1/git-integrations/{gitIntegrationId}/check": {
    role: "admin",
    scope: "admin",
    reach: "organization",
  },
  "GET /v1/git-integrations/{gitIntegrationId}/repositories": {
    role: "developer",
    scope: "admin",
    reach: "organization",
  },
  "GET /v1/git-integrations/{gitIntegrationId}/branches": {
    role: "developer",
    scope: "admin",
    reach: "organization",
    query: () => ({ repoUrl: REPO_URL }),
  },
  "GET /v1/git-integrations/{gitIntegrationId}/detection": {
    role: "developer",
    scope: "admin",
    reach: "organization",
    query: () => ({ repoUrl: REPO_URL, branch: "main" }),
  },
  "POST /v1/git-integrations/{gitIntegrationId}/hook-secret": {
    role: "admin",
    scope: "admin",
    reach: "organization",
  },
  "GET /v1/git-integrations/{gitIntegrationId}/deliveries": {
    role: "admin",
    scope: "admin",
    reach: "organization",
  },
  "DELETE /v1/git-integrations/{gitIntegrationId}": { role: "admin", scope: "admin", reach: "organization" },
  "GET /v1/projects": { role: "viewer", scope: "read", reach: "projects" },
  "POST /v1/projects": {
    role: "developer",
    scope: "admin",
    reach: "organization",
    body: (own) => ({
      name: "another",
      repoUrl: REPO_URL,
      awsAccountId: own["awsAccountId"],
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config: CONFIG,
    }),
  },
  "GET /v1/projects/{projectId}": { role: "viewer", scope: "read" },
  "PATCH /v1/projects/{projectId}": { role: "developer", scope: "admin", body: () => ({ name: "Renamed" }) },
  "POST /v1/configurations/import": {
    role: "developer",
    scope: "admin",
    reach: "organization",
    body: () => ({ flightcontrol: JSON.stringify(CONFIG) }),
  },
  "POST /v1/projects/{projectId}/plan": {
    role: "developer",
    scope: "admin",
    body: () => ({ name: "Renamed" }),
  },
  "DELETE /v1/projects/{projectId}": { role: "developer", scope: "admin" },
  "POST /v1/projects/{projectId}/abandon": { role: "developer", scope: "admin" },
  "GET /v1/projects/{projectId}/members": { role: "viewer", scope: "read" },
  "GET /v1/projects/{projectId}/members/{userId}": { role: "viewer", scope: "read" },
  "PUT /v1/projects/{projectId}/members/{userId}": {
    role: "admin",
    scope: "admin",
    body: () => ({ role: "viewer" }),
  },
  "DELETE /v1/projects/{projectId}/members/{userId}": { role: "admin", scope: "admin" },
  "PUT /v1/projects/{projectId}/access": {
    role: "admin",
    scope: "admin",
    body: () => ({ access: "organization" }),
  },
  "PATCH /v1/environments/{environmentId}": {
    role: "admin",
    scope: "admin",
    body: () => ({ protection: { deployers: "developer" } }),
  },
  "GET /v1/projects/{projectId}/branches": { role: "viewer", scope: "read" },
  "GET /v1/projects/{projectId}/commits": {
    role: "viewer",
    scope: "read",
    query: () => ({ branch: "main" }),
  },
  "GET /v1/projects/{projectId}/services": { role: "viewer", scope: "read" },
  "GET /v1/projects/{projectId}/environments": { role: "viewer", scope: "read" },
  "GET /v1/environments/{environmentId}": { role: "viewer", scope: "read" },
  "GET /v1/environments/{environmentId}/place": { role: "viewer", scope: "read" },
  "GET /v1/environments/{environmentId}/drift": { role: "viewer", scope: "read" },
  "GET /v1/environments/{environmentId}/graph": { role: "viewer", scope: "read" },
  "GET /v1/environments/{environmentId}/services": { role: "viewer", scope: "read" },
  "GET /v1/services": {
    role: "viewer",
    scope: "read",
    reach: "projects",
    query: (own) => ({ projectId: own["projectId"] ?? "" }),
  },
  "GET /v1/services/{serviceId}": { role: "viewer", scope: "read" },
  "GET /v1/services/{serviceId}/place": { role: "viewer", scope: "read" },
  "GET /v1/services/{serviceId}/health": { role: "viewer", scope: "read" },
  "GET /v1/services/{serviceId}/traffic": { role: "viewer", scope: "read" },
  "GET /v1/services/{serviceId}/logs": { role: "viewer", scope: "read" },
  "GET /v1/deployments": { role: "viewer", scope: "read", reach: "projects" },
  "POST /v1/deployments": {
    role: "developer",
    scope: "deploy",
    reach: "projects",
    body: (own) => ({
      repoUrl: REPO_URL,
      filter: { projectId: own["projectId"], environmentId: own["environmentId"] },
    }),
  },
  "GET /v1/deployments/{deploymentId}/place": { role: "viewer", scope: "read" },
  "GET /v1/deployments/{deploymentId}": { role: "viewer", scope: "read" },
  "GET /v1/deployments/{deploymentId}/changes": { role: "viewer", scope: "read" },
  "GET /v1/deployments/{deploymentId}/rollback-plan": { role: "viewer", scope: "read" },
  "GET /v1/deployments/{deploymentId}/logs": { role: "viewer", scope: "read" },
  "POST /v1/deployments/{deploymentId}/cancel": { role: "developer", scope: "deploy" },
  "POST /v1/deployments/{deploymentId}/approve": {
    role: "developer",
    scope: "deploy",
    body: (own) => ({ environmentId: own["environmentId"] }),
  },
  "POST /v1/deployments/{deploymentId}/reject": {
    role: "developer",
    scope: "deploy",
    body: (own) => ({ environmentId: own["environmentId"] }),
  },
  "POST /v1/deployments/{deploymentId}/redeploy": { role: "developer", scope: "deploy" },
  "POST /v1/deployments/{deploymentId}/rollback": { role: "developer", scope: "deploy" },
  "GET /v1/previews": {
    role: "viewer",
    scope: "read",
    reach: "projects",
    query: (own) => ({ projectId: own["projectId"] ?? "" }),
  },
  "GET /v1/previews/entry": {
    role: "viewer",
    scope: "read",
    reach: "projects",
    query: (own) => ({ url: `https://${own["previewHost"]}/`, state: "a".repeat(22) }),
  },
  "POST /v1/environments/{environmentId}/preview-bypass": {
    role: "developer",
    scope: "deploy",
  },
  "GET /v1/previews/orphans": {
    role: "viewer",
    scope: "read",
    reach: "projects",
    query: (own) => ({ projectId: own["projectId"] ?? "" }),
  },
  "GET /v1/previews/{previewId}": { role: "viewer", scope: "read" },
  "POST /v1/previews/{previewId}/approve": {
    role: "developer",
    scope: "deploy",
    body: () => ({ commitHash: COMMIT }),
  },
  "DELETE /v1/previews/{previewId}": { role: "developer", scope: "deploy" },
  "GET /v1/projects/{projectId}/pull-requests": { role: "viewer", scope: "read" },
  "GET /v1/projects/{projectId}/preview-domains": { role: "viewer", scope: "read" },
  "GET /v1/projects/{projectId}/previews/{previewKey}": { role: "viewer", scope: "read" },
  "PUT /v1/projects/{projectId}/previews/{previewKey}": {
    role: "developer",
    scope: "deploy",
    body: (own) => ({ environmentId: own["templateId"] }),
  },
  "GET /v1/services/{serviceId}/domain-certificate-groups": { role: "viewer", scope: "read" },
  "POST /v1/services/{serviceId}/domain-certificate-groups": {
    role: "developer",
    scope: "domains",
    body: () => ({ domains: ["www.another.example.com"] }),
  },
  "GET /v1/domain-certificate-groups/{domainGroupId}/place": { role: "viewer", scope: "read" },
  "GET /v1/domain-certificate-groups/{domainGroupId}": { role: "viewer", scope: "read" },
  "PATCH /v1/domain-certificate-groups/{domainGroupId}": {
    role: "developer",
    scope: "domains",
    body: () => ({ autoDns: false }),
  },
  "DELETE /v1/domain-certificate-groups/{domainGroupId}": { role: "developer", scope: "domains" },
  "GET /v1/domain-certificate-groups/{domainGroupId}/domains": { role: "viewer", scope: "read" },
  "POST /v1/domain-certificate-groups/{domainGroupId}/domains": {
    role: "developer",
    scope: "domains",
    body: () => ({ domains: ["api.another.example.com"] }),
  },
  "DELETE /v1/domain-certificate-groups/{domainGroupId}/domains/{managedDomainId}": {
    role: "developer",
    scope: "domains",
  },
  "POST /v1/domain-certificate-groups/{domainGroupId}/abandon": { role: "developer", scope: "domains" },
  "POST /v1/domain-certificate-groups/{domainGroupId}/retry-attachment": {
    role: "developer",
    scope: "domains",
  },
  "GET /v1/domain-certificate-groups/{domainGroupId}/share-links": { role: "viewer", scope: "read" },
  "POST /v1/domain-certificate-groups/{domainGroupId}/share-links": {
    role: "developer",
    scope: "domains",
    body: () => ({ expiresInDays: 1 }),
  },
  "GET /v1/domain-certificate-groups/{domainGroupId}/share-links/{shareLinkId}": {
    role: "viewer",
    scope: "read",
  },
  "PATCH /v1/domain-certificate-groups/{domainGroupId}/share-links/{shareLinkId}": {
    role: "developer",
    scope: "domains",
    body: () => ({ domains: ["www.own.example.com"] }),
  },
  "DELETE /v1/domain-certificate-groups/{domainGroupId}/share-links/{shareLinkId}": {
    role: "developer",
    scope: "domains",
  },
  "POST /v1/services/{serviceId}/domains/import": {
    role: "developer",
    scope: "domains",
    body: () => ({ domains: ["imported.another.example.com"] }),
  },
  "GET /v1/projects/{projectId}/dns-records": { role: "viewer", scope: "read" },
  "GET /v1/domains": { role: "viewer", scope: "read", reach: "projects" },
  "GET /v1/domains/{domainId}": { role: "viewer", scope: "read" },
  "GET /v1/domains/{domainId}/timeline": { role: "viewer", scope: "read" },
  "PATCH /v1/domains/{domainId}": {
    role: "developer",
    scope: "domains",
    body: () => ({ redirectTo: null }),
  },
  "POST /v1/domains/{domainId}/check": { role: "developer", scope: "domains" },
  "POST /v1/domains/{domainId}/domain-connect": { role: "developer", scope: "domains", body: () => ({}) },
  "POST /v1/domains/{domainId}/domain-connect/return": {
    role: "developer",
    scope: "domains",
    body: () => ({ state: "a-state-that-nobody-has" }),
  },
  "GET /v1/environments/{environmentId}/env-variables": { role: "viewer", scope: "read" },
  "POST /v1/environments/{environmentId}/env-variables": {
    role: "developer",
    scope: "variables",
    body: variables,
  },
  "GET /v1/environments/{environmentId}/env-variables/status": {
    role: "viewer",
    scope: "read",
    query: (own) => ({ runId: own["runIdOfEnvironment"] ?? "" }),
  },
  "GET /v1/environments/{environmentId}/env-variables/{name}": { role: "viewer", scope: "read" },
  "DELETE /v1/environments/{environmentId}/env-variables/{name}": { role: "developer", scope: "variables" },
  "PUT /v1/environments/{environmentId}/env-variables": {
    role: "developer",
    scope: "variables",
    body: variables,
  },
  "DELETE /v1/environments/{environmentId}/env-variables": {
    role: "developer",
    scope: "variables",
    query: (own) => ({ names: own["name"] ?? "" }),
  },
  "GET /v1/environments/{environmentId}/env-variables/{name}/history": { role: "viewer", scope: "read" },
  "POST /v1/environments/{environmentId}/env-variables/{name}/restore": {
    role: "developer",
    scope: "variables",
    body: (own) => ({ version: own["versionOfEnvironment"] }),
  },
  "GET /v1/services/{serviceId}/env-variables": { role: "viewer", scope: "read" },
  "POST /v1/services/{serviceId}/env-variables": {
    role: "developer",
    scope: "variables",
    body: variables,
  },
  "GET /v1/services/{serviceId}/env-variables/status": {
    role: "viewer",
    scope: "read",
    query: (own) => ({ runId: own["runIdOfService"] ?? "" }),
  },
  "GET /v1/services/{serviceId}/env-variables/{name}": { role: "viewer", scope: "read" },
  "DELETE /v1/services/{serviceId}/env-variables/{name}": { role: "developer", scope: "variables" },
  "PUT /v1/services/{serviceId}/env-variables": { role: "developer", scope: "variables", body: variables },
  "DELETE /v1/services/{serviceId}/env-variables": {
    role: "developer",
    scope: "variables",
    query: (own) => ({ names: own["name"] ?? "" }),
  },
  "GET /v1/services/{serviceId}/env-variables/{name}/history": { role: "viewer", scope: "read" },
  "POST /v1/services/{serviceId}/env-variables/{name}/restore": {
    role: "developer",
    scope: "variables",
    body: (own) => ({ version: own["versionOfService"] }),
  },
  "GET /v1/services/{serviceId}/env-variables/effective": { role: "viewer", scope: "read" },
  "GET /v1/webhook-endpoints": { role: "admin", scope: "admin", reach: "organization" },
  "POST /v1/webhook-endpoints": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: (own) => ({
      url: RECEIVER_URL,
      types: ["api_key.*"],
      projectId: own["projectId"],
      environmentId: own["environmentId"],
    }),
  },
  "GET /v1/webhook-endpoints/{webhookEndpointId}": { role: "admin", scope: "admin", reach: "organization" },
  "PATCH /v1/webhook-endpoints/{webhookEndpointId}": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: (own) => ({ projectId: own["projectId"], environmentId: own["environmentId"] }),
  },
  "DELETE /v1/webhook-endpoints/{webhookEndpointId}": {
    role: "admin",
    scope: "admin",
    reach: "organization",
  },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/enable": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: () => ({}),
  },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/disable": {
    role: "admin",
    scope: "admin",
    reach: "organization",
  },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/rotate-secret": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: () => ({}),
  },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/revoke-previous-secret": {
    role: "admin",
    scope: "admin",
    reach: "organization",
  },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/ping": {
    role: "admin",
    scope: "admin",
    reach: "organization",
  },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/replay": {
    role: "admin",
    scope: "admin",
    reach: "organization",
    body: () => ({}),
  },
  "GET /v1/webhook-endpoints/{webhookEndpointId}/deliveries": {
    role: "admin",
    scope: "admin",
    reach: "organization",
  },
  "GET /v1/webhook-endpoints/{webhookEndpointId}/deliveries/{deliveryId}": {
    role: "admin",
    scope: "admin",
    reach: "organization",
  },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/deliveries/{deliveryId}/redeliver": {
    role: "admin",
    scope: "admin",
    reach: "organization",
  },
};

/**
 * Texts of a request that lead to a resource, and which resources' texts are tried there: path parameters by
 * name, query parameters as `?name`, texts of a body by their pointer. Each text that the OpenAPI document has
 * must be listed here or below; the test fails for a new text until a developer lists it.
 */
export const REFERENCES: Readonly<Record<string, readonly string[]>> = {
  userId: ["userId"],
  apiKeyId: ["apiKeyId"],
  sessionId: ["sessionId"],
  workloadTrustId: ["workloadTrustId"],
  awsAccountId: ["awsAccountId", "givenId"],
  gitIntegrationId: ["gitIntegrationId"],
  projectId: ["projectId"],
  environmentId: ["environmentId"],
  serviceId: ["serviceId"],
  deploymentId: ["deploymentId"],
  previewId: ["previewId"],
  domainGroupId: ["domainGroupId"],
  domainId: ["domainId"],
  managedDomainId: ["domainId"],
  shareLinkId: ["shareLinkId"],
  name: ["name"],
  webhookEndpointId: ["webhookEndpointId"],
  deliveryId: ["deliveryId"],
  "?q": [
    "projectId",
    "environmentId",
    "serviceId",
    "domainId",
    "domainGroupId",
    "deploymentId",
    "awsAccountId",
  ],
  "?resourceId": ["projectId", "userId", "awsAccountId", "domainGroupId"],
  "?subjectId": ["projectId", "userId", "awsAccountId", "domainGroupId"],
  "?projectId": ["projectId"],
  "?environmentId": ["environmentId"],
  "?serviceId": ["serviceId"],
  "?with": ["deploymentId"],
  "?userId": ["userId"],
  "?names": ["name"],
  "?runId": ["runIdOfEnvironment", "runIdOfService"],
  "/userId": ["userId"],
  "/projectIds/*": ["projectId"],
  "/projectId": ["projectId"],
  "/environmentId": ["environmentId"],
  "/awsAccountId": ["awsAccountId", "givenId"],
  "/filter/projectId": ["projectId"],
  "/filter/environmentId": ["environmentId"],
  "/fromService/*/id": ["serviceId"],
  "/version": ["versionOfEnvironment", "versionOfService"],
};

/** Texts that lead to no resource, or whose resource other tests check for its organization (`?cursor`, `/repoUrl`). */
export const FREE_TEXTS: readonly string[] = [
  "previewKey",
  "?action",
  "?after",
  "?branch",
  "?cursor",
  "?from",
  "?groupColumn",
  "?name",
  "?namePrefix",
  "?region",
  "?repoUrl",
  "?search",
  // A state is of the browser. The host in `url` is looked for in what the caller sees: `test/api/preview-access.test.ts`.
  "?state",
  "?to",
  "?types",
  "?url",
  "/accentColor",
  "/audience",
  "/branch",
  "/comment",
  "/commit",
  "/commitHash",
  "/csv",
  "/flightcontrol",
  // Of the way back from a DNS provider: a state that is not the caller's is none.
  "/error",
  "/state",
  "/conditions/*",
  // An object, or null.
  "/protection/approval",
  "/description",
  "/from",
  "/headers",
  "/logo",
  "/maxPerSecond",
  "/until",
  "/codeSource/host",
  "/config/$schema",
  "/config/envVariables/*",
  "/config/environments/*/envVariables/*",
  "/config/environments/*/id",
  "/config/environments/*/name",
  "/config/environments/*/region",
  "/config/environments/*/services/*",
  "/config/environments/*/source/branch",
  "/config/environments/*/source/filter/fromBranches/*",
  "/config/environments/*/source/filter/labels/*",
  "/config/environments/*/source/filter/toBranches/*",
  "/config/environments/*/source/filter/watchPaths/*",
  "/config/environments/*/source/previews/domain",
  "/configFileBranch",
  "/configFilePath",
  "/redirectTo",
  "/domains/*",
  "/email",
  "/expectedAwsAccountId",
  "/expiresAt",
  "/delete/*",
  "/fromParameterStore/*",
  "/fromSecretsManager/*",
  "/fromService/*/value",
  "/gitLogin",
  "/givenId",
  "/host",
  "/issuer",
  "/name",
  "/parameterStore/*",
  "/plainText/*",
  "/repoUrl",
  "/secretsManager/*",
  "/token",
  "/types/*",
  "/url",
  "?type",
];

/** What only the installation's first organization may ask, because it is about the whole installation. */
export const OPERATOR_ROUTES: readonly string[] = [
  "GET /v1/admin/health",
  "GET /v1/admin/own-server",
  "GET /v1/admin/sign-in-providers",
];

/** Reads that still know what was deleted, and so answer it in another way than what never was. */
export const REMEMBERED: readonly string[] = [
  "GET /v1/audit-entries",
  "GET /v1/events",
  "GET /v1/environments/{environmentId}/env-variables/{name}/history",
  "GET /v1/services/{serviceId}/env-variables/{name}/history",
];

/** What anyone may ask of the documented routes. */
export const OPEN_ROUTES = [
  "GET /auth/oidc",
  "GET /healthz",
  "GET /metrics",
  "GET /readyz",
  "POST /v1/auth/workload-token",
  "POST /v1/git-hooks/{provider}",
];
