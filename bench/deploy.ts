/**
 * `npm run bench:deploy [-- --rounds 20]`: the time from `POST /v1/deployments` to the first answer of the new
 * version at the edge, of a static and a web service without a build command, under load from before the POST until
 * after; and the requests that failed meanwhile. One process on the embedded database and the sandbox as `npm start`
 * runs them; both sides share the machine.
 */
import { rm } from "node:fs/promises";
import { loadavg } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { getFromEdge } from "../test/helpers/sandbox/edge-client.ts";
import { type ApiClient, createApiClient } from "../test/helpers/api-client.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  listServices,
  push,
  withConfig,
} from "../test/helpers/customers/deployments.ts";
import { freePort } from "../test/helpers/free-port.ts";
import { ADMIN_KEY } from "../test/helpers/instance.ts";
import { keepAsking } from "../test/helpers/keep-asking.ts";
import { connectAccount } from "../test/helpers/customers/scenario.ts";
import { startProcess } from "../test/helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../test/helpers/template.ts";
import { until } from "../test/helpers/until.ts";

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "20" } } });
const rounds = Number(options.rounds);

const SERVICES = {
  static: { id: "static", type: "static", outputDirectory: "public" },
  web: { id: "web", type: "web", startCommand: "node server.js", port: 3000 },
};
const filesOf = (version: string) => ({
  "public/index.html": version,
  "server.js": `require("node:http").createServer((request, response) => response.end("${version}"))
    .listen(process.env.PORT, "127.0.0.1");`,
});

type Place = {
  readonly dataDir: string;
  readonly admin: ApiClient;
  /** What a host's page says. */
  readonly getPage: (host: string) => Promise<{ readonly status: number; readonly body: string }>;
};

async function main(): Promise<void> {
  const dataDir = await makeTempDir("bench-deploy");
  await copyPgliteTemplate(path.join(dataDir, "database"));
  const edgePort = await freePort();
  const service = await startProcess({
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_API_KEY: ADMIN_KEY,
    SLIPWAY_RATE_LIMIT_PER_MINUTE: "0",
    SLIPWAY_SANDBOX_PACE: "real",
    SLIPWAY_SANDBOX_EDGE_PORT: String(edgePort),
  });
  try {
    const admin = createApiClient(service.url, ADMIN_KEY);
    await connectAccount(admin, "main");
    await admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    const caCertificatePem = await (await fetch(`${service.url}/sandbox/ca.pem`)).text();
    const getPage = (host: string) => getFromEdge({ edgePort, caCertificatePem }, host);
    print(
      `| POST → new version served, ${rounds} each | p50 | p90 | longest | requests meanwhile | failed |`,
    );
    print("|---|---|---|---|---|---|");
    for (const type of ["static", "web"] as const) {
      const { times, asked, failed } = await measure({ dataDir, admin, getPage }, type);
      const at = (share: number): string => seconds(times, share);
      print(`| ${type} | ${at(0.5)} | ${at(0.9)} | ${at(1)} | ${asked} | ${failed} |`);
    }
    const [minute = 0] = loadavg();
    print(`\nload of the machine in the last minute: ${minute.toFixed(1)}`);
  } finally {
    service.process.kill("SIGTERM");
    await service.ended;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measure({ dataDir, admin, getPage }: Place, type: keyof typeof SERVICES) {
  const pushVersion = (version: string) =>
    push({ dataDir }, type, withConfig(configOf([SERVICES[type]]), filesOf(version)));
  await pushVersion("first");
  const ids = await listServices(admin, await createIacProject(admin, type));
  await ended(admin, await deploy(admin, type));
  const host: string = (await admin.get(`/v1/services/${ids[type]}`)).body.cdnDomainName;
  const load = keepAsking(() => getPage(host));
  const times: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const version = `version-${round}`;
    await pushVersion(version);
    const startedAt = performance.now();
    const id = await deploy(admin, type);
    await until(async () => (await getPage(host)).body === version, `${version} is served`, 60_000);
    times.push(performance.now() - startedAt);
    await ended(admin, id);
  }
  const { asked, failed } = await load.stop();
  return { times, asked, failed: failed.length };
}

function seconds(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return `${(at / 1_000).toFixed(2)} s`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
