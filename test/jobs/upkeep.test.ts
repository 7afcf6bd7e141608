import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { type Database, readStatement } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { analyzeGrownTables, vacuumWornTables } from "../../src/db/upkeep.ts";
import { createPostgresCopy, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const LOOK = readStatement<{ rows: number; analyzedPages: number; pages: number }>(
  "test_upkeep_look",
  `SELECT reltuples::int AS rows, relpages AS "analyzedPages", (pg_relation_size(oid) / 8192)::int AS pages
     FROM pg_class WHERE relname = $1`,
);

describe("upkeep of the database", () => {
  const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
  let db: Database;
  let cleanUp: () => Promise<void>;
  before(async () => {
    if (adminUrl === undefined) {
      const folder = await makeTempDir("upkeep");
      db = await openPgliteDatabase({ folder });
      cleanUp = () => rm(folder, { recursive: true, force: true });
    } else {
      const copy = await createPostgresCopy(adminUrl);
      db = createPostgresDatabase({ connectionString: copy.url, poolSize: 4, onError: () => undefined });
      cleanUp = () => copy.drop();
    }
  });
  after(async () => {
    await db.close();
    await cleanUp();
  });
  const look = async (table: string): Promise<{ rows: number; analyzedPages: number; pages: number }> => {
    const [found] = await db.query(LOOK, [table]);
    assert.ok(found !== undefined);
    return found;
  };
  /** So that only we analyze and vacuum them on a PostgreSQL server. */
  const fill = async (table: string, rows: number): Promise<void> => {
    await db.execute(
      `CREATE TABLE IF NOT EXISTS ${table} (id int, filler text) WITH (autovacuum_enabled = off);
       INSERT INTO ${table} SELECT i, repeat('x', 100) FROM generate_series(1, ${rows}) i`,
    );
  };

  it("analyzes a table that has grown to twice its size, and no other", async () => {
    await fill("grown", 5_000);
    await fill("small", 50);
    await analyzeGrownTables(db);
    assert.equal((await look("grown")).rows, 5_000);
    assert.equal((await look("small")).rows, -1, "a small table needs no statistics");

    await fill("grown", 2_500);
    await analyzeGrownTables(db);
    assert.equal((await look("grown")).rows, 5_000, "half as much again is not enough");

    await fill("grown", 3_500);
    await analyzeGrownTables(db);
    assert.equal((await look("grown")).rows, 11_000);
  });

  // A PostgreSQL server vacuums automatically.
  if (adminUrl !== undefined) return;

  it("uses the space of dead rows again", async () => {
    await fill("worn", 5_000);
    const { pages } = await look("worn");
    await db.execute("DELETE FROM worn");
    // PostgreSQL counts dead rows with a delay of about a second.
    await until(async () => {
      await vacuumWornTables(db);
      return (await look("worn")).pages === 0;
    }, `the ${pages} pages are given back`);
    await fill("worn", 5_000);
    assert.equal((await look("worn")).pages, pages);
  });
});
