import type { Role } from "../../src/lib/actor.ts";
import { CONFIG } from "../helpers/customers/scenario.ts";

/** What an organization has: one of each resource, by the name that paths give its id. */
export type Resources = Readonly<Record<string, string>>;

type Case = {
  readonly role: Role;
  /** A body that the route accepts, with every text that leads to a resource. */
  readonly body?: (own: Resources) => object;
  /** A query that the route needs. */
  readonly query?: (own: Resources) => Readonly<Record<string, string>>;
};

/** A receiver of webhooks: nobody listens there, so what is sent there fails at once. */
export const RECEIVER_URL = "http://127.0.0.1:9/";

/** The demo repository of the sandbox. */
export const REPO_URL = "https://git.sandbox.test/demo.git";

const variables = (own: Resources) => ({
  plainText: { GREETING: "hello" },
  fromService: { LINKED: { id: own["serviceId"], value: "url" } },
});

/** Add a line here for each new route. */
export const CASES: Readonly<Record<string, Case>> = {
  "GET /v1/me": { role: "viewer" },
  "GET /v1/users": { role: "viewer" },
  "POST /v1/users": { role: "admin", body: () => ({ email: "new@example.com", role: "viewer" }) },
  "GET /v1/users/{userId}": { role: "viewer" },
  "PATCH /v1/users/{userId}": { role: "admin", body: () => ({ name: "Renamed" }) },
  "DELETE /v1/users/{userId}": { role: "admin" },
  "GET /v1/api-keys": { role: "admin" },
  "POST /v1/api-keys": {
    role: "admin",
    body: (own) => ({ name: "new", userId: own["userId"] }),
  },
  "GET /v1/api-keys/{apiKeyId}": { role: "admin" },
  "DELETE /v1/api-keys/{apiKeyId}": { role: "admin" },
  "GET /v1/admin/health": { role: "admin" },
  "GET /v1/audit-entries": { role: "admin" },
  "GET /v1/events": { role: "viewer" },
  "GET /v1/search": { role: "viewer", query: (own) => ({ q: own["projectId"] ?? "" }) },
  "GET /v1/aws-accounts": { role: "viewer" },
  "POST /v1/aws-accounts": { role: "admin", body: () => ({ givenId: "another" }) },
  "GET /v1/aws-accounts/{awsAccountId}": { role: "viewer" },
  "PATCH /v1/aws-accounts/{awsAccountId}": { role: "admin", body: () => ({ name: "Renamed" }) },
  "DELETE /v1/aws-accounts/{awsAccountId}": { role: "admin" },
  "POST /v1/aws-accounts/{awsAccountId}/abandon": { role: "admin" },
  "POST /v1/aws-accounts/{awsAccountId}/unbind": { role: "admin" },
  "POST /v1/aws-accounts/{awsAccountId}/check": { role: "admin" },
  "GET /v1/git-integrations": { role: "admin" },
  "POST /v1/git-integrations": { role: "admin", body: () => ({ provider: "provider_b", token: "any" }) },
  "GET /v1/git-integrations/{gitIntegrationId}": { role: "admin" },
  "PATCH /v1/git-integrations/{gitIntegrationId}": { role: "admin", body: () => ({ token: "another" }) },
  "POST /v1/git-integrations/{gitIntegrationId}/hook-secret": { role: "admin" },
  "DELETE /v1/git-integrations/{gitIntegrationId}": { role: "admin" },
  "GET /v1/projects": { role: "viewer" },
  "POST /v1/projects": {
    role: "developer",
    body: (own) => ({
      name: "another",
      repoUrl: REPO_URL,
      awsAccountId: own["awsAccountId"],
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config: CONFIG,
    }),
  },
  "GET /v1/projects/{projectId}": { role: "viewer" },
  "PATCH /v1/projects/{projectId}": { role: "developer", body: () => ({ name: "Renamed" }) },
  "POST /v1/projects/{projectId}/plan": { role: "developer", body: () => ({ name: "Renamed" }) },
  "DELETE /v1/projects/{projectId}": { role: "developer" },
  "POST /v1/projects/{projectId}/abandon": { role: "developer" },
  "GET /v1/projects/{projectId}/environments": { role: "viewer" },
  "GET /v1/environments/{environmentId}": { role: "viewer" },
  "GET /v1/environments/{environmentId}/services": { role: "viewer" },
  "GET /v1/services/{serviceId}": { role: "viewer" },
  "GET /v1/deployments": { role: "viewer" },
  "POST /v1/deployments": {
    role: "developer",
    body: (own) => ({ repoUrl: REPO_URL, filter: { projectId: own["projectId"] } }),
  },
  "GET /v1/deployments/{deploymentId}": { role: "viewer" },
  "GET /v1/deployments/{deploymentId}/logs": { role: "viewer" },
  "POST /v1/deployments/{deploymentId}/cancel": { role: "developer" },
  "POST /v1/deployments/{deploymentId}/rollback": { role: "developer" },
  "GET /v1/services/{serviceId}/domain-certificate-groups": { role: "viewer" },
  "POST /v1/services/{serviceId}/domain-certificate-groups": {
    role: "developer",
    body: () => ({ domains: ["www.another.example.com"] }),
  },
  "GET /v1/domain-certificate-groups/{domainGroupId}": { role: "viewer" },
  "DELETE /v1/domain-certificate-groups/{domainGroupId}": { role: "developer" },
  "GET /v1/domain-certificate-groups/{domainGroupId}/domains": { role: "viewer" },
  "POST /v1/domain-certificate-groups/{domainGroupId}/domains": {
    role: "developer",
    body: () => ({ domains: ["api.another.example.com"] }),
  },
  "DELETE /v1/domain-certificate-groups/{domainGroupId}/domains/{managedDomainId}": { role: "developer" },
  "POST /v1/domain-certificate-groups/{domainGroupId}/abandon": { role: "developer" },
  "POST /v1/domain-certificate-groups/{domainGroupId}/retry-attachment": { role: "developer" },
  "GET /v1/domains": { role: "viewer" },
  "GET /v1/domains/{domainId}": { role: "viewer" },
  "POST /v1/domains/{domainId}/check": { role: "developer" },
  "GET /v1/environments/{environmentId}/env-variables": { role: "viewer" },
  "POST /v1/environments/{environmentId}/env-variables": {
    role: "developer",
    body: variables,
  },
  "GET /v1/environments/{environmentId}/env-variables/status": {
    role: "viewer",
    query: (own) => ({ runId: own["runIdOfEnvironment"] ?? "" }),
  },
  "GET /v1/environments/{environmentId}/env-variables/{name}": { role: "viewer" },
  "DELETE /v1/environments/{environmentId}/env-variables/{name}": { role: "developer" },
  "PUT /v1/environments/{environmentId}/env-variables": { role: "developer", body: variables },
  "DELETE /v1/environments/{environmentId}/env-variables": {
    role: "developer",
    query: (own) => ({ names: own["name"] ?? "" }),
  },
  "GET /v1/environments/{environmentId}/env-variables/{name}/history": { role: "viewer" },
  "POST /v1/environments/{environmentId}/env-variables/{name}/restore": {
    role: "developer",
    body: (own) => ({ version: own["versionOfEnvironment"] }),
  },
  "GET /v1/services/{serviceId}/env-variables": { role: "viewer" },
  "POST /v1/services/{serviceId}/env-variables": {
    role: "developer",
    body: variables,
  },
  "GET /v1/services/{serviceId}/env-variables/status": {
    role: "viewer",
    query: (own) => ({ runId: own["runIdOfService"] ?? "" }),
  },
  "GET /v1/services/{serviceId}/env-variables/{name}": { role: "viewer" },
  "DELETE /v1/services/{serviceId}/env-variables/{name}": { role: "developer" },
  "PUT /v1/services/{serviceId}/env-variables": { role: "developer", body: variables },
  "DELETE /v1/services/{serviceId}/env-variables": {
    role: "developer",
    query: (own) => ({ names: own["name"] ?? "" }),
  },
  "GET /v1/services/{serviceId}/env-variables/{name}/history": { role: "viewer" },
  "POST /v1/services/{serviceId}/env-variables/{name}/restore": {
    role: "developer",
    body: (own) => ({ version: own["versionOfService"] }),
  },
  "GET /v1/services/{serviceId}/env-variables/effective": { role: "viewer" },
  "GET /v1/webhook-endpoints": { role: "admin" },
  "POST /v1/webhook-endpoints": {
    role: "admin",
    body: (own) => ({
      url: RECEIVER_URL,
      types: ["api_key.*"],
      projectId: own["projectId"],
      environmentId: own["environmentId"],
    }),
  },
  "GET /v1/webhook-endpoints/{webhookEndpointId}": { role: "admin" },
  "PATCH /v1/webhook-endpoints/{webhookEndpointId}": {
    role: "admin",
    body: (own) => ({ projectId: own["projectId"], environmentId: own["environmentId"] }),
  },
  "DELETE /v1/webhook-endpoints/{webhookEndpointId}": { role: "admin" },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/enable": { role: "admin", body: () => ({}) },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/disable": { role: "admin" },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/rotate-secret": { role: "admin", body: () => ({}) },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/revoke-previous-secret": { role: "admin" },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/ping": { role: "admin" },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/replay": { role: "admin", body: () => ({}) },
  "GET /v1/webhook-endpoints/{webhookEndpointId}/deliveries": { role: "admin" },
  "GET /v1/webhook-endpoints/{webhookEndpointId}/deliveries/{deliveryId}": { role: "admin" },
  "POST /v1/webhook-endpoints/{webhookEndpointId}/deliveries/{deliveryId}/redeliver": { role: "admin" },
};

