/** What customers do in a storm: rounds of work of each sort, from its beginning to its end. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiAnswer, ApiClient } from "../../helpers/api-client.ts";
import { configOf, listServices } from "../../helpers/customers/deployments.ts";
import {
  createProject,
  createProjectIn,
  DEMO_REPOSITORY,
  type Project,
  createGroup,
  setDnsRecords,
  untilGone,
} from "../../helpers/customers/scenario.ts";
import { until } from "../../helpers/until.ts";

/** Whose work it is, and how long it may take. */
export type Worker = {
  readonly client: ApiClient;
  readonly project: Project;
  readonly patienceMs: number;
};

const STATIC = { id: "web", type: "static", outputDirectory: "public" };
const CONFIG = configOf([STATIC]);
/** A service whose deployment stays at a stage until it is cancelled there. */
const LINGERING = {
  BUILDING: { ...STATIC, buildCommand: "sleep 100" },
  DEPLOYING: {
    id: "web",
    type: "web",
    startCommand: "sleep 100",
    healthCheckPath: "/",
    port: 3000,
  },
};
const ENDED = ["SUCCESS", "ERROR", "BUILD_ERROR", "CANCELLED", "SUPERSEDED"];

/**
 * A client that repeats a request, with its Idempotency-Key, while the answer is 503. A request that it sends to the
 * sandbox as its customer is repeated after any 5xx answer.
 */
export function createPatientClient(client: ApiClient): ApiClient {
  const persist = async (path: string, attempt: () => Promise<ApiAnswer>): Promise<ApiAnswer> => {
    for (let tries = 1; ; tries += 1) {
      const answer = await attempt();
      const isAway = answer.status === 503 || (answer.status >= 500 && path.startsWith("/sandbox/"));
      if (!isAway || tries === 60) return answer;
      await sleep(1_000);
    }
  };
  const once = (headers?: Record<string, string>) => ({ "idempotency-key": randomUUID(), ...headers });
  return {
    ...client,
    get: async (path, headers) => await persist(path, () => client.get(path, headers)),
    put: async (path, body, headers) => await persist(path, () => client.put(path, body, headers)),
    async patch(path, body, headers) {
      const all = once(headers);
      return await persist(path, () => client.patch(path, body, all));
    },
    async post(path, body, headers) {
      const all = once(headers);
      return await persist(path, () => client.post(path, body, all));
    },
    async delete(path, body, headers) {
      const all = once(headers);
      return await persist(path, () => client.delete(path, body, all));
    },
  };
}

/** A project with a separate connection, without faults. */
export async function createWorker(client: ApiClient, name: string, patienceMs: number): Promise<Worker> {
  return { client, project: await createProject(client, name, CONFIG), patienceMs };
}

/** Groups from their creation to their deletion, all at the same time. */
export async function serveAndDelete(worker: Worker, label: string, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { groupId } = await serve(worker, `${label}-${index}`);
      await deleteGroup(worker, groupId);
    }),
  );
}

export async function deleteGroup({ client, patienceMs }: Worker, groupId: string): Promise<void> {
  const group = `/v1/domain-certificate-groups/${groupId}`;
  assert.equal((await client.delete(group)).status, 202);
  await untilGone(client, group, patienceMs);
}

/** @returns how long it took from the records being set until the name was served, in ms */
export async function serve(
  { client, project, patienceMs }: Worker,
  label: string,
): Promise<{ groupId: string; servedMs: number }> {
  const group = await createGroup(client, project.services["web"], [`${label}.example.com`]);
  const groupId: string = group.id;
  const listed = await client.get(`/v1/domain-certificate-groups/${groupId}/domains`);
  const path = `/v1/domains/${listed.body.domains[0].id}`;
  const waiting = await until(
    async () => {
      const { body } = await client.get(path);
      return body.dnsRecords?.length > 0 && body;
    },
    `${label} has records`,
    patienceMs,
  );
  const setMs = performance.now();
  await setDnsRecords(client, waiting);
  await until(
    async () => {
      const { body } = await client.get(path);
      assert.ok(!body.status.startsWith("ERROR"), `${label}: ${JSON.stringify(body.lastAttachmentError)}`);
      return body.status === "ATTACHED";
    },
    `${label} is served`,
    patienceMs,
  );
  return { groupId, servedMs: performance.now() - setMs };
}

/** This many values of each kind are stored. */
export async function storeValues({ client, project, patienceMs }: Worker, label: string, count: number) {
  const path = `/v1/services/${project.services["web"]}/env-variables`;
  const names = Array.from({ length: count }, (_, index) => `V${index}`);
  const sent = await client.post(path, {
    parameterStore: Object.fromEntries(names.map((name) => [`P_${name}`, `${label} of ${name}`])),
    secretsManager: Object.fromEntries(names.map((name) => [`S_${name}`, `${label} of ${name}`])),
  });
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  const run = await until(
    async () => {
      const { body } = await client.get(`${path}/status?runId=${sent.body.runId}`);
      return body.isFinished === true && body;
    },
    `the values of ${label} are stored`,
    patienceMs,
  );
  assert.deepEqual(run.failedEnvVariables, {}, "a passing fault failed a value for good");
}

