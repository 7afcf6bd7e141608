/**
 * Slipway on its own server, as an operator runs it: a process with its edge on loopback ports. Around it are Pebble as
 * the public CA, a DNS of the test's own, and a git host.
 */
import assert from "node:assert/strict";
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, RequestListener } from "node:http";
import { request as requestHttps } from "node:https";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { type ApiClient, createApiClient } from "../api-client.ts";
import { freePort } from "../free-port.ts";
import { TEST_CERTIFICATE } from "../git/certificate.ts";
import { answerGit } from "../git/fake-git-host.ts";
import { startLocalServer } from "../git/local-server.ts";
import { type ServiceProcess, startProcess } from "../processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../template.ts";
import { until } from "../until.ts";
import { startTestNames, type TestNames } from "./names.ts";
import { type Pebble, type PebbleOptions, startPebble } from "./pebble.ts";

export const KEY = "test-admin-key-0123456789abcdef";
export const EDGE_HOSTNAME = "edge.slipway-host.example.net";

export type EdgeAnswer = {
  readonly status: number;
  readonly location: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The serial number of the certificate that the edge presented. */
  readonly serialNumber: string;
};

export type HostInstance = {
  readonly api: ApiClient;
  readonly url: string;
  readonly names: TestNames;
  readonly pebble: Pebble;
  readonly dataDir: string;
  readonly ports: { readonly http: number; readonly https: number; readonly dns: number };
  /** Everything that it logged, including earlier processes. */
  log(): string;
  /** An HTTPS request to the edge, which must present a certificate of Pebble. @param to the port of another edge */
  get(name: string, at?: string, headers?: OutgoingHttpHeaders, to?: number): Promise<EdgeAnswer>;
  /** The configuration of its process. */
  readonly env: Readonly<Record<string, string>>;
  /** `kill -9`, and another process in its place, after `meanwhile`. */
  replace(env?: Record<string, string>, meanwhile?: () => Promise<void>): Promise<void>;
  /** A connected account, and a project with one external service at this origin. @returns the service's id */
  createService(name: string, hostname: string): Promise<string>;
  stop(): Promise<void>;
};

