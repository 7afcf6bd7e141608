/**
 * `npm run test:ticks -- [--ticks 10000] [--services 12] [--jobs 50] [--seed N]`: jobs of schedulers are due each
 * minute while workers, APIs, the sandbox and PostgreSQL are killed. Each start must have one record in the end:
 * that of its execution, or that it was missed or skipped. No command may have run twice. Prints its seed; exit code 1
 * if anything was lost, doubled or left over.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  push,
  urlOf,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { listProcessesIn } from "../helpers/sandbox/processes-in.ts";
import { until } from "../helpers/until.ts";
import {
  createTickingJobs,
  findBreachesOfTicks,
  minutesOf,
  readLines,
  servicesOf,
  type TickingJob,
  type TickRecord,
} from "./customers/job-ticks.ts";
import { createExecutioner, type Executioner } from "./deaths/executioner.ts";
import { createRandom, type Random } from "./random.ts";
import { type Rig, type RigSettings, startRig } from "./rig.ts";
import { tellVerdict } from "./verdict.ts";

const { values: options } = parseArgs({
  options: {
    ticks: { type: "string", default: "10000" },
    services: { type: "string", default: "12" },
    jobs: { type: "string", default: "50" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(options.seed);

const OPERATIONS = ["executions.start", "executions.describe"];
const POINTS = ["before", "after", "commit", "freeze"] as const;
const MINUTE_MS = 60_000;
const PATIENCE_MS = 5 * MINUTE_MS;
const PAUSE_MAX_MS = 12_000;
/** Longer than a start may be late. */
const AWAY_MIN_MS = 65_000;
const AWAY_MAX_MS = 200_000;
const NAME = "ticking";
/** On 1 January only. */
const RARELY = "0 0 1 1 *";

type Window = { readonly firstMs: number; readonly lastMs: number };

async function main(): Promise<boolean> {
  const jobs = createTickingJobs(Number(options.services), Number(options.jobs));
  console.log(`Starts of ${jobs.length} jobs, seed ${seed}`);
  const executioner = createExecutioner(createRandom(seed + 1));
  const settings: RigSettings = {
    database: "postgres",
    seed,
    workers: 2,
    organizations: 1,
    // Commands write to a file outside of their folders, and lines have the time of the machine.
    sandboxEnv: { SLIPWAY_SANDBOX_ISOLATION: "none", CRASH_BEHIND_MS: "0" },
  };
  const rig = await startRig(settings, executioner);
  try {
    return await play(rig, executioner, jobs);
  } finally {
    await rig.dispose();
  }
}

async function play(rig: Rig, executioner: Executioner, jobs: readonly TickingJob[]): Promise<boolean> {
  const [client] = rig.organizations[0] ?? [];
  const url = rig.cluster?.url;
  if (client === undefined || url === undefined)
    throw new Error("The rig has no organization or no database.");
  const file = path.join(rig.dataDir, "lines");
  writeFileSync(file, "");
  await connectAccount(client, "main");
  await integrateGit(client);
  await push(rig, NAME, withConfig(configOf(servicesOf(jobs, file)), { round: "first" }));
  await createIacProject(client, NAME);
  await ended(client, await deploy(client, NAME));
  const window = await withDatabase(url, (database) => chooseWindow(database, jobs));
  const due = jobs.flatMap((job) => minutesOf(job, window)).length;
  console.log(`${due} starts are due until ${new Date(window.lastMs).toISOString()}`);
  const deaths = await kill(rig, executioner, window);

  return await withDatabase(url, async (database) => {
    await untilRecorded(database, jobs, window);
    // No more starts become due.
    await push(rig, NAME, withConfig(configOf(servicesOf(jobs, file, RARELY)), { round: "last" }));
    // The git host is the sandbox, which may be busy with the last commands.
    const redeploy = async (): Promise<string | null> => {
      const { status, body } = await client.post("/v1/deployments", { repoUrl: urlOf(NAME) });
      return status === 201 ? body.id : null;
    };
    await ended(client, await until(redeploy, "the last deployment is accepted", PATIENCE_MS));
    await untilQuiet(database);
    const records = await readRecords(database);
    const states = Object.entries(Object.groupBy(records, ({ status }) => status));
    const counts = states.map(([status, all]) => `${all?.length} ${status}`).join(", ");
    const lines = readLines(readFileSync(file, "utf8"));
    console.log(`${deaths} deaths; ${records.length} records: ${counts}; ${lines.length} commands ran`);
    const processes = [...rig.apis, ...rig.workers, rig.sandbox];
    const failures = [
      ...findBreachesOfTicks(jobs, records, lines, window),
      ...(await findWrongEvents(database)),
      ...findLeftovers(rig.dataDir),
      ...processes.flatMap(({ collapses }) => collapses),
      ...(records.some(({ status }) => status === "MISSED") ? [] : ["No start was missed: use more ticks"]),
    ];
    return tellVerdict(failures, processes, "Each start has one record, and no command ran twice.");
  });
}

