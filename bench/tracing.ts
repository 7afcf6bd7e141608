/**
 * `npm run bench:tracing [-- --rounds 8 --seconds 3]`: what tracing costs. Three API processes on one database, without a
 * collector, with one trace in a hundred, and with all of them, are loaded in turn. Prints the medians of their rates, and
 * of the processor time of a request, which what else the machine does changes least.
 */
import { rm } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createApiClient } from "../test/helpers/api-client.ts";
import { createProject } from "../test/helpers/customers/scenario.ts";
import { startPostgresCluster } from "../test/helpers/processes/postgres-cluster.ts";
import {
  type ServiceProcess,
  startProcess,
  startSandboxProcess,
} from "../test/helpers/processes/service-process.ts";
import { startTraceReceiver } from "../test/helpers/processes/trace-receiver.ts";
import { makeTempDir } from "../test/helpers/template.ts";
import { measure, requestText } from "./load/load.ts";
import { median } from "./load/median.ts";
import { cpuMsOf } from "./process.ts";

const KEY = "bench-admin-key-0123456789abcdef";
const CONNECTIONS = 16;

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "8" }, seconds: { type: "string", default: "3" } },
});

const cluster = await startPostgresCluster({ shared_buffers: "512MB", max_wal_size: "4GB" });
const dataDir = await makeTempDir("bench-tracing");
const collector = await startTraceReceiver();
const processes: ServiceProcess[] = [];
try {
  const env = {
    DATABASE_URL: cluster.url,
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_API_KEY: KEY,
    SLIPWAY_RATE_LIMIT_PER_MINUTE: "1000000",
    SLIPWAY_SANDBOX_SECRET: "bench-sandbox-secret",
  };
  const first = await startProcess(env);
  const { services } = await createProject(createApiClient(first.url, KEY), "bench");
  first.process.kill("SIGTERM");
  await first.ended;
  const sandbox = await startSandboxProcess({
    ...env,
    SLIPWAY_PUBLIC_URL: first.url,
    SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0",
  });
  processes.push(sandbox);
  const start = async (more: Readonly<Record<string, string>>): Promise<ServiceProcess> => {
    const api = { SLIPWAY_ROLE: "api", SLIPWAY_SANDBOX_URL: sandbox.url, SLIPWAY_PUBLIC_URL: first.url };
    const started = await startProcess({ ...env, ...api, ...more });
    processes.push(started);
    return started;
  };
  const traced = (ratio: string): Record<string, string> => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: ratio,
  });
  const sides = {
    off: await start({}),
    "1 %": await start(traced("0.01")),
    all: await start(traced("1")),
  };
  const variables = `/v1/services/${services["web"]}/env-variables`;
  const figures: Readonly<Record<string, () => string>> = {
    "GET /v1/me": () => requestText("GET", "/v1/me", KEY),
    "GET /v1/aws-accounts": () => requestText("GET", "/v1/aws-accounts?limit=20", KEY),
    "POST env-variables": () =>
      requestText(
        "POST",
        variables,
        KEY,
        JSON.stringify({ plainText: { [`NAME_${Math.floor(Math.random() * 400)}`]: `${Math.random()}` } }),
      ),
  };
  print("| figure | tracing | requests/s | CPU of a request | of `off` |");
  print("|---|---|---|---|---|");
  for (const [figure, next] of Object.entries(figures)) {
    const rates = { off: [] as number[], "1 %": [] as number[], all: [] as number[] };
    const cpuMs = { off: [] as number[], "1 %": [] as number[], all: [] as number[] };
    for (let round = 0; round <= Number(options.rounds); round += 1) {
      for (const [name, service] of Object.entries(sides) as [keyof typeof sides, ServiceProcess][]) {
        const pid = service.process.pid ?? 0;
        const before = cpuMsOf(pid);
        const port = Number(new URL(service.listensAt).port);
        const durationMs = Number(options.seconds) * 1_000;
        const found = await measure({ port, connections: CONNECTIONS, durationMs, next });
        const answered = [...found.statuses.values()].reduce((sum, count) => sum + count, 0);
        // The first round warms up.
        if (round === 0) continue;
        rates[name].push(found.perSecond);
        cpuMs[name].push((cpuMsOf(pid) - before) / answered);
      }
    }
    const off = median(cpuMs.off);
    for (const name of ["off", "1 %", "all"] as const)
      print(
        `| ${figure} | ${name} | ${median(rates[name]).toFixed(0)} | ${median(cpuMs[name]).toFixed(3)} ms | ${(median(cpuMs[name]) / off).toFixed(3)} |`,
      );
  }
  print(`\n${collector.spans().length} spans arrived.`);
} finally {
  for (const { process } of processes) process.kill("SIGKILL");
  await collector.stop();
  cluster.dispose();
  await rm(dataDir, { recursive: true, force: true });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
