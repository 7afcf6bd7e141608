import type { Role } from "../src/actor.ts";
import { CONFIG } from "./helpers/scenario.ts";

/** What an organization has: one of each resource, by the name that paths give its id. */
export type Resources = Readonly<Record<string, string>>;

type Case = {
  readonly role: Role;
  /** A body that the route accepts. */
  readonly body?: (own: Resources) => object;
  /** Texts of the body that lead to a resource, by its name: each is tried with another organization's. */
  readonly bodyWith?: Readonly<Record<string, (id: string, own: Resources) => object>>;
  /** A query that the route needs. */
  readonly query?: (own: Resources) => string;
  /** The same for texts of the query. */
  readonly queryWith?: Readonly<Record<string, (id: string) => string>>;
};

/** The demo repository of the sandbox. */
export const REPO_URL = "https://git.sandbox.test/demo.git";

const projectBody = (own: Resources) => ({
  name: "another",
  repoUrl: REPO_URL,
  awsAccountId: own["awsAccountId"],
  codeSource: { provider: "provider_a" },
  configType: "gui",
  config: CONFIG,
});
const variables = () => ({ plainText: { GREETING: "hello" } });
const link = (id: string) => ({ fromService: { LINKED: { id, value: "url" } } });
const runQuery = (runId: string | undefined) => `?runId=${runId}`;

/** Add a line here for each new route. */
export const CASES: Readonly<Record<string, Case>> = {
  "GET /v1/users": { role: "viewer" },
  "POST /v1/users": { role: "admin", body: () => ({ email: "new@example.com", role: "viewer" }) },
  "GET /v1/users/{userId}": { role: "viewer" },
  "PATCH /v1/users/{userId}": { role: "admin", body: () => ({ name: "Renamed" }) },
  "DELETE /v1/users/{userId}": { role: "admin" },
  "GET /v1/api-keys": { role: "admin" },
  "POST /v1/api-keys": {
    role: "admin",
    body: () => ({ name: "new" }),
    bodyWith: { userId: (userId) => ({ name: "new", userId }) },
  },
  "DELETE /v1/api-keys/{apiKeyId}": { role: "admin" },
  "GET /v1/audit-entries": {
    role: "admin",
    queryWith: { projectId: (id) => `?resourceId=${id}` },
  },
  "GET /v1/aws-accounts": { role: "viewer" },
  "POST /v1/aws-accounts": { role: "admin", body: () => ({ givenId: "another" }) },
  "GET /v1/aws-accounts/{awsAccountId}": { role: "viewer" },
  "PATCH /v1/aws-accounts/{awsAccountId}": { role: "admin", body: () => ({ name: "Renamed" }) },
  "DELETE /v1/aws-accounts/{awsAccountId}": { role: "admin" },
  "POST /v1/aws-accounts/{awsAccountId}/check": { role: "admin" },
  "GET /v1/git-integrations": { role: "admin" },
  "POST /v1/git-integrations": { role: "admin", body: () => ({ provider: "provider_b", token: "any" }) },
  "GET /v1/git-integrations/{gitIntegrationId}": { role: "admin" },
  "POST /v1/git-integrations/{gitIntegrationId}/hook-secret": { role: "admin" },
  "DELETE /v1/git-integrations/{gitIntegrationId}": { role: "admin" },
  "GET /v1/projects": { role: "viewer" },
  "POST /v1/projects": {
    role: "developer",
    body: projectBody,
    bodyWith: {
      awsAccountId: (awsAccountId, own) => ({ ...projectBody(own), awsAccountId }),
      givenId: (awsAccountId, own) => ({ ...projectBody(own), awsAccountId }),
    },
  },
  "GET /v1/projects/{projectId}": { role: "viewer" },
  "DELETE /v1/projects/{projectId}": { role: "developer" },
  "GET /v1/projects/{projectId}/environments": { role: "viewer" },
  "GET /v1/environments/{environmentId}": { role: "viewer" },
  "GET /v1/environments/{environmentId}/services": { role: "viewer" },
  "GET /v1/services/{serviceId}": { role: "viewer" },
  "GET /v1/deployments": {
    role: "viewer",
    queryWith: {
      projectId: (id) => `?projectId=${id}`,
      environmentId: (id) => `?environmentId=${id}`,
    },
  },
  "POST /v1/deployments": {
    role: "developer",
    body: (own) => ({ repoUrl: REPO_URL, filter: { projectId: own["projectId"] } }),
    bodyWith: { projectId: (projectId) => ({ repoUrl: REPO_URL, filter: { projectId } }) },
  },
  "GET /v1/deployments/{deploymentId}": { role: "viewer" },
  "GET /v1/deployments/{deploymentId}/logs": {
    role: "viewer",
    queryWith: { serviceId: (id) => `?serviceId=${id}` },
  },
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
  "POST /v1/domain-certificate-groups/{domainGroupId}/retry-attachment": { role: "developer" },
  "GET /v1/domains/{domainId}": { role: "viewer" },
  "POST /v1/domains/{domainId}/check": { role: "developer" },
  "GET /v1/environments/{environmentId}/env-variables": { role: "viewer" },
  "POST /v1/environments/{environmentId}/env-variables": {
    role: "developer",
    body: variables,
    bodyWith: { serviceId: link },
  },
  "GET /v1/environments/{environmentId}/env-variables/status": {
    role: "viewer",
    query: (own) => runQuery(own["runIdOfEnvironment"]),
    queryWith: { runIdOfEnvironment: runQuery },
  },
  "DELETE /v1/environments/{environmentId}/env-variables/{name}": { role: "developer" },
  "GET /v1/services/{serviceId}/env-variables": { role: "viewer" },
  "POST /v1/services/{serviceId}/env-variables": {
    role: "developer",
    body: variables,
    bodyWith: { serviceId: link },
  },
  "GET /v1/services/{serviceId}/env-variables/status": {
    role: "viewer",
    query: (own) => runQuery(own["runIdOfService"]),
    queryWith: { runIdOfService: runQuery },
  },
  "DELETE /v1/services/{serviceId}/env-variables/{name}": { role: "developer" },
  "GET /v1/services/{serviceId}/env-variables/effective": { role: "viewer" },
};

/** What anyone may ask of the documented routes. */
export const OPEN_ROUTES = ["GET /healthz", "GET /metrics", "GET /readyz", "POST /v1/git-hooks/{provider}"];
