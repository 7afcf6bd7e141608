/**
 * A transaction of another process holds the row of one entity: a request that enqueues it, and whose process stands still,
 * does so for eight seconds. Only that entity may wait for it.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { Client } from "pg";
import { type Database, readStatement, writeStatement } from "../../src/db/database.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { createOrganization } from "../../src/features/organizations/commands.ts";
import { createJobs, type Reconcile } from "../../src/jobs/jobs.ts";
import { startWorker } from "../../src/jobs/worker.ts";
import { createLogger } from "../../src/lib/log.ts";
import { createPostgresCopy } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
const KIND = "variable-scope";
/** Shorter than the time after which PostgreSQL ends a statement that waits for a lock. */
const PATIENCE_MS = 10_000;

describe(
  "a row that a transaction holds",
  { skip: adminUrl === undefined && "part of npm run test:postgres" },
  () => {
    let copy: Awaited<ReturnType<typeof createPostgresCopy>>;
    let db: Database;
    let other: Client;
    let organizationId: string;
    const undo: (() => Promise<unknown>)[] = [];
    const jobs = createJobs({ [KIND]: null });

    before(async () => {
      copy = await createPostgresCopy(adminUrl ?? "");
      db = createPostgresDatabase({ connectionString: copy.url, poolSize: 10, onError: () => undefined });
      other = new Client({ connectionString: copy.url });
      await other.connect();
      ({ organizationId } = await db.transaction((tx) => createOrganization(tx, "Held", null)));
    });
    afterEach(async () => {
      await other.query("ROLLBACK");
      for (const step of undo.splice(0).toReversed()) await step();
      await db.query(FORGET);
    });
    after(async () => {
      await other.end();
      await db.close();
      await copy.drop();
    });

    const enqueue = (id: string) => db.transaction((tx) => jobs.enqueue(tx, KIND, { organizationId, id }));
    const find = async (id: string) => (await db.query(FIND, [id]))[0];
    async function hold(id: string): Promise<void> {
      await other.query("BEGIN");
      const { rowCount } = await other.query(
        "SELECT 1 FROM reconciliations WHERE organization_id = $1 AND entity_id = $2 FOR UPDATE",
        [organizationId, id],
      );
      assert.equal(rowCount, 1);
    }
    async function start(reconcile: Reconcile): Promise<void> {
      const worker = await startWorker({
        db,
        log: createLogger("silent"),
        concurrency: { work: 4, deliveries: 4 },
        onStep: () => undefined,
        isAbsence: () => false,
        reconcilers: { [KIND]: reconcile },
        sweeps: [],
      });
      undo.push(() => worker.drain());
    }

    it("keeps no other from being claimed", async () => {
      await enqueue("held");
      await enqueue("free");
      await hold("held");
      await start(() => Promise.resolve("done"));
      await until(async () => (await find("free")) === undefined, "the other is done", PATIENCE_MS);
      assert.equal((await find("held"))?.state, "ready");
      await other.query("ROLLBACK");
      await until(async () => (await find("held")) === undefined, "and then this one");
    });

    it("keeps no other from becoming ready", async () => {
      await db.query(WAIT, [organizationId, KIND, "held"]);
      await db.query(WAIT, [organizationId, KIND, "free"]);
      await hold("held");
      await start(() => Promise.resolve("done"));
      await until(async () => (await find("free")) === undefined, "the other is done", PATIENCE_MS);
      assert.equal((await find("held"))?.state, "waiting");
      await other.query("ROLLBACK");
      await until(async () => (await find("held")) === undefined, "and then this one");
    });

    it("keeps no other claim from being extended, and is not taken for lost", async () => {
      const holding = Promise.withResolvers<"done">();
      const signals: AbortSignal[] = [];
      await start((_ref, signal) => {
        signals.push(signal);
        return holding.promise;
      });
      undo.push(() => Promise.resolve(holding.resolve("done")));
      await enqueue("held");
      await enqueue("free");
      await until(() => signals.length === 2, "both are claimed");
      await hold("held");
      const before = (await find("free"))?.due;
      await until(
        async () => ((await find("free"))?.due ?? "") > (before ?? ""),
        "the other is extended",
        PATIENCE_MS,
      );
      assert.deepEqual(
        signals.map(({ aborted }) => aborted),
        [false, false],
      );
    });

    it("keeps no other claim from ending, and its enqueue is seen when it has ended", async () => {
      const holding = Promise.withResolvers<"done">();
      const looks: string[] = [];
      await start(({ id }) => {
        looks.push(id);
        return holding.promise;
      });
      undo.push(() => Promise.resolve(holding.resolve("done")));
      await enqueue("held");
      await enqueue("free");
      await until(() => looks.length === 2, "both are claimed");
      await hold("held");
      await other.query("UPDATE reconciliations SET pokes = pokes + 1 WHERE entity_id = 'held'");
      holding.resolve("done");
      await until(async () => (await find("free")) === undefined, "the other has ended", PATIENCE_MS);
      assert.equal((await find("held"))?.state, "claimed");
      await other.query("COMMIT");
      await until(async () => (await find("held")) === undefined, "this one too");
      assert.equal(looks.filter((id) => id === "held").length, 2);
    });
  },
);

const FIND = readStatement<{ state: string; due: string }>(
  "test_find_held",
  `SELECT state, to_char(due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS due
     FROM reconciliations WHERE entity_id = $1`,
);
const WAIT = writeStatement(
  "test_wait",
  `INSERT INTO reconciliations (organization_id, kind, entity_id, state, due_at)
   VALUES ($1, $2, $3, 'waiting', now())`,
);
const FORGET = writeStatement("test_forget_held", "DELETE FROM reconciliations");