export async function storeAndDeleteValues(worker: Worker, label: string, count: number): Promise<void> {
  await storeValues(worker, label, count);
  const { client, project, patienceMs } = worker;
  const path = `/v1/services/${project.services["web"]}/env-variables`;
  const { body } = await client.get(`${path}?limit=100`);
  for (const { name } of body.envVariables) {
    const deleted = await client.delete(`${path}/${name}`);
    assert.ok(deleted.status < 300, JSON.stringify(deleted.body));
  }
  await until(
    async () => (await client.get(path)).body.envVariables.length === 0,
    `the values of ${label} are removed`,
    patienceMs,
  );
}

/** Builds and releases what the repository has. */
export async function deploy({ client, project, patienceMs }: Worker): Promise<void> {
  const deploymentId = await startDeployment(client, project.projectId);
  const status = await untilEnded(client, deploymentId, patienceMs);
  assert.equal(status, "SUCCESS", "a passing fault failed a deployment for good");
}

/** Projects from their creation to their deletion: one is deployed and read of, the others are cancelled at a stage. */
export async function deployAndDelete(worker: Worker, label: string): Promise<void> {
  await Promise.all([
    deployAndRead(worker, label),
    cancelAt(worker, `${label}-building`, "BUILDING"),
    cancelAt(worker, `${label}-deploying`, "DEPLOYING"),
  ]);
}

async function deployAndRead(worker: Worker, name: string): Promise<void> {
  const { client, project, patienceMs } = worker;
  const projectId = await createProjectIn(client, project.awsAccountId, name, CONFIG);
  const id = await startDeployment(client, projectId);
  assert.equal(await untilEnded(client, id, patienceMs), "SUCCESS", `the deployment of ${name}`);
  await until(
    async () => (await client.get(`/v1/deployments/${id}/logs`)).status === 200,
    `the logs of ${name} are read`,
    patienceMs,
  );
  await deleteProject(worker, projectId);
}

async function cancelAt(worker: Worker, name: string, stage: keyof typeof LINGERING): Promise<void> {
  const { client, project, patienceMs } = worker;
  const projectId = await createProjectIn(client, project.awsAccountId, name, configOf([LINGERING[stage]]));
  const id = await startDeployment(client, projectId);
  await until(
    async () => (await client.get(`/v1/deployments/${id}`)).body.status === stage,
    `the deployment of ${name} is ${stage}`,
    patienceMs,
  );
  assert.equal((await client.post(`/v1/deployments/${id}/cancel`)).status, 202);
  assert.equal(await untilEnded(client, id, patienceMs), "CANCELLED", `the deployment of ${name}`);
  await deleteProject(worker, projectId);
}

/**
 * A project whose configuration changes: a service comes, the files of another lie elsewhere, and the first goes again;
 * then all is deleted.
 */
export async function changeAndDelete(worker: Worker, label: string): Promise<void> {
  const { client, project, patienceMs } = worker;
  const projectId = await createProjectIn(client, project.awsAccountId, label, CONFIG);
  const change = async (name: string, config: object): Promise<void> => {
    const planned = await client.post(`/v1/projects/${projectId}/plan`, { name, config });
    assert.equal(planned.body.isApplicable, true, planned.text);
    const changed = await client.patch(`/v1/projects/${projectId}`, { name, config });
    assert.deepEqual([changed.status, changed.body.name], [200, name], changed.text);
  };
  const areMade = (count: number) =>
    until(
      async () => {
        const hosts = await listHosts(client, projectId);
        return hosts.length === count && hosts.every((host) => host !== null);
      },
      `the ${count} services of ${label} have their hosts`,
      patienceMs,
    );
  await areMade(1);
  await change(
    `${label}-wider`,
    configOf([
      { ...STATIC, outputDirectory: "other" },
      { ...STATIC, id: "second" },
    ]),
  );
  await areMade(2);
  await change(`${label}-again`, CONFIG);
  await areMade(1);
  await deleteProject(worker, projectId);
}

/** The services of a project's only environment; null if there is none yet. */
async function listHosts(client: ApiClient, projectId: string): Promise<readonly (string | null)[]> {
  const environments = await client.get(`/v1/projects/${projectId}/environments`);
  const { body } = await client.get(`/v1/environments/${environments.body.environments[0].id}/services`);
  return body.services.map((service: { cdnDomainName: string | null }) => service.cdnDomainName);
}

async function deleteProject({ client, patienceMs }: Worker, projectId: string): Promise<void> {
  await until(
    async () => (await client.delete(`/v1/projects/${projectId}`)).status < 300,
    `the deletion of ${projectId} is accepted`,
    patienceMs,
  );
  await untilGone(client, `/v1/projects/${projectId}`, patienceMs);
}

const SHELL = { id: "shell", type: "worker", startCommand: "sleep 1000" };

/** The services whose files commands run in: each is deployed once for its worker. */
const shells = new WeakMap<Worker, Promise<string>>();

