/**
 * `npm run bench:idle [-- --seconds 60 --database postgres|embedded]`: what an unused Slipway costs, with a
 * connected account and a project: CPU of each process, and PostgreSQL's statements. The sandbox has its usual pace.
 */
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { createApiClient } from "../test/helpers/api-client.ts";
import { createProject } from "../test/helpers/customers/scenario.ts";
import { startProcess } from "../test/helpers/processes/service-process.ts";
import { makeTempDir } from "../test/helpers/template.ts";
import { cpuMsOf, cpuMsWithChildren } from "./process.ts";
import { KEY, startRig } from "./rig.ts";

/** What the start and the project leave to do is done by then. */
const SETTLE_MS = 20_000;
const ENV = { SLIPWAY_LOG: "error", SLIPWAY_SANDBOX_PACE: "real", SLIPWAY_RATE_LIMIT_PER_MINUTE: "0" };

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    database: { type: "string", default: "" },
  },
});
const seconds = Number(options.seconds);

async function main(): Promise<void> {
  if (options.database !== "postgres") await measureEmbedded();
  if (options.database !== "embedded") await measurePostgres();
}

async function measureEmbedded(): Promise<void> {
  const dataDir = await makeTempDir("idle");
  const service = await startProcess({ ...ENV, SLIPWAY_DATA_DIR: dataDir, SLIPWAY_API_KEY: KEY });
  try {
    await createProject(createApiClient(service.listensAt, KEY), "idle");
    await sleep(SETTLE_MS);
    await printCpu("embedded", () => ({
      "Slipway, with the sandbox": cpuMsWithChildren(service.process.pid ?? 0),
    }));
  } finally {
    service.process.kill("SIGKILL");
    await service.ended;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measurePostgres(): Promise<void> {
  const rig = await startRig(ENV, { shared_preload_libraries: "pg_stat_statements" });
  const database = new Client({ connectionString: rig.cluster.url });
  try {
    await database.connect();
    await database.query("CREATE EXTENSION pg_stat_statements");
    await createProject(rig.client, "idle");
    await sleep(SETTLE_MS);
    await database.query("SELECT pg_stat_statements_reset()");
    const cpuOf = ({ process }: typeof rig.api): number => cpuMsOf(process.pid ?? 0);
    await printCpu("PostgreSQL", () => ({
      API: cpuOf(rig.api),
      worker: cpuOf(rig.worker),
      PostgreSQL: cpuMsWithChildren(rig.cluster.pid()),
      sandbox: cpuOf(rig.sandbox),
    }));
    const { rows } = await database.query<{ query: string; calls: number; ms: number }>(
      `SELECT regexp_replace(left(query, 110), '\\s+', ' ', 'g') AS query, calls::int, total_exec_time AS ms
         FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%' ORDER BY calls DESC`,
    );
    const all = rows.reduce((sum, { calls }) => sum + calls, 0);
    print(`\n| PostgreSQL, idle: ${perSecond(all)} statements a second | a second | each |\n|---|---|---|`);
    for (const { query, calls, ms } of rows)
      print(`| ${query.replaceAll("|", "¦")} | ${perSecond(calls)} | ${(ms / calls).toFixed(3)} ms |`);
  } finally {
    await database.end();
    await rig.dispose();
  }
}

/** Prints how much of a core each process used. */
async function printCpu(name: string, cpu: () => Readonly<Record<string, number>>): Promise<void> {
  const before = cpu();
  await sleep(seconds * 1_000);
  const after = cpu();
  print(`| ${name}, idle for ${seconds} s | of a core |\n|---|---|`);
  for (const [process, ms] of Object.entries(after))
    print(`| ${process} | ${((ms - (before[process] ?? 0)) / (seconds * 10)).toFixed(2)} % |`);
}

const perSecond = (count: number): string => (count / seconds).toFixed(2);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
