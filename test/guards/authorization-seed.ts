import assert from "node:assert/strict";
import { RECEIVER_URL, REPO_URL, type Resources } from "./authorization-cases.ts";
import type { ApiClient } from "../helpers/api-client.ts";
import { CONFIG, createProject, untilGone } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

/** Few machines have this version of PostgreSQL. Its data store, and snapshots of it, are there nevertheless. */
const STORE = { id: "db", type: "postgres", version: "14", deletionProtection: false };

/** Its worker runs until it is stopped, so that its deployment ends with SUCCESS. Previews are made from the last. */
const DEPLOYABLE = {
  environments: [
    ...CONFIG.environments.map((environment) => ({
      ...environment,
      services: [
        ...environment.services.map((service) =>
          service.type === "worker" ? { ...service, startCommand: "exec sleep 86400" } : service,
        ),
        STORE,
      ],
    })),
    {
      id: "preview",
      region: "us-west-2",
      source: { branch: "main", pr: true },
      services: [{ id: "web", type: "static", outputDirectory: "public" }],
    },
  ],
};

/** One of each resource; names hold `word`, so that no text of one organization is also the other's. */
export async function seedResources(admin: ApiClient, word: string): Promise<Resources> {
  const post = (path: string, body?: object) => succeed(admin, "post", path, body);
  const email = `${word}@example.com`;
  const { id: userId } = await post("/v1/users", { email, role: "viewer" });
  const { id: apiKeyId } = await post("/v1/api-keys", { name: word, userId });
  const { id: sessionId } = await post("/v1/sessions");
  const serviceUser = await post("/v1/users", { kind: "service", name: `${word} CI`, role: "viewer" });
  const trust = await post("/v1/workload-trusts", {
    name: word,
    userId: serviceUser.id,
    issuer: "https://issuer.example",
    audience: "slipway",
    conditions: { sub: word },
    scopes: ["deploy"],
  });
  const { awsAccountId, projectId, environmentId, services } = await createProject(admin, word, DEPLOYABLE);
  const serviceId = services["web"] ?? "";
  assert.equal(
    (await admin.put(`/v1/projects/${projectId}/members/${userId}`, { role: "viewer" })).status,
    200,
  );
  const integrations = await admin.get("/v1/git-integrations");
  const { environments } = (await admin.get(`/v1/projects/${projectId}/environments`)).body;
  const templateId = environments.find((one: { isTemplate: boolean }) => one.isTemplate).id;
  const previewKey = `of-${word}`;
  const preview = await admin.put(`/v1/projects/${projectId}/previews/${previewKey}`, {});
  assert.equal(preview.status, 200, preview.text);
  const deployment = await post("/v1/deployments", { repoUrl: REPO_URL, filter: { projectId } });
  const group = await post(`/v1/services/${serviceId}/domain-certificate-groups`, {
    domains: [`www.${word}.example.com`],
  });
  const shareLink = await post(`/v1/domain-certificate-groups/${group.id}/share-links`, {});
  const { invalidationId } = await post(`/v1/services/${serviceId}/cloudfront/invalidation`, {
    paths: ["/*"],
  });
  const { id: snapshotId } = await post(`/v1/services/${services["db"]}/snapshots`);
  const name = `${word.toUpperCase()}_NAME`;
  const set = { plainText: { [name]: word }, parameterStore: { SECRET: word } };
  const { runId: runIdOfEnvironment } = await post(`/v1/environments/${environmentId}/env-variables`, set);
  const { runId: runIdOfService } = await post(`/v1/services/${serviceId}/env-variables`, set);
  const versionOf = async (scope: string): Promise<string> =>
    (await admin.get(`${scope}/env-variables/${name}/history`)).body.versions[0].version;
  const webhook = await post("/v1/webhook-endpoints", { url: RECEIVER_URL, types: ["api_key.*"] });
  const delivery = await post(`/v1/webhook-endpoints/${webhook.id}/ping`);
  const channel = await post("/v1/notification-channels", {
    kind: "slack",
    name: "Own",
    url: RECEIVER_URL,
    types: ["api_key.*"],
  });
  // Once the worker is live. The command is under way until it is cancelled.
  const { id: executionId } = await until(async () => {
    const answer = await admin.post(`/v1/services/${services["jobs"]}/runs`, { command: "exec sleep 600" });
    return answer.status === 201 && answer.body;
  }, `a command runs in the worker of ${word}`);
  return {
    email,
    userId,
    apiKeyId,
    sessionId,
    serviceUserId: serviceUser.id,
    workloadTrustId: trust.id,
    awsAccountId,
    givenId: `account-${word}`,
    gitIntegrationId: integrations.body.gitIntegrations[0].id,
    projectId,
    environmentId,
    serviceId,
    deploymentId: deployment.id,
    templateId,
    previewId: preview.body.id,
    previewKey,
    jobGivenId: "nightly",
    previewHost: await hostOf(admin, preview.body.id),
    domainGroupId: group.id,
    domainId: group.createdDomains[0].id,
    managedDomainId: group.createdDomains[0].id,
    shareLinkId: shareLink.id,
    invalidationId,
    executionId,
    snapshotId,
    name,
    runIdOfEnvironment,
    runIdOfService,
    versionOfEnvironment: await versionOf(`/v1/environments/${environmentId}`),
    versionOfService: await versionOf(`/v1/services/${serviceId}`),
    notificationChannelId: channel.id,
    webhookEndpointId: webhook.id,
    deliveryId: delivery.id,
  };
}

