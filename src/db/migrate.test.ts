import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { makeTempDir } from "../../test/helpers/template.ts";
import { type Database, readStatement, writeStatement } from "./database.ts";
import { migrate, MigrationError, readMigrations } from "./migrate.ts";
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

  it("of a newer release are refused by name, and nothing is changed", async () => {
    await db.query(INSERT, ["9999_from_the_future.sql"]);
    await assert.rejects(migrate(db), (error) => {
      assert.ok(error instanceof MigrationError);
      assert.match(error.message, /does not know \(9999_from_the_future\.sql\)/);
      return true;
    });
    assert.equal((await db.query(LIST)).length, (await readMigrations()).length + 1);
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
