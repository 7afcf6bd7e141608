/** Slipway as an operator runs it on AWS, with a git host and a DNS server of the tests' own around it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { TEST_CERTIFICATE } from "../helpers/git/certificate.ts";
import { answerGit } from "../helpers/git/fake-git-host.ts";
import { startLocalServer } from "../helpers/git/local-server.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { startDnsServer } from "../helpers/customers/dns-server.ts";
import { freePort } from "../helpers/free-port.ts";
import { startProcess } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import type { Emulator } from "./emulator/emulator.ts";

export const KEY = "test-admin-key-0123456789abcdef";
export const ACCOUNT_ID = "999988887777";

export type AwsSlipway = {
  readonly api: ApiClient;
  /** Its database and keys. */
  readonly dataDir: string;
  /** Everything that it logged, including earlier processes. */
  readonly log: () => string;
  /** Sets a record where Slipway's checks look, and where the emulator's ACM does. */
  setDnsRecord(record: { name: string; type: string; value: string }): void;
  /** Sets the commit of the branch `main` of the customer's repository. */
  setHead(commit: string): void;
  /** `kill -9`; resolves when the process has exited. */
  kill(): Promise<void>;
  /** The same, and another process in its place, on the same data and address. */
  replace(env?: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
};

/** What Slipway and its customers meet in AWS's place. */
export type Aws = Pick<Emulator, "url" | "setDnsRecord"> & {
  /** The customer makes the connection's stack. */
  readonly connect: (
    api: ApiClient,
    connectionId: string,
  ) => Promise<{ readonly accountId: string; readonly roleArn: string }>;
};

/** moto has no stacks that report: the role is made, and the test reports it. */
function reporting({ url, setDnsRecord, trust }: Emulator): Aws {
  return {
    url,
    setDnsRecord,
    async connect(api, connectionId) {
      const role = trust.createRole(connectionId);
      await until(
        () =>
          report(api.baseUrl, connectionId, role).then(
            () => true,
            () => false,
          ),
        "the stack reports",
        PATIENCE_MS,
      );
      return role;
    },
  };
}

export async function startSlipway(
  given: Emulator | Aws,
  env: Record<string, string> = {},
): Promise<
  AwsSlipway & {
    /** @param source of its one environment, beside its branch */
    createProject(name: string, services?: readonly object[], source?: object): Promise<Project>;
  }