/** One of each resource of an organization that were there and are deleted. */
export async function seedDeleted(
  admin: ApiClient,
  { environmentId, serviceId }: Resources,
): Promise<Resources> {
  const gone = await seedResources(admin, "gone");
  const integration = await succeed(admin, "post", "/v1/git-integrations", {
    provider: "provider_b",
    token: "any",
  });
  // The names of variables are looked for where the others are, in the scopes that stay.
  for (const scope of [`/v1/environments/${environmentId}`, `/v1/services/${serviceId}`]) {
    await succeed(admin, "post", `${scope}/env-variables`, { plainText: { [gone["name"] ?? ""]: "gone" } });
    await succeed(admin, "delete", `${scope}/env-variables/${gone["name"]}`);
  }
  await succeed(admin, "delete", `/v1/domain-certificate-groups/${gone["domainGroupId"]}`);
  await untilGone(admin, `/v1/domain-certificate-groups/${gone["domainGroupId"]}`);
  // Removing a deployment from a working cloud takes a minute; a lost one is abandoned at once.
  const account = `/v1/aws-accounts/${gone["awsAccountId"]}`;
  await succeed(admin, "delete", `/sandbox/stacks/${gone["awsAccountId"]}`);
  await succeed(admin, "post", `${account}/check`);
  await until(async () => (await admin.get(account)).body.status === "DISCONNECTED", "the account is lost");
  await succeed(admin, "post", `/v1/projects/${gone["projectId"]}/abandon`);
  for (const path of [
    `/v1/notification-channels/${gone["notificationChannelId"]}`,
    `/v1/webhook-endpoints/${gone["webhookEndpointId"]}`,
    `/v1/git-integrations/${integration.id}`,
    `/v1/api-keys/${gone["apiKeyId"]}`,
    `/v1/sessions/${gone["sessionId"]}`,
    `/v1/workload-trusts/${gone["workloadTrustId"]}`,
    `/v1/users/${gone["serviceUserId"]}`,
    `/v1/users/${gone["userId"]}`,
    account,
  ])
    await succeed(admin, "delete", path);
  return { ...gone, gitIntegrationId: integration.id };
}

async function succeed(admin: ApiClient, method: "post" | "delete", path: string, body?: object) {
  const answer = await admin[method](path, body);
  assert.ok(answer.status >= 200 && answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** The host name of a preview's service, as soon as it has one. */
async function hostOf(admin: ApiClient, previewId: string): Promise<string> {
  return await until(async () => {
    const { environmentId } = (await admin.get(`/v1/previews/${previewId}`)).body;
    if (environmentId === null) return null;
    const { services } = (await admin.get(`/v1/environments/${environmentId}/services`)).body;
    const [service] = services;
    if (service === undefined) return null;
    return (await admin.get(`/v1/services/${service.id}`)).body.cdnDomainName as string | null;
  }, `${previewId} has an address`);
}

/** The same texts, in the same form, for resources that do not exist. */
export function missing(resources: Resources): Resources {
  return Object.fromEntries(
    Object.entries(resources).map(([name, text]) => [
      name,
      /_[0-9a-z]{26}$/.test(text) ? `${text.slice(0, -26)}01h455vb4pex5vsknk084sn02q` : `x${text.slice(1)}`,
    ]),
  );
}

/** Only a successful deployment can be rolled back to. */
export async function untilDeployed(admin: ApiClient, { deploymentId }: Resources): Promise<void> {
  await until(
    async () => (await admin.get(`/v1/deployments/${deploymentId}`)).body.status === "SUCCESS",
    `${deploymentId} is deployed`,
  );
}

/** One of each resource of a project that its members see, and whose environment only its admins change. */
export async function seedClosed(admin: ApiClient): Promise<Resources> {
  const closed = await seedResources(admin, "closed");
  await untilDeployed(admin, closed);
  const access = await admin.put(`/v1/projects/${closed["projectId"]}/access`, { access: "members" });
  assert.equal(access.status, 200, JSON.stringify(access.body));
  const protection = { deployers: "admin" };
  for (const id of [closed["environmentId"], closed["templateId"]]) {
    const environment = await admin.patch(`/v1/environments/${id}`, { protection });
    assert.equal(environment.status, 200, environment.text);
  }
  return closed;
}