async function withDatabase<T>(url: string, work: (database: Client) => Promise<T>): Promise<T> {
  const database = new Client({ connectionString: url });
  await database.connect();
  try {
    return await work(database);
  } finally {
    await database.end();
  }
}

/** From the next minute in which all schedules are known, for as many minutes as the starts need. */
async function chooseWindow(database: Client, jobs: readonly TickingJob[]): Promise<Window> {
  const known = "SELECT count(*)::int AS count FROM scheduled_jobs";
  await until(
    async () => (await countOf(database, known)) === jobs.length,
    "all schedules are known",
    PATIENCE_MS,
  );
  const firstMs = Math.floor(Date.now() / MINUTE_MS + 1) * MINUTE_MS;
  for (let lastMs = firstMs; ; lastMs += MINUTE_MS) {
    const window = { firstMs, lastMs };
    if (jobs.flatMap((job) => minutesOf(job, window)).length >= Number(options.ticks)) return window;
  }
}

async function countOf(database: Client, text: string, values: readonly unknown[] = []): Promise<number> {
  return (await database.query<{ count: number }>(text, [...values])).rows[0]?.count ?? 0;
}

/** One death after the other, until the window ends. @returns how many */
async function kill(rig: Rig, executioner: Executioner, { lastMs }: Window): Promise<number> {
  const random = createRandom(seed);
  const startedMs = performance.now();
  let deaths = 0;
  for (const { name, run } of deedsOf(rig, executioner, random)) {
    await sleep(random.below(PAUSE_MAX_MS));
    if (Date.now() > lastMs + MINUTE_MS) return deaths;
    if (!(await run())) continue;
    deaths += 1;
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    console.log(`  ${String(deaths).padStart(4)}  ${String(seconds).padStart(5)} s  ${name}`);
  }
  return deaths;
}

type Deed = { readonly name: string; readonly run: () => Promise<boolean> };

/** Without end, in the order of the seed. */
function* deedsOf(rig: Rig, executioner: Executioner, random: Random): Generator<Deed> {
  const { apis, workers, sandbox, cluster } = rig;
  /** Whom no other death is waiting for meanwhile. @param awayMs until they are started again */
  const restart = (name: string, victims: readonly Restarted[], awayMs: () => number): Deed => ({
    name,
    run: () =>
      executioner.inPeace([...apis, ...workers], async () => {
        for (const victim of victims) await victim.kill();
        await sleep(awayMs());
        for (const victim of victims) await victim.start();
        return true;
      }),
  });
  const soon = (): number => random.below(2_000);
  const server = cluster?.server;
  const all: readonly Deed[] = [
    ...OPERATIONS.flatMap((operation) =>
      POINTS.map((point) => ({
        name: `${operation} ${point}`,
        run: () => executioner.execute({ operation, point }, workers, cluster?.url ?? null),
      })),
    ),
    ...[...apis, ...workers, sandbox].map((one) => restart(`${one.name} killed`, [one], soon)),
    restart("both workers killed", workers, soon),
    ...(server
      ? [
          restart(
            "postgres stopped immediately",
            [{ kill: () => server.stopImmediately(), start: () => server.start() }],
            soon,
          ),
        ]
      : []),
  ];
  const away = restart(
    "both workers away",
    workers,
    () => AWAY_MIN_MS + random.below(AWAY_MAX_MS - AWAY_MIN_MS),
  );
  // First, because every run needs missed starts.
  for (;;) yield* [away, ...random.shuffle(all)];
}