> {
  const emulator = "trust" in given ? reporting(given) : given;
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-aws-acceptance-"));
  const caFile = path.join(folder, "ca.pem");
  await writeFile(caFile, TEST_CERTIFICATE);
  const records: Record<string, string[]> = {};
  const dns = await startDnsServer({ zones: ["", "example.com"], records });
  let head = "a".repeat(40);
  /** The repository's slipway.json. */
  let file: string | null = null;
  const git = await startLocalServer("https", (request, response) => {
    const { pathname } = new URL(request.url ?? "", "https://git");
    if (pathname.includes(".git/")) {
      return answerGit(request, response, [{ name: "refs/heads/main", oid: head }], 2);
    }
    if (pathname.includes("/repository/files/")) {
      response.writeHead(file === null ? 404 : 200, { "content-type": "text/plain" }).end(file ?? "");
      return;
    }
    const isUser = pathname.endsWith("/user");
    const body = isUser ? { id: 1, username: "slipway" } : { id: 2, visibility: "public" };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });

  const dataDir = path.join(folder, "data");
  await copyPgliteTemplate(path.join(dataDir, "database"));
  const port = await freePort();

  const start = (more: Record<string, string>) =>
    startProcess({
      PORT: String(port),
      SLIPWAY_CLOUD: "aws",
      SLIPWAY_LOG: "debug",
      SLIPWAY_AWS_ACCOUNT_ID: ACCOUNT_ID,
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: KEY,
      SLIPWAY_DNS_SERVERS: `127.0.0.1:${dns.port}`,
      SLIPWAY_GIT_ALLOWED_HOSTS: "127.0.0.1",
      NODE_EXTRA_CA_CERTS: caFile,
      AWS_ENDPOINT_URL: emulator.url,
      AWS_ACCESS_KEY_ID: "own",
      AWS_SECRET_ACCESS_KEY: "own",
      AWS_EC2_METADATA_DISABLED: "true",
      ...env,
      ...more,
    });
  let service = await start({});
  let logBefore = "";

  const slipway = {
    dataDir,
    get api() {
      return createApiClient(service.url, KEY);
    },
    log: () => logBefore + service.stdout() + service.stderr(),
    setDnsRecord({ name, type, value }: { name: string; type: string; value: string }) {
      records[`${name.toLowerCase()} ${type}`] = [value];
      emulator.setDnsRecord({ name, type: type as "CNAME", value });
    },
    setHead(commit: string) {
      head = commit;
    },
    async kill() {
      service.process.kill("SIGKILL");
      await service.ended;
    },
    async replace(more: Record<string, string> = {}) {
      await slipway.kill();
      logBefore = slipway.log();
      service = await start(more);
    },
    async stop() {
      await slipway.kill();
      await git.close();
      await dns.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };

  return {
    ...slipway,
    get api() {
      return slipway.api;
    },
    async createProject(name, services = [EXTERNAL], source = {}) {
      const api = patient(slipway.api);
      const { body: account } = await api.post("/v1/aws-accounts", { givenId: `account-${name}` });
      const role = await emulator.connect(api, account.id);
      await untilAccount(api, account.id, "CONNECTED");
      const host = git.host;
      await api.post("/v1/git-integrations", { provider: "provider_b_self_hosted", host, token: "glpat-1" });
      const { body: me } = await api.get("/v1/users");
      await api.patch(`/v1/users/${me.users[0].id}`, { gitLogin: "ann" });
      const environment = {
        id: "production",
        name: "Production",
        region: "us-west-2",
        source: { branch: "main", trigger: "manual", ...source },
        services,
      };
      const config = { environments: [environment] };
      // The services of a preview are those of its commit.
      const isTemplate = "pr" in source;
      if (isTemplate) file = JSON.stringify(config);
      const created = await api.post("/v1/projects", {
        name,
        repoUrl: `https://${host}/acme/shop.git`,
        awsAccountId: account.id,
        codeSource: { provider: "provider_b_self_hosted", host },
        ...(isTemplate
          ? { configType: "iac", configFilePath: "slipway.json", configFileBranch: "main" }
          : { configType: "gui", config }),
      });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      const environments = await api.get(`/v1/projects/${created.body.id}/environments`);
      const environmentId = environments.body.environments[0].id;
      const { body: made } = await api.get(`/v1/environments/${environmentId}/services`);
      return {
        ...role,
        connectionId: account.id,
        projectId: created.body.id,
        repoUrl: created.body.repoUrl,
        environmentId,
        // A template has no services itself.
        serviceId: made.services[0]?.id ?? "",
      };
    },
  };
}

/** A service that runs elsewhere: nothing is deployed for it. */
const EXTERNAL = { id: "site", name: "Site", type: "external", hostname: "origin.example.net" };

/** Starts on a busy machine take their time, and a story may have several. */
const PATIENCE_MS = 600_000;

/** A client that asks again while the service is away, with one Idempotency-Key for each write. */
export function patient(api: ApiClient): ApiClient {
  const again = (ask: (headers: Record<string, string>) => Promise<ApiAnswer>): Promise<ApiAnswer> => {
    const headers = { "idempotency-key": randomUUID() };
    return until(() => ask(headers).catch(() => null), "the service answers", PATIENCE_MS);
  };
  return {
    ...api,
    get: (path) => again(() => api.get(path)),
    post: (path, body) => again((headers) => api.post(path, body, headers)),
    patch: (path, body) => again(() => api.patch(path, body)),
    delete: (path) => again((headers) => api.delete(path, undefined, headers)),
  };
}

export type Project = {
  readonly connectionId: string;
  readonly accountId: string;
  readonly roleArn: string;
  readonly projectId: string;
  readonly repoUrl: string;
  readonly environmentId: string;
  readonly serviceId: string;
};

/** As the stack's function does. */
export async function report(
  baseUrl: string,
  connectionId: string,
  { accountId, roleArn }: { accountId: string; roleArn: string },
): Promise<void> {
  const response = await fetch(`${baseUrl}/cloud-callbacks/${connectionId}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ accountId, roleArn }),
  });
  assert.equal(response.status, 204, await response.text());
}

/** The connection once it has this status. */
export async function untilAccount(api: ApiClient, id: string, status: string) {
  return await until(
    async () => {
      const { body } = await api.get(`/v1/aws-accounts/${id}`);
      return body.status === status && body;
    },
    `connection ${id} becomes ${status}`,
    PATIENCE_MS,
  );
}
