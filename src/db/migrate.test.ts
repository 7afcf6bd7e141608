import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { makeTempDir } from "../../test/helpers/template.ts";
import { type Database, readStatement, writeStatement } from "./database.ts";
import { findFact, recordFact, removeFact } from "./facts.ts";
import { migrate, MigrationError, OLDEST_PROGRAM, readMigrations } from "./migrate.ts";
import { openPgliteDatabase } from "./drivers/pglite.ts";

describe("migrations of an empty database", () => {
  let folder: string;
  let db: Database;
  before(async () => {
    folder = await makeTempDir("migrate");
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("run once each, in order, even if several callers start them repeatedly", async () => {
    await Promise.all([migrate(db), migrate(db)]);
    const applied = await db.query(LIST);
    const names = (await readMigrations()).map(({ name }) => name);
    assert.deepEqual(
      applied.map(({ name }) => name),
      names,
    );
    assert.deepEqual(names, names.toSorted(), "their names sort as they run");
    await migrate(db);
    assert.deepEqual(await db.query(LIST), applied, "the second time changes nothing");
  });

  it("that were changed after they ran are refused by name", async () => {
    const [first] = await readMigrations();
    const [before] = await db.query(SET_CHECKSUM, ["0000", first?.name ?? ""]);
    await assert.rejects(migrate(db), (error) => {
      assert.ok(error instanceof MigrationError);
      assert.match(error.message, /0001_foundation\.sql was changed after it ran/);
      return true;
    });
    await db.query(SET_CHECKSUM, [before?.old ?? "", first?.name ?? ""]);
    await migrate(db);
  });

  it("of the next release are accepted if it supports this release", async () => {
    const names = (await readMigrations()).map(({ name }) => name);
    assert.ok(names.includes(OLDEST_PROGRAM));
    await db.query(INSERT, ["9998_of_the_next_release.sql"]);
    await recordFact(db, "oldest", { migration: names.at(-1) ?? "", release: "0.2.0" });
    assert.deepEqual(await migrate(db), ["9998_of_the_next_release.sql"]);
    assert.equal((await findFact(db, "oldest"))?.fact.release, "0.2.0", "what the newer one says stays");
  });

  it("of a release that left this one behind are refused in a sentence, and nothing is changed", async () => {
    await db.query(INSERT, ["9999_from_the_future.sql"]);
    await recordFact(db, "oldest", { migration: "9998_of_the_next_release.sql", release: "0.3.0" });
    await assert.rejects(migrate(db), (error) => {
      assert.ok(error instanceof MigrationError);
      assert.match(
        error.message,
        /migrated by Slipway 0\.3\.0, and Slipway \S+ is too old for its schema .*9999_from/,
      );
      return true;
    });
    assert.equal((await db.query(LIST)).length, (await readMigrations()).length + 2);
    await removeFact(db, "oldest");
    await assert.rejects(migrate(db), /migrated by Slipway of a later release/);
  });
});

const LIST = readStatement<{ name: string; appliedAt: Date }>(
  "test_list_migrations",
  `SELECT name, applied_at AS "appliedAt" FROM schema_migrations ORDER BY applied_at, name`,
);
const SET_CHECKSUM = writeStatement<{ old: string }>(
  "test_set_checksum",
  `UPDATE schema_migrations now SET checksum = $1 FROM schema_migrations old
    WHERE now.name = $2 AND old.name = now.name RETURNING old.checksum AS old`,
);
const INSERT = writeStatement(
  "test_insert_migration",
  "INSERT INTO schema_migrations (name, checksum) VALUES ($1, '0000')",
);