export type HostSurroundings = Pick<HostInstance, "names" | "pebble" | "dataDir" | "ports" | "get"> & {
  readonly gitHost: string;
  /** The configuration of every process of the server. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

/** The CA, the DNS and the git host of a server that is to be started. */
export async function startHostSurroundings(
  pebbleOptions: Partial<PebbleOptions> = {},
): Promise<HostSurroundings> {
  const dataDir = await makeTempDir("own-server");
  const names = await startTestNames();
  const ports = { http: await freePort(), https: await freePort(), dns: await freePort() };
  names.set(EDGE_HOSTNAME, "A", "127.0.0.1");
  names.set(`*.${EDGE_HOSTNAME}`, "A", "127.0.0.1");
  names.delegate(`acme.${EDGE_HOSTNAME}`, ports.dns);
  const pebble = await startPebble({
    dns: names,
    httpPort: ports.http,
    httpsPort: ports.https,
    ...pebbleOptions,
  });
  const git = await startLocalServer("https", answerAsGitHost);
  const gitCa = path.join(dataDir, "git-ca.pem");
  await writeFile(gitCa, TEST_CERTIFICATE);
  return {
    dataDir,
    names,
    ports,
    pebble,
    gitHost: git.host,
    env: {
      PORT: String(await freePort()),
      SLIPWAY_CLOUD: "host",
      SLIPWAY_LOG: "debug",
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: KEY,
      SLIPWAY_EDGE_HOSTNAME: EDGE_HOSTNAME,
      SLIPWAY_EDGE_ADDRESSES: "127.0.0.1",
      SLIPWAY_EDGE_HTTP_PORT: String(ports.http),
      SLIPWAY_EDGE_HTTPS_PORT: String(ports.https),
      SLIPWAY_EDGE_DNS_PORT: String(ports.dns),
      SLIPWAY_ACME_DIRECTORY: pebble.directory,
      SLIPWAY_ACME_CA_FILE: pebble.caFile,
      SLIPWAY_DNS_SERVERS: `${names.host}:${names.port}`,
      SLIPWAY_SANDBOX_ALLOWED_ORIGINS: "localhost",
      SLIPWAY_GIT_ALLOWED_HOSTS: "127.0.0.1",
      NODE_EXTRA_CA_CERTS: gitCa,
    },
    get: async (name, at = "/", headers = {}, to = ports.https) =>
      await getFromEdge(name, at, headers, to, await pebble.rootPem()),
    async stop() {
      await pebble.stop();
      await git.close();
      await names.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export async function startHostInstance(
  options: { readonly env?: Record<string, string>; readonly pebble?: Partial<PebbleOptions> } = {},
): Promise<HostInstance> {
  const around = await startHostSurroundings(options.pebble);
  const { dataDir, names, pebble, ports } = around;
  await copyPgliteTemplate(path.join(dataDir, "database"));
  const start = (more: Record<string, string> = {}) =>
    startProcess({ ...around.env, ...options.env, ...more });
  let service: ServiceProcess = await start();
  let logBefore = "";
  const kill = async (): Promise<void> => {
    service.process.kill("SIGKILL");
    await service.ended;
    logBefore += service.stdout() + service.stderr();
  };
  return {
    get api() {
      return createApiClient(service.listensAt, KEY);
    },
    get url() {
      return service.listensAt;
    },
    names,
    pebble,
    dataDir,
    ports,
    log: () => logBefore + service.stdout() + service.stderr(),
    get: around.get,
    env: { ...around.env, ...options.env },
    async replace(env, meanwhile) {
      await kill();
      await meanwhile?.();
      service = await start(env);
    },
    createService: (name, hostname) =>
      createHostService(createApiClient(service.listensAt, KEY), around.gitHost, name, hostname),
    async stop() {
      await kill();
      await around.stop();
    },
  };
}

/** A connected account, and a project with one external service at this origin. @returns the service's id */
export async function createHostService(
  api: ApiClient,
  gitHost: string,
  name: string,
  hostname: string,
): Promise<string> {
  const accountId = await connect(api, `account-${name}`);
  const made = await api.post("/v1/git-integrations", {
    provider: "provider_b_self_hosted",
    host: gitHost,
    token: "glpat-1",
  });
  if (made.status === 201) {
    const { body: me } = await api.get("/v1/users");
    await api.patch(`/v1/users/${me.users[0].id}`, { gitLogin: "ann" });
  }
  const created = await api.post("/v1/projects", {
    name,
    repoUrl: `https://${gitHost}/acme/shop.git`,
    awsAccountId: accountId,
    codeSource: { provider: "provider_b_self_hosted", host: gitHost },
    configType: "gui",
    config: { environments: [environmentOf({ id: "site", name: "Site", type: "external", hostname })] },
  });
  assert.equal(created.status, 201, created.text);
  const environments = await api.get(`/v1/projects/${created.body.id}/environments`);
  const { body } = await api.get(`/v1/environments/${environments.body.environments[0].id}/services`);
  return body.services[0].id;
}

/** A connection of this server, made with one POST. @returns its id */
export async function connect(api: ApiClient, givenId: string): Promise<string> {
  const { body: account } = await api.post("/v1/aws-accounts", { givenId });
  assert.equal(account.status, "AWAITING_CONNECTION");
  const connected = await api.post("/host/connections", { ServiceId: account.id });
  assert.equal(connected.status, 201, connected.text);
  await until(
    async () => (await api.get(`/v1/aws-accounts/${account.id}`)).body.status === "CONNECTED",
    "the server is connected",
  );
  return account.id;
}

function environmentOf(service: object): object {
  const source = { branch: "main", trigger: "manual" };
  return { id: "production", name: "Production", region: "us-west-2", source, services: [service] };
}

const answerAsGitHost: RequestListener = (request, response) => {
  const { pathname } = new URL(request.url ?? "", "https://git");
  if (pathname.includes(".git/"))
    return answerGit(request, response, [{ name: "refs/heads/main", oid: "a".repeat(40) }], 2);
  const body = pathname.endsWith("/user") ? { id: 1, username: "slipway" } : { id: 2, visibility: "public" };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
};

async function getFromEdge(
  name: string,
  at: string,
  headers: OutgoingHttpHeaders,
  port: number,
  ca: string,
): Promise<EdgeAnswer> {
  const asked = requestHttps({
    host: "127.0.0.1",
    port,
    path: at,
    servername: name,
    headers: { ...headers, host: name },
    ca,
    agent: false,
  });
  let serialNumber = "";
  asked.on("socket", (socket) =>
    socket.on("secureConnect", () => {
      if ("getPeerCertificate" in socket && typeof socket.getPeerCertificate === "function")
        serialNumber = socket.getPeerCertificate().serialNumber;
    }),
  );
  asked.end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  const { statusCode: status = 0, headers: shown } = answer;
  return { status, location: shown.location, headers: shown, body: await text(answer), serialNumber };
}
