/** The small cloud of an own server in the test's process, with Pebble and a DNS of the test's own. */
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { startHost, type HostOptions, type HostServer } from "../../../sandbox/src/host/host-server.ts";
import { createCallPolicy } from "../../../src/cloud/calls/policy.ts";
import type { Cloud, CloudAccount } from "../../../src/cloud/cloud.ts";
import { createHostCloud } from "../../../src/cloud/sandbox/adapter.ts";
import { parseAllowedHosts } from "../../../src/egress/address-rules.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { openKeyFiles } from "../../../src/sealing/open-sealing.ts";
import { openHostVault } from "../../../src/sealing/vault.ts";
import { freePort } from "../free-port.ts";
import { startLocalServer } from "../git/local-server.ts";
import { makeTempDir } from "../template.ts";
import { startAcmeDirectory } from "./acme-directory.ts";
import { EDGE_HOSTNAME } from "./host-instance.ts";
import { startTestNames, type TestNames } from "./names.ts";
import { type Pebble, startPebble } from "./pebble.ts";

const SECRET = "fixture-secret";
/** The name by which CAA records allow the CA of these tests. */
export const CAA_IDENTITY = "pebble.example.net";

export type HostFixture = {
  readonly server: HostServer;
  readonly cloud: Cloud;
  readonly names: TestNames;
  readonly pebble: Pebble;
  readonly secret: string;
  readonly folder: string;
  /** Where Pebble connects to check names; the edge listens there, unless a test gives it other ports. */
  readonly checked: { readonly httpPort: number; readonly httpsPort: number };
  connect(): Promise<CloudAccount>;
  disconnect(account: CloudAccount): Promise<void>;
  stop(): Promise<void>;
};

export async function startHostFixture(options: Partial<HostOptions> = {}): Promise<HostFixture> {
  const folder = await makeTempDir("host-cloud");
  const names = await startTestNames();
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const pebble = await startPebble({ dns: names, httpPort, httpsPort });
  const directory = await startAcmeDirectory(pebble, [CAA_IDENTITY]);
  const reports = await startLocalServer("http", (request, response) => {
    request.resume();
    response.end();
  });
  const files = await openKeyFiles({ folder: path.join(folder, "keys"), clock: systemClock });
  const stopRest = async (): Promise<void> => {
    await directory.stop();
    await pebble.stop();
    await names.stop();
    await reports.close();
    await rm(folder, { recursive: true, force: true });
  };
  const server = await startHost({
    dataDir: path.join(folder, "host"),
    hostname: EDGE_HOSTNAME,
    addresses: ["127.0.0.1"],
    httpPort,
    httpsPort,
    dnsPort: 0,
    acme: {
      directory: directory.url,
      fallbackDirectory: null,
      caFile: directory.caPem,
      email: null,
      eab: null,
      profile: null,
    },
    dnsServers: [names],
    validationWindowMs: 72 * 3_600_000,
    vault: await openHostVault(files),
    remoteSource: { allowedHosts: parseAllowedHosts([]) },
    secret: SECRET,
    publicUrl: "https://slipway.example.com",
    callbackUrl: (id) => `${reports.url}/${id}`,
    log: { info: () => undefined, warn: () => undefined },
    ...options,
  }).catch(async (error: unknown) => {
    await stopRest();
    throw error;
  });
  names.set(EDGE_HOSTNAME, "A", "127.0.0.1");
  names.set(`*.${EDGE_HOSTNAME}`, "A", "127.0.0.1");
  names.delegate(`acme.${EDGE_HOSTNAME}`, server.ports.dns);
  const ask = async (method: string, at: string, body?: object): Promise<Response> =>
    await fetch(`${server.url}${at}`, {
      method,
      headers: { authorization: `Bearer ${SECRET}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    server,
    cloud: createHostCloud({
      url: server.url,
      publicUrl: "https://slipway.example.com",
      secret: SECRET,
      timeoutMs: 120_000,
      caaIssuers: () => Promise.resolve([CAA_IDENTITY]),
      policy: createCallPolicy({ attempts: 1, attemptMs: 120_000, callMs: Number.MAX_SAFE_INTEGER }),
    }),
    names,
    pebble,
    secret: SECRET,
    folder,
    checked: { httpPort, httpsPort },
    async connect() {
      const connectionId = `aws_${randomBytes(16).toString("hex")}`;
      const answer = await ask("POST", "/host/connections", { ServiceId: connectionId });
      const { accountId, roleArn } = (await answer.json()) as { accountId: string; roleArn: string };
      return { connectionId, accountId, roleArn };
    },
    async disconnect({ connectionId }) {
      await ask("DELETE", `/host/connections/${connectionId}`);
    },
    async stop() {
      await server.stop();
      await stopRest();
    },
  };
}
