/**
 * `npm run bench:webhooks [-- --seconds 20]`: deliveries to 50 endpoints by one worker. Events are written into the outbox
 * as features do, each for one endpoint: a steady rate, for the time from commit to first attempt; a backlog, for the
 * most that is delivered; and a rate beside a dead and a slow receiver. Every delivery has a connection of its own.
 */
import { fork } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { until } from "../test/helpers/until.ts";
import { cpuMsOf, cpuMsWithChildren } from "./process.ts";
import { type Rig, startRig } from "./rig.ts";

const ENDPOINTS = 50;
const BACKLOG = 10_000;
const EVERY_MS = 50;

const { values: options } = parseArgs({ options: { seconds: { type: "string", default: "20" } } });
const seconds = Number(options.seconds);

type Came = { readonly path: string; readonly latencyMs: number };

async function startReceivers() {
  const child = fork(path.join(import.meta.dirname, "webhook-receivers.ts"));
  const came: Came[] = [];
  const port = await new Promise<number>((resolve) => {
    child.on("message", (message: { readonly port?: number; readonly came?: readonly Came[] }) => {
      if (message.port !== undefined) resolve(message.port);
      came.push(...(message.came ?? []));
    });
  });
  return { port, came, stop: () => child.kill("SIGKILL") };
}

async function main(): Promise<void> {
  const rig = await startRig({ SLIPWAY_LOG: "error" }, { shared_preload_libraries: "pg_stat_statements" });
  const receivers = await startReceivers();
  const database = new Client({ connectionString: rig.cluster.url });
  try {
    await database.connect();
    await database.query("CREATE EXTENSION pg_stat_statements");
    await makeEndpoints(rig, database, receivers.port);
    for (const rate of [100, 500, 1_000]) await measureRate(`${rate} events a second`, rate);
    await measureBacklog();
    // PostgreSQL's autovacuum does this within a minute. Until then, plans are those of the empty tables.
    await database.query("VACUUM ANALYZE");
    await database.query("SELECT pg_stat_statements_reset()");
    const alone = await measureRate("200 a second, before", 200);
    await printStatements(database, Math.round(200 * seconds));
    await redirect(database, receivers.port, { 0: "/dead", 1: "/slow" });
    const beside = await measureRate("200 a second, one of 50 receivers dead and one slow", 200, 2);
    console.log(`\np95 of the others: ${(beside / alone).toFixed(2)} ×`);
  } finally {
    await database.end();
    receivers.stop();
    await rig.dispose();
  }

  /** @returns the p95 of the receivers that answer, in ms */
  async function measureRate(name: string, rate: number, silent = 0): Promise<number> {
    const { came } = receivers;
    came.length = 0;
    const cpuBefore = cpu(rig);
    const startedMs = Date.now();
    let sent = 0;
    while (Date.now() - startedMs < seconds * 1_000) {
      const due = Math.floor(((Date.now() - startedMs) * rate) / 1_000) - sent;
      await emit(database, due, sent);
      sent += due;
      await sleep(EVERY_MS);
    }
    const good = () => came.filter((one) => /^\/\d+$/.test(one.path));
    // All of them, so that none is counted in the next measurement.
    const expected = sent - Math.ceil((sent * silent) / ENDPOINTS);
    await until(() => good().length >= expected, "the events have come", 300_000);
    const lasted = (Date.now() - startedMs) / 1_000;
    print(
      name,
      good().map(({ latencyMs }) => latencyMs),
      sent / lasted,
      cpuBefore,
      sent,
    );
    return quantile(
      good().map(({ latencyMs }) => latencyMs),
      0.95,
    );
  }

  async function measureBacklog(): Promise<void> {
    const { came } = receivers;
    came.length = 0;
    const cpuBefore = cpu(rig);
    const startedMs = Date.now();
    await emit(database, BACKLOG, 0);
    await until(() => came.length >= BACKLOG, "the backlog has come", 300_000);
    const lasted = (Date.now() - startedMs) / 1_000;
    print(
      `a backlog of ${BACKLOG}`,
      came.map(({ latencyMs }) => latencyMs),
      BACKLOG / lasted,
      cpuBefore,
      BACKLOG,
    );
  }

  function print(name: string, latencies: readonly number[], rate: number, before: Cpu, count: number): void {
    const now = cpu(rig);
    const each = (ms: number, from: number): string => ((ms - from) / count).toFixed(2);
    const ms = [0.5, 0.95, 0.99].map((part) => Math.round(quantile(latencies, part)));
    console.log(
      `| ${name} | ${Math.round(rate)} | ${ms.join(" | ")} | ${each(now.worker, before.worker)} | ${each(now.database, before.database)} |`,
    );
  }
}

type Cpu = { readonly worker: number; readonly database: number };

const cpu = ({ worker, cluster }: Rig): Cpu => ({
  worker: cpuMsOf(worker.process.pid ?? 0),
  database: cpuMsWithChildren(cluster.pid()),
});

/** Each gets the events of a project of its own, which only these rows know. */
async function makeEndpoints({ client }: Rig, database: Client, port: number): Promise<void> {
  for (let index = 0; index < ENDPOINTS; index += 1) {
    const url = `http://127.0.0.1:${port}/${index}`;
    const made = await client.post("/v1/webhook-endpoints", { url, types: ["user.*"] });
    await database.query("UPDATE webhook_endpoints SET project_id = $2 WHERE id = $1", [
      made.body.id,
      `bench_${index}`,
    ]);
  }
  console.log("| what | delivered a second | p50, ms | p95 | p99 | worker's CPU for each, ms | database's |");
  console.log("|---|---|---|---|---|---|---|");
}

async function redirect(database: Client, port: number, to: Readonly<Record<number, string>>): Promise<void> {
  for (const [index, place] of Object.entries(to)) {
    await database.query("UPDATE webhook_endpoints SET url = $2 WHERE project_id = $1", [
      `bench_${index}`,
      `http://127.0.0.1:${port}${place}`,
    ]);
  }
}

/** Writes events as `emit` does, of subjects of their own. */
async function emit(database: Client, count: number, from: number): Promise<void> {
  if (count <= 0) return;
  await database.query(
    `INSERT INTO event_outbox (organization_id, id, type, occurred_at, subject_type, subject_id, project_id, actor_kind,
                               actor_id, request_id, data)
     SELECT o.organization_id, 'evt_' || replace(gen_random_uuid()::text, '-', ''), 'user.created', clock_timestamp(),
            'user', gen_random_uuid()::text, 'bench_' || (($2::int + n) % ${ENDPOINTS}), 'slipway', 'slipway', 'bench',
            '{"name": "bench", "role": "viewer"}'
       FROM organizations o, generate_series(1, $1::int) n`,
    [count, from],
  );
  // As `announceWork` does.
  await database.query("SELECT pg_notify('slipway_work', '')");
}

/** What the deliveries of the last measurement cost PostgreSQL, the most expensive statements first. */
async function printStatements(database: Client, count: number): Promise<void> {
  const { rows } = await database.query<{ calls: number; ms: number; text: string }>(
    `SELECT calls::int, total_exec_time AS ms, regexp_replace(query, '\\s+', ' ', 'g') AS text
       FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 8`,
  );
  for (const { calls, ms, text } of rows)
    console.log(
      `  ${(calls / count).toFixed(2)} × ${(ms / calls).toFixed(3)} ms for each delivery: ${text.slice(0, 90)}`,
    );
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

await main();
