/** An own server behind Caddy, in the processes of `docs/how-to/own-server.md`: `slipway start`, `slipway edge` and Caddy. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { createGroup, untilDomain } from "../helpers/customers/scenario.ts";
import { freePort } from "../helpers/free-port.ts";
import { type Caddy, startCaddy } from "../helpers/host/caddy.ts";
import { EDGE_HOSTNAME, type HostInstance, startHostInstance } from "../helpers/host/host-instance.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const SECRET = "a-secret-of-edges-that-is-long-enough";
const SLIPWAY = `slipway.${EDGE_HOSTNAME}`;
const PROGRAM = path.join(import.meta.dirname, "../../bin/slipway.js");

describe("an own server behind Caddy", { timeout: 180_000 }, () => {
  let instance: HostInstance;
  let caddy: Caddy;
  let edge: ChildProcess;
  let origin: Server;
  let folder: string;
  before(async () => {
    origin = createServer((request, response) => response.end(`shop: ${request.url}`));
    await once(origin.listen(0, "127.0.0.1"), "listening");
    instance = await startHostInstance({
      env: {
        SLIPWAY_EDGE_HTTP_PORT: String(await freePort()),
        SLIPWAY_EDGE_HTTPS_PORT: String(await freePort()),
        SLIPWAY_EDGE_SECRET: SECRET,
        SLIPWAY_PUBLIC_URL: `https://${SLIPWAY}`,
        SLIPWAY_TRUSTED_PROXIES: "127.0.0.1",
      },
    });
    caddy = await startCaddy();
    folder = await makeTempDir("caddy-server");
    edge = startEdge();
  });
  after(async () => {
    edge.kill("SIGKILL");
    await caddy.stop();
    await instance.stop();
    origin.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Caddy listens where the CA checks names. */
  function startEdge(): ChildProcess {
    const { http, https } = instance.ports;
    return spawn(process.execPath, [PROGRAM, "edge"], {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...process.env,
        HOST: "127.0.0.1",
        SLIPWAY_DATA_DIR: folder,
        SLIPWAY_EDGE_CADDY: caddy.adminUrl,
        SLIPWAY_EDGE_SECRET: SECRET,
        SLIPWAY_EDGE_CONTROL_URL: instance.url,
        SLIPWAY_EDGE_ADDRESSES: "127.0.0.1",
        SLIPWAY_EDGE_HTTP_PORT: String(http),
        SLIPWAY_EDGE_HTTPS_PORT: String(https),
        SLIPWAY_EDGE_DRAIN: "3s",
        SLIPWAY_SANDBOX_ALLOWED_ORIGINS: "localhost",
        SLIPWAY_LOG: "fatal",
      },
    });
  }

  const comes = (name: string, at: string) =>
    until(
      () =>
        instance.get(name, at).then(
          ({ status }) => status === 200,
          () => false,
        ),
      `${name} is served`,
    );

  it("serves its console under its own name", async () => {
    await comes(SLIPWAY, "/healthz");
    assert.match((await instance.get(SLIPWAY, "/console/")).body, /<title>Slipway<\/title>/);
  });

  it("serves a customer's domain seconds after its record", async (t) => {
    const address = origin.address();
    assert.ok(address !== null && typeof address === "object");
    const serviceId = await instance.createService("shop", `localhost:${address.port}`);
    const name = "www.shop.example.com";
    const group = await createGroup(instance.api, serviceId, [name]);
    const [domain] = group.createdDomains;
    const read = async () => (await instance.api.get(`/v1/domains/${domain?.id}`)).body;
    const connection = await until(
      async () =>
        (await read()).dnsRecords.find(
          (record: { purpose: string; value: string | null }) =>
            record.purpose === "SERVICE_CONNECTION" && record.value !== null,
        ),
      "the record is known",
    );
    const setAt = performance.now();
    instance.names.set(connection.name, "CNAME", connection.value);
    await untilDomain(instance.api, domain?.id ?? "", "ATTACHED");
    await comes(name, "/");
    t.diagnostic(`from the record to HTTPS: ${Math.round(performance.now() - setAt)} ms`);
    assert.equal((await instance.get(name, "/a?b")).body, "shop: /a?b");
  });

  it("serves again after kill -9 of slipway edge, and another start of it", async () => {
    const ended = once(edge, "exit");
    edge.kill("SIGKILL");
    await ended;
    await assert.rejects(instance.get(SLIPWAY));
    edge = startEdge();
    await comes(SLIPWAY, "/healthz");
    await comes("www.shop.example.com", "/");
  });

  it("takes no connection after slipway edge has stopped", async () => {
    const ended = once(edge, "exit");
    edge.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
    await assert.rejects(instance.get(SLIPWAY), /ECONNREFUSED/);
  });
});