type Restarted = { kill(): unknown; start(): unknown };

/** Waits until no start of the window lacks its end; if one is lost, until that is certain. */
async function untilRecorded(database: Client, jobs: readonly TickingJob[], window: Window): Promise<void> {
  const due = jobs.flatMap((job) => minutesOf(job, window)).length;
  const recorded = `SELECT count(DISTINCT (service_id, job_id, scheduled_for))::int AS count FROM executions
    WHERE scheduled_for BETWEEN $1 AND $2 AND ended_at IS NOT NULL`;
  const values = [new Date(window.firstMs), new Date(window.lastMs)];
  const deadlineMs = Date.now() + PATIENCE_MS;
  while ((await countOf(database, recorded, values)) < due && Date.now() < deadlineMs) await sleep(1_000);
}

/** Waits until all executions have ended and all events are numbered. */
async function untilQuiet(database: Client): Promise<void> {
  const left = `SELECT (SELECT count(*) FROM executions WHERE ended_at IS NULL)::int
    + (SELECT count(*) FROM event_outbox)::int
    + (SELECT count(*) FROM reconciliations WHERE kind = 'execution')::int AS count`;
  const deadlineMs = Date.now() + PATIENCE_MS;
  while ((await countOf(database, left)) > 0 && Date.now() < deadlineMs) await sleep(1_000);
}

async function readRecords(database: Client): Promise<readonly TickRecord[]> {
  const { rows } = await database.query<TickRecord>(
    `SELECT e.id, s.config_id AS service, e.job_id AS "jobId", e.scheduled_for AS "scheduledFor", e.status,
            e.started_at AS "startedAt", e.ended_at AS "endedAt", e.created_at AS "createdAt"
       FROM executions e JOIN services s ON s.organization_id = e.organization_id AND s.id = e.service_id
      ORDER BY e.id`,
  );
  return rows;
}

/** Each execution has the event of its creation and of its end once, and each missed start is in one event. */
async function findWrongEvents(database: Client): Promise<readonly string[]> {
  const { rows } = await database.query<{ what: string; expected: number; found: number }>(
    `WITH emitted AS (
       SELECT data ->> 'executionId' AS id, count(*) FILTER (WHERE type = 'execution.created')::int AS created,
              count(*) FILTER (WHERE type <> 'execution.created')::int AS ended
         FROM events WHERE type LIKE 'execution.%' GROUP BY 1
     ), missed AS (
       SELECT service_id, data ->> 'jobId' AS job_id, sum((data ->> 'missed')::int)::int AS count
         FROM events WHERE type = 'job.missed' GROUP BY 1, 2
     ), recorded AS (
       SELECT service_id, job_id, count(*)::int AS count FROM executions WHERE status = 'MISSED' GROUP BY 1, 2
     )
     SELECT 'events of ' || e.id AS what, 2 AS expected, coalesce(created + ended, 0) AS found
       FROM executions e LEFT JOIN emitted USING (id)
      WHERE e.status NOT IN ('SKIPPED', 'MISSED') AND (created, ended) IS DISTINCT FROM (1, 1)
      UNION ALL
     SELECT 'missed starts in events of ' || job_id || ' of ' || service_id, coalesce(recorded.count, 0),
            coalesce(missed.count, 0)
       FROM recorded FULL JOIN missed USING (service_id, job_id)
      WHERE recorded.count IS DISTINCT FROM missed.count`,
  );
  return rows.map(({ what, expected, found }) => `${found} ${what}, not ${expected}`);
}

/** What commands left on the platform. */
function findLeftovers(dataDir: string): readonly string[] {
  const folder = path.join(dataDir, "sandbox", "platform", "executions");
  return [
    ...listProcessesIn(folder).map(({ command }) => `A process is left: ${command}`),
    ...readdirSync(folder).map((name) => `The folder of an execution is left: ${name}`),
  ];
}

process.exitCode = (await main()) ? 0 : 1;
