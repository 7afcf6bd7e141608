import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { stateOf } from "../helpers/customers/sandbox-account.ts";

describe("SIGTERM", () => {
  let dataDir: string;
  let env: Readonly<Record<string, string>>;
  let service: ServiceProcess;
  beforeEach(async () => {
    dataDir = await makeTempDir("drain");
    await copyPgliteTemplate(path.join(dataDir, "database"));
    env = { SLIPWAY_DATA_DIR: dataDir, SLIPWAY_API_KEY: ADMIN_KEY };
    service = await startProcess(env);
  });
  afterEach(async () => {
    service.process.kill("SIGKILL");
    await service.ended;
    await rm(dataDir, { recursive: true, force: true });
  });

  it("drops no request: running ones are answered, waiting ones at once, and the process exits normally", async () => {
    const admin = createApiClient(service.url, ADMIN_KEY);
    const { body: account } = await admin.post("/v1/aws-accounts", { givenId: "drained" });
    const waiting = admin.get(`/v1/aws-accounts/${account.id}`, { prefer: "wait=60" });
    await until(
      async () => (await (await fetch(`${service.url}/metrics`)).text()).includes("slipway_waiting_reads 1"),
      "a read waits",
    );
    const clients = Array.from({ length: 8 }, () => askUntilRefused(service.url));
    await until(() => clients.every((client) => client.answered() > 5), "every client is being served");

    service.process.kill("SIGTERM");
    const startedAt = Date.now();
    const held = await waiting;
    assert.equal(held.status, 200);
    assert.equal(held.headers.get("connection"), "close");
    assert.ok(Date.now() - startedAt < 30_000, "a wait ends long before its minute has passed");
    for (const client of clients) {
      const { statuses, error, lastConnection } = await client.done;
      assert.deepEqual([...new Set(statuses)], [200]);
      assert.equal(error, "ECONNREFUSED", "only a new connection is refused");
      assert.equal(lastConnection, "close");
    }
    assert.equal(await service.ended, 0);
    assert.ok(Date.now() - startedAt < 45_000);
  });

  it("loses no answered write, nor its work", async () => {
    const project = await createProject(createApiClient(service.url, ADMIN_KEY), "drained");
    const path = `/v1/environments/${project.environmentId}/env-variables`;
    const runs = new Map<string, string>();
    const clients = Array.from({ length: 4 }, async (_, client) => {
      const admin = createApiClient(service.url, ADMIN_KEY);
      for (let count = 1; ; count += 1) {
        const name = `V_${client}_${count}`;
        // Refused only where nothing was sent: what was is answered.
        const sent = await admin.post(path, { parameterStore: { [name]: "value" } }).catch(causeOf);
        if (typeof sent === "string") return sent;
        assert.equal(sent.status, 202, sent.text);
        runs.set(name, sent.body.runId);
      }
    });
    await until(() => runs.size > 8, "writes are being served", 60_000);
    service.process.kill("SIGTERM");
    assert.deepEqual(new Set(await Promise.all(clients)), new Set(["ECONNREFUSED"]), service.stdout());
    assert.equal(await service.ended, 0, service.stdout());

    service = await startProcess(env);
    const admin = createApiClient(service.url, ADMIN_KEY);
    for (const [name, runId] of runs) {
      const run = await until(
        async () => {
          const { body } = await admin.get(`${path}/status?runId=${runId}`);
          return body.isFinished === true && body;
        },
        `run ${runId} ends`,
        60_000,
      );
      assert.deepEqual(Object.keys(run.storedEnvVariables), [name]);
    }
    const { parameters } = await stateOf(admin, project.awsAccountId);
    assert.equal(parameters.length, runs.size);
    for (const { versionCount } of parameters) assert.equal(versionCount, 1);
  });
});

/** The system's word for why `fetch` could not send a request. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : String(error);
}

/** A client that sends one request after the other over its one connection until it cannot connect again. */
function askUntilRefused(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: number[] = [];
  let lastConnection: string | undefined;
  const run = async () => {
    for (;;) {
      const sent = request(`${url}/v1/users`, { agent, headers: { authorization: `Bearer ${ADMIN_KEY}` } });
      try {
        const answer = await answerOf(sent);
        statuses.push(answer.statusCode ?? 0);
        lastConnection = answer.headers.connection;
      } catch (error) {
        agent.destroy();
        return { statuses, error: (error as NodeJS.ErrnoException).code, lastConnection };
      }
    }
  };
  return { answered: () => statuses.length, done: run() };
}

function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once("error", reject);
    sent.once("response", (answer) => {
      answer.once("error", reject);
      answer.once("end", () => resolve(answer));
      answer.resume();
    });
    sent.end();
  });
}
