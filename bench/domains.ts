/**
 * `npm run bench:domains [-- --domains 1000]`: domains (default 1,000) in one DNS zone of the account, from one import
 * with `autoDns` until each is served and the DNS shows its records. The sandbox has its usual rates, quotas and lags.
 * The yardstick is the provider's own time: the fewest calls of the operation that takes longest at its rate, and the
 * lags.
 */
import { parseArgs } from "node:util";
import { Client } from "pg";
import { defaultTuning } from "../sandbox/src/tuning.ts";
import type { ApiClient } from "../test/helpers/api-client.ts";
import { createProject } from "../test/helpers/customers/scenario.ts";
import { cpuMsOf, cpuMsWithChildren } from "./process.ts";
import { type Rig, startRig } from "./rig.ts";

const LOOK_EVERY_MS = 1_000;
const MOST_MS = 30 * 60_000;
const ZONE = "customers.example.com";

const { values: options } = parseArgs({ options: { domains: { type: "string", default: "1000" } } });
const count = Number(options.domains);

async function main(): Promise<void> {
  const rig = await startRig({ SLIPWAY_LOG: "error", SLIPWAY_SANDBOX_PACE: "real" });
  const database = new Client({ connectionString: rig.cluster.url });
  await database.connect();
  try {
    const project = await createProject(rig.client, "bench");
    const zone = { ServiceId: project.awsAccountId, name: ZONE };
    await succeed(rig.client.post("/sandbox/zones", zone), 201);
    const before = await countCalls(rig.client);
    const cpuBefore = cpuMs(rig);
    const startedAt = performance.now();
    const domains = Array.from({ length: count }, (_, index) => `shop${index}.${ZONE}`);
    const service = `/v1/services/${project.services["web"]}`;
    const imported = await succeed(
      rig.client.post(`${service}/domains/import?autoDns=true`, { domains }),
      200,
    );
    if (imported.counts.accepted !== count) throw new Error(JSON.stringify(imported.counts));
    print(`${count} domains accepted in ${imported.createdGroups} groups after ${since(startedAt)} s`);
    await untilServed(database);
    const tookMs = performance.now() - startedAt;
    const cpu = Object.entries(cpuMs(rig)).map(
      ([name, ms]) => `${name} ${((ms - (cpuBefore[name] ?? 0)) / count).toFixed(0)} ms`,
    );
    print(`all served after ${(tookMs / 1_000).toFixed(0)} s; CPU of each domain: ${cpu.join(", ")}`);
    const made = subtract(await countCalls(rig.client), before);
    report(made, imported.createdGroups, tookMs / 1_000);
  } finally {
    await database.end();
    await rig.dispose();
  }
}

type Calls = Readonly<Record<string, number>>;

/** What the account's provider was asked, by operation; those of zones have one rate together, as in Route 53. */
async function countCalls(client: ApiClient): Promise<Calls> {
  const { accounts } = await succeed(client.get("/sandbox/state"), 200);
  const calls: Record<string, number> = {};
  for (const [operation, made] of accounts.flatMap(({ calls: own }: { calls: Calls }) =>
    Object.entries(own),
  )) {
    const name = String(operation).startsWith("zones.") ? "zones" : String(operation);
    calls[name] = (calls[name] ?? 0) + Number(made);
  }
  return calls;
}

function subtract(after: Calls, before: Calls): Calls {
  return Object.fromEntries(Object.entries(after).map(([name, made]) => [name, made - (before[name] ?? 0)]));
}

/** A group of ten names sets its records in two rounds, each of which finds the zone, looks and creates. */
function neededBy(groups: number): Calls {
  return {
    zones: 6 * groups,
    "certificates.request": groups,
    "distributions.create": groups,
    "distributions.update": groups,
  };
}

function report(made: Calls, groups: number, tookSeconds: number): void {
  const { throttle, recordDelayMs, validationIntervalMs, deployLagMs } = defaultTuning;
  const rates = new Map(Object.entries({ ...throttle, zones: throttle["zones.find"] }));
  const rows = Object.entries(neededBy(groups)).map(([name, needed]) => {
    const { perSecond, burst } = rates.get(name) ?? { perSecond: Number.POSITIVE_INFINITY, burst: 0 };
    return { name, needed, seconds: Math.max(0, needed - burst) / perSecond };
  });
  const lagSeconds = (recordDelayMs + validationIntervalMs + deployLagMs) / 1_000;
  const ideal = Math.max(...rows.map(({ seconds }) => seconds)) + lagSeconds;
  print("");
  print("| calls | needed | made, with refused ones | needed, at the provider's rate |");
  print("|---|---|---|---|");
  for (const { name, needed, seconds } of rows)
    print(`| ${name} | ${needed} | ${made[name] ?? 0} | ${seconds.toFixed(0)} s |`);
  const times = (tookSeconds / ideal).toFixed(2);
  print(`| served after ${tookSeconds.toFixed(0)} s | | | ${times} × ${ideal.toFixed(0)} s (aim: 1.2) |`);
}

/** Attached, and with the record in the DNS that leads visitors there. */
const SERVED = `
  SELECT count(*)::int AS served FROM domains
  WHERE status = 'ATTACHED' AND EXISTS (
    SELECT FROM dns_records
    WHERE domain_id = domains.id AND purpose = 'SERVICE_CONNECTION' AND dns_records.status = 'OK')`;

async function untilServed(database: Client): Promise<void> {
  const deadline = Date.now() + MOST_MS;
  for (;;) {
    const { rows } = await database.query<{ served: number }>(SERVED);
    if (rows[0]?.served === count) return;
    if (Date.now() > deadline) throw new Error(`Only ${rows[0]?.served} domains are served.`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function cpuMs({ api, worker, sandbox, cluster }: Rig): Calls {
  return {
    API: cpuMsOf(api.process.pid ?? 0),
    worker: cpuMsOf(worker.process.pid ?? 0),
    sandbox: cpuMsOf(sandbox.process.pid ?? 0),
    PostgreSQL: cpuMsWithChildren(cluster.pid()),
  };
}

// oxlint-disable-next-line typescript/no-explicit-any -- Answers are looked at as they came, like `ApiAnswer.body`.
async function succeed(asked: ReturnType<ApiClient["get"]>, status: number): Promise<any> {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body;
}

function since(startedAt: number): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(1);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
