/**
 * `npm run bench [-- --domains 1000,1000000]`: the API's figures as ratios to a bare server that runs the
 * same statement on the same PostgreSQL in the same minutes. Rounds alternate, and medians are compared, so
 * that what else the machine does falls on both.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { cleanEnv } from "../test/helpers/processes/service-process.ts";
import { prepareApis } from "./apis.ts";
import { measure, requestText } from "./load/load.ts";
import { median } from "./load/median.ts";
import { cpuMsOf, residentMbOf } from "./process.ts";
import { KEY } from "./rig.ts";
import { seedDomains } from "./seed/seed.ts";

const CONNECTIONS = 16;
/** The first ones warm both up: V8 compiles what a list needs within about ten thousand requests. */
const WARMING_ROUNDS = 2;
const IDLE_AFTER_MS = 12_000;

type Side = { readonly port: number; readonly pid: number; readonly next: () => string };
type Row = {
  readonly figure: string;
  readonly bare: number;
  readonly slipway: number;
  readonly reach: number;
};

const { values: options } = parseArgs({
  options: {
    domains: { type: "string", default: "1000,1000000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
  },
});
const rounds = Number(options.rounds);
const durationMs = Number(options.seconds) * 1000;

async function main(): Promise<void> {
  const apis = await prepareApis({ shared_buffers: "1GB" });
  const { cluster, children, serviceId, environmentId } = apis;
  try {
    const startedAt = performance.now();
    const service = await apis.start();
    await fetch(`${service.listensAt}/readyz`);
    const startMs = performance.now() - startedAt;
    const bare = spawn(process.execPath, [path.join(import.meta.dirname, "bare-server.ts")], {
      env: cleanEnv({ DATABASE_URL: cluster.url }),
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(bare);
    const [printed] = (await once(bare.stdout.setEncoding("utf8"), "data")) as [string];
    const ports = { bare: Number(printed.split(" ")[1]), slipway: Number(new URL(service.listensAt).port) };
    const pids = { bare: bare.pid ?? 0, slipway: service.process.pid ?? 0 };
    // Memory that V8 frees at the end of the start is returned to the system some seconds later.
    await sleep(IDLE_AFTER_MS);
    const idleMb = residentMbOf(pids.slipway);

    const reads: { count: number; read: Row }[] = [];
    const rows: Row[] = [];
    for (const count of options.domains.split(",").map(Number)) {
      const seeded = await seedDomains(cluster.url, serviceId, count);
      const { organizationId, groupId } = seeded;
      const anyId = (): string => seeded.domainIdOf(Math.floor(Math.random() * count));
      const sides = (
        bareNext: () => string,
        slipwayNext: () => string,
      ): Record<"bare" | "slipway", Side> => ({
        bare: { port: ports.bare, pid: pids.bare, next: bareNext },
        slipway: { port: ports.slipway, pid: pids.slipway, next: slipwayNext },
      });
      const read = await compare(
        `GET /v1/domains/{id}, ${count.toLocaleString("en")} domains`,
        0.7,
        sides(
          () => requestText("GET", `/find/${organizationId}/${anyId()}`, KEY),
          () => requestText("GET", `/v1/domains/${anyId()}`, KEY),
        ),
      );
      reads.push({ count, read });
      rows.push(read);
      rows.push(
        await compare(
          `list of 20, ${count.toLocaleString("en")} domains`,
          0.85,
          sides(
            () => requestText("GET", `/list/${organizationId}/${groupId}`, KEY),
            () => requestText("GET", `/v1/domain-certificate-groups/${groupId}/domains?limit=20`, KEY),
          ),
        ),
      );
      const variable = (): string =>
        // A new value each time: setting the same value again changes nothing, and makes no version.
        JSON.stringify({
          plainText: { [`NAME_${Math.floor(Math.random() * 400)}`]: `a value ${Math.random()}` },
        });
      rows.push(
        await compare(
          `POST env-variables, ${count.toLocaleString("en")} domains`,
          0.5,
          sides(
            () =>
              requestText("POST", `/insert/${organizationId}/${environmentId}/${serviceId}`, KEY, variable()),
            () => requestText("POST", `/v1/services/${serviceId}/env-variables`, KEY, variable()),
          ),
        ),
      );
    }
    print("");
    print("| figure | bare /s | Slipway /s | ratio | reach |");
    print("|---|---|---|---|---|");
    for (const { figure, bare: limit, slipway, reach } of rows) {
      const ratio = (slipway / limit).toFixed(2);
      print(`| ${figure} | ${limit.toFixed(0)} | ${slipway.toFixed(0)} | ${ratio} | ≥ ${reach} |`);
    }
    const [least, most] = [reads[0], reads.at(-1)];
    if (least !== undefined && most !== undefined && least !== most) {
      // What the bare server loses on the way is PostgreSQL's, and the machine's.
      const bareShare = most.read.bare / least.read.bare;
      const share = most.read.slipway / least.read.slipway;
      const shares = [bareShare, share, share / bareShare].map((one) => one.toFixed(2)).join(" | ");
      print(`| reads at ${most.count} over reads at ${least.count} domains | ${shares} | ≥ 0.9 |`);
    }
    print(`| start to first answer | | ${startMs.toFixed(0)} ms | | ≤ 1000 ms |`);
    print(`| resident memory, idle | | ${idleMb.toFixed(0)} MB | | ≤ 130 MB |`);
    print(`| resident memory, after the load | | ${residentMbOf(pids.slipway).toFixed(0)} MB | | |`);
  } finally {
    await apis.dispose();
  }
}

/** Alternating rounds of both; the medians of their rates. */
async function compare(figure: string, reach: number, sides: Record<"bare" | "slipway", Side>): Promise<Row> {
  const rates = { bare: [] as number[], slipway: [] as number[] };
  const cpuMs = { bare: [] as number[], slipway: [] as number[] };
  for (let round = 0; round < rounds + WARMING_ROUNDS; round++) {
    for (const name of ["bare", "slipway"] as const) {
      const { port, pid, next } = sides[name];
      const before = cpuMsOf(pid);
      const measured = await measure({ port, connections: CONNECTIONS, durationMs, next });
      const bad = [...measured.statuses.keys()].filter((status) => status >= 300);
      if (bad.length > 0) throw new Error(`${figure}: ${name} answered ${bad.join(", ")}`);
      if (round < WARMING_ROUNDS) continue;
      rates[name].push(measured.perSecond);
      cpuMs[name].push((cpuMsOf(pid) - before) / (measured.perSecond * (durationMs / 1000)));
    }
  }
  const spread = (values: readonly number[]): string =>
    `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`;
  print(
    `${figure}: bare ${spread(rates.bare)}/s, Slipway ${spread(rates.slipway)}/s; CPU a request ${median(cpuMs.bare).toFixed(3)} and ${median(cpuMs.slipway).toFixed(3)} ms`,
  );
  return { figure, reach, bare: median(rates.bare), slipway: median(rates.slipway) };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
