import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Database, DatabaseUnavailableError, statement } from "../../src/db/database.ts";
import { createPostgresDatabase } from "../../src/db/postgres.ts";
import { until } from "../helpers/until.ts";

const connectionString = process.env["SLIPWAY_TEST_POSTGRES"] ?? "";
const needsPostgres = connectionString === "" && "part of npm run test:postgres";

const ECHO = statement<{ pid: number; text: string }>(
  "echo",
  "SELECT pg_backend_pid() AS pid, $1::text AS text",
);
const SLEEP = statement("sleep", "SELECT pg_sleep(60) WHERE $1::text IS NOT NULL");
const SLEEPERS = statement<{ pid: number }>(
  "sleepers",
  `SELECT pid FROM pg_stat_activity
    WHERE query LIKE '%pg_sleep(60)%' AND state = 'active' AND pid <> pg_backend_pid()
      AND now() - query_start > interval '600 ms'`,
);
const TERMINATE = statement("terminate", "SELECT pg_terminate_backend($1)");

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

  it("wait for none that takes long, not even those that came just behind it", async () => {
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
    // It goes on by itself, on a connection of its own, until that one is lost.
    const pid = await until(async () => (await db.query(SLEEPERS))[0]?.pid, "the slow one runs again");
    await db.query(TERMINATE, [pid]);
    await slow;
    assert.equal((await db.query(ECHO, ["again"]))[0]?.text, "again");
  });

  it("fail with a connection that is lost, and the next one opens another", async () => {
    const [own] = await db.query(ECHO, ["whose"]);
    // On the same connection, behind the statement that ends it.
    const lost = db.query(TERMINATE, [own?.pid ?? 0]);
    await assert.rejects(Promise.all([lost, db.query(ECHO, ["lost"])]), DatabaseUnavailableError);
    assert.equal((await db.query(ECHO, ["again"]))[0]?.text, "again");
  });
});
