/**
 * `npm run bench:jobs [-- --jobs 10000 --services 2000 --minutes 4 --peak 10000]`: how late jobs of schedulers start that
 * are due within an hour, as many in each minute, in a window of some minutes; then if many are due in the same minute.
 * A window or a peak of 0 is left out. PostgreSQL, an API and one worker, a process each. All services are of one
 * organization and one account: the worst case for the shares of the workers. The platform answers at once that a command
 * has ended, but the sandbox runs one job in each minute.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startCloudProxy } from "../test/crash/deaths/cloud-proxy.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  listServices,
  push,
  withConfig,
} from "../test/helpers/customers/deployments.ts";
import { connectAccount, integrateGit } from "../test/helpers/customers/scenario.ts";
import { until } from "../test/helpers/until.ts";
import { percentile } from "./load/median.ts";
import { cpuMsOf, cpuMsWithChildren } from "./process.ts";
import { type Rig, startRig } from "./rig.ts";

const { values: options } = parseArgs({
  options: {
    jobs: { type: "string", default: "10000" },
    services: { type: "string", default: "2000" },
    minutes: { type: "string", default: "4" },
    peak: { type: "string", default: "10000" },
  },
});
const services = Number(options.services);
const jobsOfEach = Math.round(Number(options.jobs) / services);
const minutes = Number(options.minutes);
const peak = Number(options.peak);
const MINUTE_MS = 60_000;
const PATIENCE_MS = 20 * MINUTE_MS;
const STATISTICS = { shared_preload_libraries: "pg_stat_statements" };

/** When the platform was first asked to start an execution, by its token. */
const startedAt = new Map<string, number>();
/** Executions that the sandbox does not run. */
const instant = new Set<unknown>();

type Place = { readonly rig: Rig; readonly database: Client; readonly organizationId: string };

async function main(): Promise<void> {
  const proxies: { close(): void }[] = [];
  const rig = await startRig({ SLIPWAY_LOG: "error" }, STATISTICS, async (sandboxUrl) => {
    const pass = () => "pass" as const;
    const watcher = { onCall: pass, onAnswer: pass, answer: answerAtOnce };
    const proxy = await startCloudProxy("slipway", sandboxUrl, watcher);
    proxies.push(proxy);
    return proxy.url;
  });
  const database = new Client({ connectionString: rig.cluster.url });
  try {
    await database.connect();
    await database.query("CREATE EXTENSION pg_stat_statements");
    const templateId = await deployTemplate(rig);
    const { rows } = await database.query<{ organizationId: string }>(
      `SELECT organization_id AS "organizationId" FROM services WHERE id = $1`,
      [templateId],
    );
    const place = { rig, database, organizationId: rows[0]?.organizationId ?? "" };
    await copyServices(place, templateId);
    const knownMs = await schedule(place, services, `(s.i + j * (60 / ${jobsOfEach})) % 60`);
    print(
      `${services} services with ${jobsOfEach} jobs each; all schedules are known after ${seconds(knownMs)}`,
    );
    if (minutes > 0) await measureWindow(place);
    if (peak > 0) await measurePeak(place, knownMs);
  } finally {
    await database.end();
    for (const proxy of proxies) proxy.close();
    await rig.dispose();
  }
}

/** Of the copies; the release of the template is in the sandbox. */
function answerAtOnce({ operation }: { operation: string }, input: Readonly<Record<string, unknown>>) {
  const token = String(input["token"]);
  if (operation === "executions.start") {
    if (!startedAt.has(token)) startedAt.set(token, Date.now());
    const { serviceId } = input["service"] as { serviceId: string };
    if (serviceId.startsWith("svc_0000")) instant.add(token);
  }
  if (!operation.startsWith("executions.") || !instant.has(token)) return null;
  const at = startedAt.get(token) ?? 0;
  const execution = { token, status: "SUCCEEDED", exitCode: 0, failure: null, startedAt: at, endedAt: at };
  return operation === "executions.start" ? execution : { execution };
}

/** @returns the service that the others copy. It has a job in each minute. */
async function deployTemplate({ client, dataDir }: Rig): Promise<string> {
  await connectAccount(client, "main");
  await integrateGit(client);
  const minutely = Array.from({ length: 60 }, (_, minute) => [
    `minute-${minute}`,
    { command: "true", schedule: `${minute} * * * *` },
  ]);
  const config = configOf([{ id: "jobs", type: "scheduler", jobs: Object.fromEntries(minutely) }]);
  await push({ dataDir }, "nightly", withConfig(config, { word: "one" }));
  const projectId = await createIacProject(client, "nightly");
  await ended(client, await deploy(client, "nightly"));
  return (await listServices(client, projectId))["jobs"] ?? "";
}

const COPY_ID = "'svc_' || lpad(s.i::text, 26, '0')";

async function copyServices({ database, organizationId }: Place, templateId: string): Promise<void> {
  const copy = async (table: string, id: string, where: string): Promise<void> => {
    await database.query(
      `INSERT INTO ${table} SELECT copied.* FROM generate_series(1, $3::int) AS s(i)
         JOIN ${table} t ON t.organization_id = $1 AND ${where} = $2
        CROSS JOIN LATERAL jsonb_populate_record(NULL::${table}, to_jsonb(t) ||
          jsonb_build_object('${id}', ${COPY_ID}, 'config_id', 'jobs-' || s.i, 'name', 'jobs-' || s.i)) AS copied`,
      [organizationId, templateId, services],
    );
  };
  await copy("services", "id", "t.id");
  await copy("deployment_services", "service_id", "t.service_id");
}

/**
 * Gives the first services their jobs, and waits until the schedules are known.
 * @param minute of the job `j` of the service `s.i`, in SQL
 * @returns how long that took, in ms
 */
