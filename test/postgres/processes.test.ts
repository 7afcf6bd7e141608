/**
 * An installation as it is run in earnest: two API processes behind a load balancer, workers, and the sandbox
 * cloud, each a process of its own, over one PostgreSQL. Processes end, well or not; nothing else may.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { type LoadBalancer, startLoadBalancer } from "../helpers/load-balancer.ts";
import { createProject, type Project, setDnsRecords, untilDomain } from "../helpers/scenario.ts";
import { type ServiceProcess, startProcess, startSandboxProcess } from "../helpers/service-process.ts";
import { createPostgresCopy, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
const TAKE_OVER_MS = 15_000;

describe("several processes", { skip: adminUrl === undefined && "part of npm run test:postgres" }, () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof createPostgresCopy>>;
  let balancer: LoadBalancer;
  let sandbox: ServiceProcess;
  let apis: ServiceProcess[];
  let firstWorker: ServiceProcess;
  let admin: ApiClient;
  let project: Project;
  const started: ServiceProcess[] = [];

  const env = (name: string) => ({
    SLIPWAY_DATA_DIR: path.join(folder, name),
    SLIPWAY_SEALING_KEYS: path.join(folder, "keys"),
    SLIPWAY_PUBLIC_URL: balancer.url,
    SLIPWAY_API_KEY: ADMIN_KEY,
    SLIPWAY_SANDBOX_SECRET: "a-secret-that-all-share",
    DATABASE_URL: database.url,
  });
  async function startService(name: string, role: "api" | "worker"): Promise<ServiceProcess> {
    const shared = { SLIPWAY_SANDBOX_URL: sandbox.url, SLIPWAY_ROLE: role };
    const service = await startProcess({ ...env(name), ...shared });
    started.push(service);
    return service;
  }
  const startWorker = (name: string) => startService(name, "worker");
  /** How many steps a worker took since its start. */
  async function stepsOf(worker: ServiceProcess): Promise<number> {
    const text = await (await fetch(`${worker.listensAt}/metrics`)).text();
    const counts = text.matchAll(/^slipway_reconciliation_steps_total\{.*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }
  async function account() {
    const { body } = await admin.get("/sandbox/state");
    return body.accounts.find(({ serviceId }: { serviceId: string }) => serviceId === project.awsAccountId);
  }
  async function setFault(operation: string, kind: string): Promise<void> {
    const set = await admin.put("/sandbox/faults", { operation, kind });
    assert.equal(set.status, 204, JSON.stringify(set.body));
  }

  before(async () => {
    assert.ok(adminUrl !== undefined);
    folder = await makeTempDir("processes");
    database = await createPostgresCopy(adminUrl);
    balancer = await startLoadBalancer();
    sandbox = await startSandboxProcess({ ...env("sandbox"), SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0" });
    started.push(sandbox);
    [firstWorker, ...apis] = await Promise.all([
      startWorker("worker-1"),
      startService("api-1", "api"),
      startService("api-2", "api"),
    ]);
    balancer.use(apis.map(({ listensAt }) => listensAt));
    admin = createApiClient(balancer.url, ADMIN_KEY);
    project = await createProject(admin, "processes");
  });
  after(async () => {
    for (const { process } of started) process.kill("SIGKILL");
    await Promise.all(started.map(({ ended }) => ended));
    await balancer.stop();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it("go on with the work of a worker that was killed, within 15 seconds, and do nothing twice", async () => {
    const variables = `/v1/environments/${project.environmentId}/env-variables`;
    await setFault("parameters.put", "lost-response");
    await setFault("secrets.put", "timeout");
    await setFault("certificates.request", "lost-response");
    const group = await admin.post(`/v1/services/${project.services["web"]}/domain-certificate-groups`, {
      domains: ["www.processes.example.com"],
    });
    assert.equal(group.status, 201, JSON.stringify(group.body));
    const accepted = await admin.post(variables, {
      parameterStore: { TOKEN: "t-1" },
      secretsManager: { PASSWORD: "p-1" },
    });
    assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
    await until(async () => {
      const { parameters, certificates, calls } = await account();
      return parameters.length === 1 && certificates.length === 1 && calls["secrets.put"] > 0;
    }, "the only worker is in the middle of both");
    await startWorker("worker-2");

    firstWorker.process.kill("SIGKILL");
    assert.equal(await firstWorker.ended, "SIGKILL");
    const killedAt = performance.now();
    assert.equal((await admin.delete("/sandbox/faults")).status, 204);
    const run = await until(
      async () => {
        const { body } = await admin.get(`${variables}/status?runId=${accepted.body.runId}`);
        return body.isFinished === true && body;
      },
      "the run ends",
      30_000,
    );
    assert.deepEqual(run.failedEnvVariables, {});
    const [{ id }] = group.body.createdDomains;
    const waiting = await untilDomain(admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const tookMs = performance.now() - killedAt;
    assert.ok(tookMs < TAKE_OVER_MS, `it took ${Math.round(tookMs)} ms`);

    await setDnsRecords(admin, waiting);
    await untilDomain(admin, id, "ATTACHED");
    const { parameters, secrets, certificates, distributions } = await account();
    assert.deepEqual(
      [...parameters, ...secrets].map(({ value, versionCount }) => ({ value, versionCount })),
      [
        { value: "t-1", versionCount: 1 },
        { value: "p-1", versionCount: 1 },
      ],
    );
    assert.equal(certificates.length, 1);
    assert.deepEqual(
      distributions.flatMap(({ aliases }: { aliases: readonly string[] }) => aliases),
      ["www.processes.example.com"],
    );
  });

  it("share the work", async () => {
    const workers = [await startWorker("worker-3"), await startWorker("worker-4")];
    let sent = 0;
    await until(
      async () => {
        sent += 1;
        const { status, body } = await admin.post("/v1/aws-accounts", { givenId: `shared-${sent}` });
        assert.equal(status, 201, JSON.stringify(body));
        const stack = await admin.post("/sandbox/stacks", { ServiceId: body.id });
        assert.equal(stack.status, 201);
        const steps = await Promise.all(workers.map(stepsOf));
        return steps.every((count) => count > 0);
      },
      "each worker takes steps",
      30_000,
    );
  });

  it("lose no request when one of them is told to end", async () => {
    const [leaving] = apis;
    assert.ok(leaving !== undefined);
    const over = new AbortController();
    const answered: { status: number; givenId: string }[] = [];
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let count = 1; !over.signal.aborted; count += 1) {
        const givenId = `drain-${client}-${count}`;
        const { status } = await admin.post("/v1/aws-accounts", { givenId });
        answered.push({ status, givenId });
      }
    });
    await until(() => answered.length > 40, "requests are being served");
    leaving.process.kill("SIGTERM");
    assert.equal(await leaving.ended, 0);
    const atItsEnd = answered.length;
    await until(() => answered.length > atItsEnd + 40, "the other one goes on");
    over.abort();
    await Promise.all(clients);
    assert.deepEqual([...new Set(answered.map(({ status }) => status))], [201]);
    for (const { givenId } of answered.slice(atItsEnd - 20, atItsEnd + 20)) {
      assert.equal((await admin.get(`/v1/aws-accounts/${givenId}`)).status, 200);
    }
  });
});