async function deployShell({ client, project, patienceMs }: Worker): Promise<string> {
  const config = configOf([SHELL]);
  const projectId = await createProjectIn(client, project.awsAccountId, `${project.projectId}-shell`, config);
  assert.equal(await untilEnded(client, await startDeployment(client, projectId), patienceMs), "SUCCESS");
  return (await listServices(client, projectId))["shell"] ?? assert.fail("no service");
}

/** Commands: some end, and one is cancelled. */
export async function runCommands(worker: Worker): Promise<void> {
  const { client, patienceMs } = worker;
  const deploying = shells.get(worker) ?? deployShell(worker);
  shells.set(worker, deploying);
  const shell = await deploying;
  const run = async (command: string, expected: string): Promise<void> => {
    const started = await client.post(`/v1/services/${shell}/runs`, { command });
    assert.equal(started.status, 201, started.text);
    const path = `/v1/executions/${started.body.id}`;
    if (expected === "CANCELLED") {
      await untilHas(worker, path, "RUNNING");
      assert.equal((await client.post(`${path}/cancel`)).status, 202);
    }
    await untilHas(worker, path, expected);
    await until(
      async () => (await client.get(`${path}/logs`)).status === 200,
      `the logs of ${command} are read`,
      patienceMs,
    );
  };
  await Promise.all([
    ...Array.from({ length: 4 }, () => run("true", "SUCCEEDED")),
    run("false", "FAILED"),
    run("sleep 100", "CANCELLED"),
  ]);
}

const CACHE = { id: "cache", type: "redis", deletionProtection: false };

/** A data store from its creation to its deletion, with a snapshot that is taken of it and the last one. */
export async function keepAndDeleteData(worker: Worker, label: string): Promise<void> {
  const { client, project, patienceMs } = worker;
  const config = configOf([STATIC, CACHE]);
  const projectId = await createProjectIn(client, project.awsAccountId, label, config);
  assert.equal(await untilEnded(client, await startDeployment(client, projectId), patienceMs), "SUCCESS");
  const { cache } = await listServices(client, projectId);
  const taken = await client.post(`/v1/services/${cache}/snapshots`);
  assert.equal(taken.status, 202, taken.text);
  await untilHas(worker, `/v1/snapshots/${taken.body.id}`, "AVAILABLE");
  await deleteProject(worker, projectId);
  const { body } = await client.get(`/v1/snapshots?projectId=${projectId}`);
  assert.equal(body.snapshots.length, 2);
  await Promise.all(
    body.snapshots.map(async ({ id }: { id: string }) => {
      const path = `/v1/snapshots/${id}`;
      await untilHas(worker, path, "AVAILABLE");
      assert.equal((await client.delete(path)).status, 202);
      await untilGone(client, path, patienceMs);
    }),
  );
}

/** Names whose records Slipway sets in a zone of the account, and removes with them. */
export async function serveFromZoneAndDelete(worker: Worker, label: string): Promise<void> {
  const { client, project } = worker;
  const zone = `${label}.com`;
  const made = await client.post("/sandbox/zones", { ServiceId: project.awsAccountId, name: zone });
  assert.equal(made.status, 201, made.text);
  const groups = `/v1/services/${project.services["web"]}/domain-certificate-groups`;
  const domains = [zone, `www.${zone}`, `shop.${zone}`];
  const created = await client.post(groups, { domains, useDefaultCdn: false, autoDns: true });
  assert.equal(created.status, 201, created.text);
  for (const { id } of created.body.createdDomains) await untilHas(worker, `/v1/domains/${id}`, "ATTACHED");
  await deleteGroup(worker, created.body.id);
}

async function untilHas({ client, patienceMs }: Worker, path: string, status: string): Promise<void> {
  await until(
    async () => (await client.get(path)).body.status === status,
    `${path} is ${status}`,
    patienceMs,
  );
}

/** Connects accounts and deletes their connections. */
export async function connectAndDelete({ client, patienceMs }: Worker, label: string, count: number) {
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const created = await client.post("/v1/aws-accounts", { givenId: `${label}-${index}` });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      const { id } = created.body;
      const stack = await client.post("/sandbox/stacks", { ServiceId: id });
      assert.equal(stack.status, 201, JSON.stringify(stack.body));
      await until(
        async () => (await client.get(`/v1/aws-accounts/${id}`)).body.status === "CONNECTED",
        `${label}-${index} connects`,
        patienceMs,
      );
      assert.equal((await client.delete(`/v1/aws-accounts/${id}`)).status, 204);
    }),
  );
}

async function startDeployment(client: ApiClient, projectId: string): Promise<string> {
  const created = await client.post("/v1/deployments", { repoUrl: DEMO_REPOSITORY, filter: { projectId } });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  return created.body.id;
}

/** @returns how it ended */
async function untilEnded(client: ApiClient, deploymentId: string, patienceMs: number): Promise<string> {
  return await until(
    async () => {
      const { body } = await client.get(`/v1/deployments/${deploymentId}`);
      return ENDED.includes(body.status) && body.status;
    },
    `the deployment ${deploymentId} ends`,
    patienceMs,
  );
}
