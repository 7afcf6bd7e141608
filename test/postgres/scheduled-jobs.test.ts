/** Two workers that reach each start of a schedule at the same time. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Database, readStatement } from "../../src/db/database.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { reconcileSchedule } from "../../src/features/scheduled-jobs/reconcile-schedule.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
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

describe("a schedule of two workers", { skip: needsPostgres }, () => {
  let instance: Instance;
  let dbs: Database[];
  before(async () => {
    instance = await startInstance();
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
    await admin.post("/v1/git-integrations", GIT_INTEGRATION);
    await connectAccount(admin, "main");
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
});
