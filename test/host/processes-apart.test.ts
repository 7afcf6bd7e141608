/** API, worker and edge of an own server in processes of their own, on PostgreSQL, each killed in turn. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { createGroup, untilDomain } from "../helpers/customers/scenario.ts";
import { freePort } from "../helpers/free-port.ts";
import {
  createHostService,
  EDGE_HOSTNAME,
  type HostSurroundings,
  KEY,
  startHostSurroundings,
} from "../helpers/host/host-instance.ts";
import { succeed } from "../helpers/processes/operator-commands.ts";
import { type PostgresCluster, startPostgresCluster } from "../helpers/processes/postgres-cluster.ts";
import {
  type ServiceProcess,
  startProcess,
  startSandboxProcess,
} from "../helpers/processes/service-process.ts";
import { until } from "../helpers/until.ts";

const OWN_NAME = `slipway.${EDGE_HOSTNAME}`;
type Part = "edge" | "api" | "worker";

describe("an own server in several processes", { timeout: 200_000 }, () => {
  let around: HostSurroundings;
  let cluster: PostgresCluster;
  let origin: Server;
  let api: ApiClient;
  const running = new Map<Part, ServiceProcess>();
  let start: (part: Part) => Promise<void>;
  let env: Readonly<Record<string, string>>;

  before(async () => {
    around = await startHostSurroundings();
    cluster = await startPostgresCluster();
    origin = createServer((request, response) => response.end(`origin ${request.url}`)).listen(
      0,
      "127.0.0.1",
    );
    await once(origin, "listening");
    const { PORT = "", ...rest } = around.env;
    const shared = {
      ...rest,
      DATABASE_URL: cluster.url,
      SLIPWAY_SEALING_KEYS: path.join(around.dataDir, "keys"),
      SLIPWAY_PUBLIC_URL: `https://${OWN_NAME}`,
      SLIPWAY_TRUSTED_PROXIES: "127.0.0.1",
      SLIPWAY_SANDBOX_SECRET: "secret-of-several-processes",
      SLIPWAY_SANDBOX_URL: `http://127.0.0.1:${await freePort()}`,
    };
    env = { ...shared, SLIPWAY_DATA_DIR: path.join(around.dataDir, "operator") };
    start = async (part) => {
      const made =
        part === "edge"
          ? await startSandboxProcess({ ...shared, PORT })
          : await startProcess({
              ...shared,
              PORT: part === "api" ? PORT : "0",
              SLIPWAY_ROLE: part,
              SLIPWAY_DATA_DIR: path.join(around.dataDir, part),
            });
      running.set(part, made);
    };
    await start("edge");
    await start("api");
    await start("worker");
    api = createApiClient(`http://127.0.0.1:${PORT}`, KEY);
  });
  after(async () => {
    for (const part of running.keys()) await kill(part);
    origin.close();
    cluster.dispose();
    await around.stop();
  });

  async function kill(part: Part): Promise<void> {
    running.get(part)?.process.kill("SIGKILL");
    await running.get(part)?.ended;
  }

  /** A domain from its creation until the edge serves it. @param during happens once its certificate is requested */
  async function serve(name: string, serviceId: string, during: () => Promise<void>): Promise<void> {
    around.names.set(name, "A", "127.0.0.1");
    const group = await createGroup(api, serviceId, [name]);
    await during();
    await untilDomain(api, group.createdDomains[0].id, "ATTACHED");
    const { body } = await around.get(name, `/${name}`);
    assert.equal(body, `origin /${name}`);
  }

  let serviceId = "";
  it("serves a domain, and Slipway under its public name", async () => {
    const address = origin.address();
    assert.ok(address !== null && typeof address === "object");
    serviceId = await createHostService(api, around.gitHost, "shop", `localhost:${address.port}`);
    await serve("one.example.com", serviceId, async () => undefined);
    await until(
      () =>
        around.get(OWN_NAME, "/healthz").then(
          ({ status }) => status === 200,
          () => false,
        ),
      "the API is served at the edge",
      30_000,
    );
  });

  it("is backed up while it serves, with the folder of its edge", async () => {
    const file = path.join(around.dataDir, "apart.slipway");
    assert.match(await succeed(env, "backup", "--to", file), /at-rest\.key and host\.key elsewhere/);
    assert.match(await succeed(env, "backup", "verify", file), /sealed values that open/);
    const text = gunzipSync(await readFile(file)).toString("utf8");
    assert.match(text, /\["acme-names","\d+\/one\.example\.com",/);
    assert.equal((await around.get("one.example.com")).status, 200);
  });

  for (const part of ["worker", "api", "edge"] as const) {
    it(`continues after kill -9 of its ${part}`, async () => {
      await serve(`${part}.example.com`, serviceId, async () => {
        await kill(part);
        // What another process does not need is served meanwhile.
        if (part !== "edge") assert.equal((await around.get("one.example.com")).status, 200);
        await start(part);
      });
      assert.equal((await around.get("one.example.com")).status, 200);
    });
  }
});
