/**
 * `npm run bench:queue [-- --jobs 2000]`: PostgreSQL's time for a job (claimed, finished, and enqueued again, so that as
 * many stay ready) while 100 to 100,000 are ready, in one cloud account and in fifty. Prints the plan of the claim.
 */
import { parseArgs } from "node:util";
import { Client } from "pg";
import { writeStatement } from "../src/db/database.ts";
import { createPostgresDatabase } from "../src/db/drivers/postgres.ts";
import { migrate } from "../src/db/migrate.ts";
import { createOrganization } from "../src/features/organizations/commands.ts";
import { createClaiming } from "../src/jobs/claims.ts";
import { createJobs } from "../src/jobs/jobs.ts";
import { createShares } from "../src/jobs/shares.ts";
import { createRunClaim } from "../src/jobs/run-claim.ts";
import { createLogger } from "../src/lib/log.ts";
import { startPostgresCluster } from "../test/helpers/processes/postgres-cluster.ts";

const SEED = writeStatement(
  "bench_seed",
  `INSERT INTO reconciliations (organization_id, kind, entity_id, state, rank, due_at, aws_account_id)
   SELECT $1, 'domain-certificate-group', 'grp_' || lpad(i::text, 26, '0'), 'ready', 1,
          now() - interval '10 minutes' + i * interval '1 ms', 'aws_' || lpad((i % $3::int)::text, 26, '0')
     FROM generate_series(1, $2::int) AS i`,
);
const READY = [100, 1_000, 10_000, 100_000];
const SLOTS = 16;
const { values: options } = parseArgs({ options: { jobs: { type: "string", default: "2000" } } });
const jobsMeasured = Number(options.jobs);

const cluster = await startPostgresCluster({
  shared_preload_libraries: "pg_stat_statements",
  shared_buffers: "256MB",
});
const db = createPostgresDatabase({ connectionString: cluster.url, poolSize: 4, onError: () => undefined });
const database = new Client({ connectionString: cluster.url });
try {
  await database.connect();
  await database.query("CREATE EXTENSION pg_stat_statements");
  await migrate(db);
  const { organizationId } = await db.transaction((tx) => createOrganization(tx, "Bench", null));
  const done = () => Promise.resolve("done" as const);
  const runClaim = createRunClaim({
    db,
    reconcilers: { "domain-certificate-group": done },
    log: createLogger("silent"),
    onStep: () => undefined,
    isAbsence: () => false,
    random: Math.random,
  });
  print("| accounts | ready | PostgreSQL for a job | statements for a job |");
  print("|---|---|---|---|");
  for (const accounts of [1, 50]) {
    for (const ready of READY) {
      await database.query("TRUNCATE reconciliations");
      await db.query(SEED, [organizationId, ready, accounts]);
      await database.query("VACUUM ANALYZE reconciliations");
      await database.query("SELECT pg_stat_statements_reset()");
      await work(jobsMeasured);
      const { rows } = await database.query<{ ms: number; calls: number }>(
        `SELECT sum(total_exec_time) AS ms, sum(calls)::int AS calls FROM pg_stat_statements
          WHERE query LIKE '%reconciliations%'`,
      );
      const [{ ms, calls } = { ms: 0, calls: 0 }] = rows;
      const count = ready.toLocaleString("en");
      print(
        `| ${accounts} | ${count} | ${(ms / jobsMeasured).toFixed(3)} ms | ${(calls / jobsMeasured).toFixed(2)} |`,
      );
    }
  }
  const { rows } = await database.query<{ query: string; calls: number; mean: number }>(
    `SELECT regexp_replace(left(query, 90), '\\s+', ' ', 'g') AS query, calls::int, mean_exec_time AS mean
       FROM pg_stat_statements WHERE query LIKE '%reconciliations%' ORDER BY total_exec_time DESC LIMIT 6`,
  );
  for (const { query, calls, mean } of rows) print(`${calls} × ${mean.toFixed(3)} ms ${query}`);

  async function work(count: number): Promise<void> {
    const claim = createClaiming(db, "work");
    const shares = createShares(SLOTS);
    const accountOf = new Map<string, string | null>();
    const jobs = createJobs({
      "domain-certificate-group": (_sql, { id }) => Promise.resolve(accountOf.get(id) ?? null),
    });
    for (let left = count; left > 0;) {
      const claims = await claim(SLOTS, shares.room());
      for (const taken of claims) {
        accountOf.set(taken.id, taken.accountId);
        await runClaim(taken, new AbortController().signal);
        await db.transaction((tx) => jobs.enqueue(tx, taken.kind, taken));
      }
      left -= claims.length;
    }
  }
} finally {
  await database.end();
  await db.close();
  cluster.dispose();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
