import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type Database,
  DatabaseUnavailableError,
  readStatement,
  writeStatement,
} from "../../src/db/database.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { until } from "../helpers/until.ts";

const connectionString = process.env["SLIPWAY_TEST_POSTGRES"] ?? "";
const needsPostgres = connectionString === "" && "part of npm run test:postgres";

const ECHO = readStatement<{ pid: number; text: string }>(
  "echo",
  "SELECT pg_backend_pid() AS pid, $1::text AS text",
);
const SLEEP = readStatement("sleep", "SELECT pg_sleep(60) WHERE $1::text IS NOT NULL");
const SLEEPERS = readStatement<{ pid: number }>(
  "sleepers",
  `SELECT pid FROM pg_stat_activity
    WHERE query LIKE '%pg_sleep(60)%' AND state = 'active' AND pid <> pg_backend_pid()
      AND now() - query_start > interval '600 ms'`,
);
const LOCKED = readStatement<{ text: string }>(
  "locked",
  "SELECT $1::text AS text FROM locked_for_a_while RIGHT JOIN (SELECT 1) one ON true",
);
const LOCK = writeStatement("lock", "LOCK TABLE locked_for_a_while IN ACCESS EXCLUSIVE MODE");
const WAITING_FOR_LOCK = readStatement<{ pid: number }>(
  "waiting_for_lock",
  `SELECT pid FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%FROM locked_for_a_while%' AND now() - query_start > interval '100 ms'`,
);
const TERMINATE = readStatement("terminate", "SELECT pg_terminate_backend($1)");

describe("statements that only read", { skip: needsPostgres }, () => {
  let db: Database;

  before(() => {
    db = createPostgresDatabase({ connectionString, poolSize: 10, onError: () => undefined });
  });

  after(async () => {
    await db.close();
  });

  it("share a connection once there is one, and each gets its own answer", async () => {
    const texts = ["one", "two", "three", "four"];
    await until(async () => {
      const rows = await Promise.all(texts.map((text) => db.query(ECHO, [text])));
      assert.deepEqual(
        rows.map(([row]) => row?.text),
        texts,
      );
      return new Set(rows.map(([row]) => row?.pid)).size === 1;
    }, "four statements at once go over one connection");
  });

  it("do not wait for a slow read, not even the reads just behind it", async () => {
    let hasSlowEnded = false;
    const slow = assert.rejects(db.query(SLEEP, [""]), DatabaseUnavailableError).then(() => {
      hasSlowEnded = true;
    });
    const behind = await Promise.all(Array.from({ length: 5 }, () => db.query(ECHO, ["behind"])));
    assert.deepEqual(
      behind.map(([row]) => row?.text),
      Array.from({ length: 5 }, () => "behind"),
    );
    assert.equal(hasSlowEnded, false);
    // The slow statement continues on its own connection, until that connection is lost.
    const pid = await until(async () => (await db.query(SLEEPERS))[0]?.pid, "the slow one runs again");
    await db.query(TERMINATE, [pid]);
    await slow;
    assert.equal((await db.query(ECHO, ["again"]))[0]?.text, "again");
  });

  it("wait for a table that a migration has locked, even if the server has not parsed them before", async () => {
    // A connection that the test before ended may still be in the pool.
    await until(
      () =>
        db.execute("CREATE TABLE IF NOT EXISTS locked_for_a_while ()").then(
          () => true,
          () => false,
        ),
      "a connection is there",
    );
    // There is a connection to share, on which the statement is new.
    await db.query(ECHO, ["ready"]);
    const holding = Promise.withResolvers<void>();
    const isLocked = Promise.withResolvers<void>();
    const migration = db.transaction(async (tx) => {
      await tx.query(LOCK);
      isLocked.resolve();
      await holding.promise;
    });
    await isLocked.promise;
    const texts = ["first", "second", "third", "fourth", "fifth"];
    const reading = Promise.all(texts.map((text) => db.query(LOCKED, [text])));
    try {
      // The first was ended after half a second, in the middle of being parsed, and with it those behind it.
      await until(async () => {
        const waiting = await db.query(WAITING_FOR_LOCK);
        return waiting.length === texts.length;
      }, "each waits on a connection of its own");
    } finally {
      holding.resolve();
    }
    await migration;
    const rows = await reading;
    assert.deepEqual(
      rows.map(([row]) => row?.text),
      texts,
    );
    const again = await Promise.all(texts.map((text) => db.query(LOCKED, [text])));
    assert.deepEqual(
      again.map(([row]) => row?.text),
      texts,
    );
    await db.execute("DROP TABLE locked_for_a_while");
  });

  it("fail with a connection that is lost, and the next one opens another", async () => {
    const [own] = await db.query(ECHO, ["whose"]);
    // On the same connection, behind the statement that ends it.
    const lost = db.query(TERMINATE, [own?.pid ?? 0]);
    await assert.rejects(Promise.all([lost, db.query(ECHO, ["lost"])]), DatabaseUnavailableError);
    assert.equal((await db.query(ECHO, ["again"]))[0]?.text, "again");
  });
});