async function schedule({ database, organizationId }: Place, count: number, minute: string): Promise<number> {
  await database.query(
    `UPDATE services SET settings = settings || jsonb_build_object('jobs', (
              SELECT jsonb_object_agg('job-' || j, jsonb_build_object(
                       'command', 'true', 'schedule', (${minute}) || ' * * * *'))
                FROM generate_series(0, $3::int - 1) AS j))
       FROM generate_series(1, $2::int) AS s(i)
      WHERE organization_id = $1 AND id = ${COPY_ID}`,
    [organizationId, count, jobsOfEach],
  );
  await database.query("VACUUM ANALYZE");
  const beganAt = performance.now();
  await database.query(
    `INSERT INTO reconciliations (organization_id, kind, entity_id, state, rank, due_at, pokes)
     SELECT $1, 'job-schedule', ${COPY_ID}, 'ready', 1, now(), 1 FROM generate_series(1, $2::int) AS s(i)
     ON CONFLICT ON CONSTRAINT reconciliations_pkey
     DO UPDATE SET state = 'ready', due_at = now(), pokes = reconciliations.pokes + 1`,
    [organizationId, count],
  );
  const unknown =
    "SELECT count(*)::int AS count FROM reconciliations WHERE kind = 'job-schedule' AND state <> 'waiting'";
  await until(async () => (await countOf(database, unknown)) === 0, "all schedules are known", PATIENCE_MS);
  return performance.now() - beganAt;
}

async function countOf(database: Client, text: string, values: unknown[] = []): Promise<number> {
  return (await database.query<{ count: number }>(text, values)).rows[0]?.count ?? 0;
}

async function measureWindow(place: Place): Promise<void> {
  const first = nextMinute(0);
  await measure(place, first, first + (minutes - 1) * MINUTE_MS);
}

async function measurePeak(place: Place, knownMs: number): Promise<void> {
  const at = nextMinute(2 * knownMs);
  await schedule(place, Math.round(peak / jobsOfEach), String(new Date(at).getUTCMinutes()));
  if (Date.now() > at) throw new Error("The schedules were not known in time. Use fewer jobs.");
  await measure(place, at, at);
}

/** The next full minute that is more than `ms` ahead. */
const nextMinute = (ms: number): number => Math.floor((Date.now() + ms) / MINUTE_MS + 1) * MINUTE_MS;

/** Prints how late the starts of the minutes from `first` to `last` were. */
async function measure({ rig, database }: Place, first: number, last: number): Promise<void> {
  await until(() => Date.now() > first - 5_000, "the window begins", PATIENCE_MS);
  await database.query("SELECT pg_stat_statements_reset()");
  const postgresPid = rig.cluster.pid();
  const before = { worker: cpuMsOf(rig.worker.process.pid ?? 0), postgres: cpuMsWithChildren(postgresPid) };
  await until(() => Date.now() > last + 5_000, "the window ends", PATIENCE_MS);
  const window = [new Date(first), new Date(last)];
  const inWindow = "FROM executions WHERE scheduled_for BETWEEN $1 AND $2";
  const idle = `SELECT (SELECT count(*)::int ${inWindow} AND ended_at IS NULL) +
    (SELECT count(*)::int FROM reconciliations WHERE kind = 'job-schedule' AND state <> 'waiting') AS count`;
  // Rarely, because it costs PostgreSQL much.
  while ((await countOf(database, idle, window)) > 0) await sleep(2_000);
  const { rows } = await database.query<{ id: string; status: string; at: Date; createdAt: Date }>(
    `SELECT id, status, scheduled_for AS at, created_at AS "createdAt" ${inWindow}`,
    window,
  );
  const started = rows.flatMap(({ id, at, createdAt }) => {
    const startedMs = startedAt.get(id);
    if (startedMs === undefined) return [];
    return [{ id, rowMs: +createdAt - +at, startMs: startedMs - +at }];
  });
  const inSandbox = started.filter(({ id }) => !instant.has(id));
  const states = Object.entries(Object.groupBy(rows, ({ status }) => status));
  const lasted = last - first + MINUTE_MS;
  print(
    `\n${rows.length} starts in ${lasted / MINUTE_MS} min, ${states.map(([status, all]) => `${all?.length} ${status}`).join(", ")}`,
  );
  print("| from the minute to | p50 | p95 | p99 | longest |");
  print("|---|---|---|---|---|");
  printTimes(
    "the execution's row",
    started.map(({ rowMs }) => rowMs),
  );
  printTimes(
    "the call that starts it",
    started.map(({ startMs }) => startMs),
  );
  printTimes(
    `the same, ${inSandbox.length} in the sandbox`,
    inSandbox.map(({ startMs }) => startMs),
  );
  const worker = (cpuMsOf(rig.worker.process.pid ?? 0) - before.worker) / rows.length;
  const postgres = (cpuMsWithChildren(postgresPid) - before.postgres) / rows.length;
  print(`CPU of a start: worker ${worker.toFixed(1)} ms, PostgreSQL ${postgres.toFixed(1)} ms`);
  const { rows: statements } = await database.query<{ query: string; calls: number; ms: number }>(
    `SELECT regexp_replace(left(query, 100), '\\s+', ' ', 'g') AS query, calls::int, total_exec_time AS ms
       FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 12`,
  );
  for (const { query, calls, ms } of statements)
    print(`  ${(calls / rows.length).toFixed(1)} × ${(ms / calls).toFixed(3)} ms ${query}`);
}

function printTimes(what: string, times: readonly number[]): void {
  const shares = [0.5, 0.95, 0.99, 1].map((share) => seconds(percentile(times, share)));
  print(`| ${what} | ${shares.join(" | ")} |`);
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
