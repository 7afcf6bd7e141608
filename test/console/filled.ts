/** An organization with one of everything that the console shows. */
import assert from "node:assert/strict";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, createGroup, GIT_INTEGRATION, untilDomain } from "../helpers/customers/scenario.ts";
import type { ApiClient } from "../helpers/api-client.ts";
import type { Instance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";
import { createScratchUser } from "../helpers/users.ts";

export type Filled = {
  readonly accountId: string;
  readonly gitIntegrationId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly serviceId: string;
  readonly deploymentId: string;
  readonly groupId: string;
  readonly domainId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly trustId: string;
  /** A worker in which a command ran. Empty until `fillRuns`. */
  readonly workerId: string;
  readonly executionId: string;
  /** A database of the worker's project, of which there is a snapshot. Empty until `fillSnapshots`. */
  readonly storeId: string;
};

const DATABASE = { id: "db", name: "Database", type: "postgres" };
const SERVICES = [{ id: "web", name: "Web", type: "static", outputDirectory: "public" }];

/**
 * Fills the instance: an account, a project that is deployed, domains, variables, a webhook, users.
 * @param hookUrl where the webhook leads
 */
export async function fill(instance: Instance, hookUrl: string): Promise<Filled> {
  const { admin } = instance;
  const accountId = await connectAccount(admin, "main");
  const git = await admin.post("/v1/git-integrations", GIT_INTEGRATION);
  assert.equal(git.status, 201, git.text);
  const webhook = await admin.post("/v1/webhook-endpoints", {
    url: hookUrl,
    types: ["*"],
    description: "Chat",
  });
  assert.equal(webhook.status, 201, webhook.text);
  const endpointId = webhook.body.id as string;
  const config = {
    environments: [
      {
        id: "production",
        name: "Production",
        region: "us-west-2",
        source: { branch: "main" },
        services: SERVICES,
      },
      {
        id: "preview",
        name: "Preview",
        region: "us-west-2",
        source: { branch: "main", pr: true },
        services: SERVICES,
      },
    ],
  };
  await push(instance, "shop", withConfig(config, { "public/index.html": "hi" }));
  await push(instance, "stranger", withConfig(config, { "public/index.html": "from a fork" }), "cart");
  const request = { base: "main", head: "cart", headRepository: "stranger", state: "open" };
  const fork = { ...request, title: "Add a cart", author: "grace" };
  const opened = await admin.put("/sandbox/git/repositories/shop/pull-requests/12", fork);
  assert.equal(opened.status, 200, opened.text);
  const projectId = await createIacProject(admin, "shop");
  await admin.patch(`/v1/projects/${projectId}`, { name: "Shop" });
  const deploymentId = await deploy(admin, "shop");
  await ended(admin, deploymentId);
  const environments = await admin.get(`/v1/projects/${projectId}/environments`);
  const { id: environmentId } = environments.body.environments.find(
    ({ configId }: { readonly configId: string }) => configId === "production",
  );
  await until(
    async () => (await admin.get(`/v1/previews?projectId=${projectId}`)).body.previews.length === 1,
    "the pull request has a preview",
  );
  const { web: serviceId = "" } = await listServices(admin, projectId);
  const variables = await admin.post(`/v1/services/${serviceId}/env-variables`, {
    plainText: { LOG_LEVEL: "info" },
  });
  assert.equal(variables.status, 200, variables.text);
  const group = await createGroup(admin, serviceId, ["www.shop.example.com"]);
  const listed = await admin.get(`/v1/domain-certificate-groups/${group.id}/domains`);
  const domainId = listed.body.domains[0].id as string;
  await untilDomain(admin, domainId, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
  await untilDelivered(admin, endpointId, "domain.records_changed", 2);
  const shared = await admin.post(`/v1/domain-certificate-groups/${group.id}/share-links`, {});
  assert.equal(shared.status, 201, shared.text);
  const channel = await admin.post("/v1/notification-channels", {
    kind: "slack",
    name: "Operations",
    url: hookUrl,
  });
  assert.equal(channel.status, 201, channel.text);
  const { userId } = await createScratchUser(admin, "viewer");
  await admin.patch(`/v1/users/${userId}`, { name: "Vera Viewer" });
  const member = await admin.put(`/v1/projects/${projectId}/members/${userId}`, { role: "developer" });
  assert.equal(member.status, 200, member.text);
  const service = await admin.post("/v1/users", { kind: "service", name: "CI", role: "developer" });
  const trust = await admin.post("/v1/workload-trusts", {
    name: "deploy shop",
    userId: service.body.id,
    issuer: "https://token.actions.githubusercontent.com",
    audience: instance.url,
    conditions: { repository: "acme/shop", ref: "refs/heads/main" },
    scopes: ["deploy"],
  });
  assert.equal(trust.status, 201, trust.text);
  // A test is delivered at once, and events after it is known that they can be: their order would be another each time.
  await untilDelivered(admin, endpointId, "workload_trust.created");
  const ping = await admin.post(`/v1/webhook-endpoints/${endpointId}/ping`);
  assert.equal(ping.status, 202, ping.text);
  return {
    accountId,
    gitIntegrationId: git.body.id,
    projectId,
    environmentId,
    serviceId,
    deploymentId,
    groupId: group.id,
    domainId,
    endpointId,
    deliveryId: ping.body.id,
    channelId: channel.body.id,
    userId,
    trustId: trust.body.id,
    workerId: "",
    executionId: "",
    storeId: "",
  };
}

/** Waits until as many events of the type have reached the webhook. */
export async function untilDelivered(
  admin: ApiClient,
  endpointId: string,
  type: string,
  count = 1,
): Promise<void> {
  const path = `/v1/webhook-endpoints/${endpointId}/deliveries?type=${type}&status=DELIVERED`;
  const find = async () => (await admin.get(path)).body.deliveries.length >= count;
  await until(find, `${count} events ${type} are delivered`);
}

/** Adds a project with a worker and a database, in which a command has run. Lists of projects show it. */
export async function fillRuns(instance: Instance, filled: Filled): Promise<Filled> {
  const { admin } = instance;
  if (filled.workerId !== "") return filled;
  const worker = { id: "worker", name: "Worker", type: "worker", startCommand: "exec sleep 86400" };
  await push(instance, "tools", withConfig(configOf([worker, DATABASE]), { "public/index.html": "hi" }));
  const projectId = await createIacProject(admin, "tools");
  await ended(admin, await deploy(admin, "tools"));
  const { worker: workerId = "" } = await listServices(admin, projectId);
  const command = "echo 'Sent 3 reminders.'; echo 'No address of customer 7.' >&2; exit 3";
  const run = await admin.post(`/v1/services/${workerId}/runs`, { command });
  assert.equal(run.status, 201, run.text);
  await until(
    async () => (await admin.get(`/v1/executions/${run.body.id}`)).body.endedAt !== null,
    "the command has ended",
  );
  return { ...filled, workerId, executionId: run.body.id };
}

/** Adds a snapshot of the database of `fillRuns`. */
export async function fillSnapshots(instance: Instance, before: Filled): Promise<Filled> {
  const { admin } = instance;
  const filled = await fillRuns(instance, before);
  if (filled.storeId !== "") return filled;
  const { environmentId } = (await admin.get(`/v1/services/${filled.workerId}`)).body;
  const { services } = (await admin.get(`/v1/environments/${environmentId}/services`)).body;
  const { id: storeId } = services.find(({ configId }: { configId: string }) => configId === DATABASE.id);
  const taken = await admin.post(`/v1/services/${storeId}/snapshots`);
  assert.equal(taken.status, 202, taken.text);
  await until(
    async () => (await admin.get(`/v1/snapshots/${taken.body.id}`)).body.status === "AVAILABLE",
    "the snapshot is available",
  );
  return { ...filled, storeId };
}
