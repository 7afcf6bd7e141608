/** Two workers that reach each start of a schedule at the same time. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Database, readStatement, writeStatement } from "../../src/db/database.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { reconcileSchedule } from "../../src/features/scheduled-jobs/reconcile-schedule.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { newId } from "../../src/lib/ids.ts";
import { accountOfWork } from "../../src/start/account-of-work.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const needsPostgres = process.env["SLIPWAY_TEST_POSTGRES"] === undefined && "part of npm run test:postgres";
const TICKS = 300;
const MINUTE_MS = 60_000;
const FIRST = Math.floor(Date.now() / MINUTE_MS + 60 * 24) * MINUTE_MS;

const FIND_ORGANIZATION = readStatement<{ id: string }>(
  "test_find_organization",
  "SELECT organization_id AS id FROM services WHERE id = $1",
);
const COUNT = readStatement<{ ticks: number; rows: number; started: number }>(
  "test_count_ticks",
  `SELECT count(DISTINCT scheduled_for)::int AS ticks, count(*)::int AS rows,
          (count(*) FILTER (WHERE status <> 'SKIPPED'))::int AS started
     FROM executions WHERE service_id = $1`,
);

const ADD_QUEUED = writeStatement(
  "test_add_queued",
  `INSERT INTO executions (organization_id, id, project_id, environment_id, service_id, job_id, trigger, command, cpu,
                           memory_gb, time_limit_seconds, status)
   SELECT organization_id, $2, project_id, environment_id, id, $3, 'request', 'true', 1, 1, 60, 'QUEUED'
     FROM services WHERE id = $1`,
);
const START = writeStatement("test_start", "UPDATE executions SET status = 'STARTING' WHERE id = $1");
const FIND_STATE = readStatement<{ status: string; isCancelled: boolean }>(
  "test_find_state",
  `SELECT status, cancel_requested_at IS NOT NULL AS "isCancelled" FROM executions WHERE id = $1`,
);
const IS_ANY_WAITING = readStatement<{ isWaiting: boolean }>(
  "test_is_any_waiting",
  `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'transactionid') AS "isWaiting"`,
);

describe("a schedule of two workers", { skip: needsPostgres }, () => {
  let instance: Instance;
  let dbs: Database[];
  before(async () => {
    instance = await startInstance();
    await instance.admin.post("/v1/git-integrations", GIT_INTEGRATION);
    await connectAccount(instance.admin, "main");
    const url = instance.databaseUrl ?? "";
    dbs = [1, 2].map(() =>
      createPostgresDatabase({ connectionString: url, poolSize: 4, onError: () => undefined }),
    );
  });
  after(async () => {
    await Promise.all(dbs.map((db) => db.close()));
    await instance.dispose();
  });

  it("has one execution for each start", async () => {
    const { admin } = instance;
    const job = { command: "true", schedule: "* * * * *", timezone: "UTC" };
    const config = configOf([{ id: "jobs", type: "scheduler", jobs: { often: job } }]);
    await push(instance, "often", withConfig(config, { file: "one" }));
    const projectId = await createIacProject(admin, "often");
    const { jobs: id = "" } = await listServices(admin, projectId);
    await ended(admin, await deploy(admin, "often"));
    const organizationId = (await dbs[0]?.query(FIND_ORGANIZATION, [id]))?.[0]?.id ?? "";
    let now = new Date(FIRST - 1);
    const workers = dbs.map((db) =>
      reconcileSchedule({ db, jobs: createJobs(accountOfWork), clock: { now: () => now } }),
    );
    const { signal } = new AbortController();
    const reach = () => Promise.all(workers.map((worker) => worker({ organizationId, id }, signal)));
    await reach();
    const [before] = (await dbs[0]?.query(COUNT, [id])) ?? [];
    for (let tick = 0; tick < TICKS; tick += 1) {
      now = new Date(FIRST + tick * MINUTE_MS);
      await reach();
    }
    const [counted] = (await dbs[0]?.query(COUNT, [id])) ?? [];
    assert.ok(counted !== undefined && before !== undefined);
    assert.equal(counted.rows - before.rows, TICKS);
    assert.equal(counted.ticks, counted.rows);
    assert.ok(counted.started > before.started, "none started");
  });

  it("asks the platform to cancel what another worker has just started", async () => {
    const { admin } = instance;
    const [schedule, worker] = dbs;
    if (schedule === undefined || worker === undefined) throw new Error("There are two.");
    const job = { command: "true", schedule: "0 0 1 1 *", overlap: "replace" };
    const config = configOf([{ id: "jobs", type: "scheduler", jobs: { rare: job } }]);
    await push(instance, "rare", withConfig(config, { file: "one" }));
    const { jobs: id = "" } = await listServices(admin, await createIacProject(admin, "rare"));
    await ended(admin, await deploy(admin, "rare"));
    const organizationId = (await worker.query(FIND_ORGANIZATION, [id]))[0]?.id ?? "";
    let now = new Date();
    const reconcile = reconcileSchedule({
      db: schedule,
      jobs: createJobs(accountOfWork),
      clock: { now: () => now },
    });
    const { signal } = new AbortController();
    await reconcile({ organizationId, id }, signal);
    const executionId = newId("exec");
    await worker.query(ADD_QUEUED, [id, executionId, "rare"]);
    now = new Date(Date.UTC(now.getUTCFullYear() + 1, 0, 1));
    const replaced = await worker.transaction(async (tx) => {
      await tx.query(START, [executionId]);
      const running = reconcile({ organizationId, id }, signal);
      const isWaiting = async () => (await worker.query(IS_ANY_WAITING))[0]?.isWaiting;
      await until(isWaiting, "the schedule waits for the execution");
      return { running };
    });
    await replaced.running;
    assert.deepEqual(await worker.query(FIND_STATE, [executionId]), [
      { status: "STARTING", isCancelled: true },
    ]);
  });
});