/**
 * Texts of a request that lead to a resource, and which resources' texts are tried there: path parameters by
 * name, query parameters as `?name`, texts of a body by their pointer. Each text that the OpenAPI document has
 * must be here or below; one that is new fails until somebody said which it is.
 */
export const REFERENCES: Readonly<Record<string, readonly string[]>> = {
  userId: ["userId"],
  apiKeyId: ["apiKeyId"],
  awsAccountId: ["awsAccountId", "givenId"],
  gitIntegrationId: ["gitIntegrationId"],
  projectId: ["projectId"],
  environmentId: ["environmentId"],
  serviceId: ["serviceId"],
  deploymentId: ["deploymentId"],
  domainGroupId: ["domainGroupId"],
  domainId: ["domainId"],
  managedDomainId: ["domainId"],
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
  "?userId": ["userId"],
  "?names": ["name"],
  "?runId": ["runIdOfEnvironment", "runIdOfService"],
  "/userId": ["userId"],
  "/projectId": ["projectId"],
  "/environmentId": ["environmentId"],
  "/awsAccountId": ["awsAccountId", "givenId"],
  "/filter/projectId": ["projectId"],
  "/fromService/*/id": ["serviceId"],
  "/version": ["versionOfEnvironment", "versionOfService"],
};

/** Texts that lead to no resource, or to one that other tests check for its organization (`?cursor`, `/repoUrl`). */
export const FREE_TEXTS: readonly string[] = [
  "?action",
  "?after",
  "?branch",
  "?cursor",
  "?from",
  "?name",
  "?namePrefix",
  "?to",
  "?types",
  "/branch",
  "/description",
  "/from",
  "/headers",
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
  "/configFileBranch",
  "/configFilePath",
  "/domains/*",
  "/email",
  "/expectedAwsAccountId",
  "/fromParameterStore/*",
  "/fromSecretsManager/*",
  "/fromService/*/value",
  "/gitLogin",
  "/givenId",
  "/host",
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
export const OPERATOR_ROUTES: readonly string[] = ["GET /v1/admin/health"];

/** Reads that still know what was deleted, and so answer it in another way than what never was. */
export const REMEMBERED: readonly string[] = [
  "GET /v1/audit-entries",
  "GET /v1/events",
  "GET /v1/environments/{environmentId}/env-variables/{name}/history",
  "GET /v1/services/{serviceId}/env-variables/{name}/history",
];

/** What anyone may ask of the documented routes. */
export const OPEN_ROUTES = ["GET /healthz", "GET /metrics", "GET /readyz", "POST /v1/git-hooks/{provider}"];
