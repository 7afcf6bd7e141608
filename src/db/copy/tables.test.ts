import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { copyPgliteTemplate, makeTempDir } from "../../../test/helpers/template.ts";
import type { Database } from "../database.ts";
import { openPgliteDatabase } from "../drivers/pglite.ts";
import { listTables } from "./tables.ts";

describe("the order of tables in a copy", () => {
  let folder: string;
  let db: Database;
  before(async () => {
    folder = await makeTempDir("copied-tables");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  const order = async (): Promise<readonly string[]> => (await listTables(db)).map(({ name }) => name);

  it("has a table after the tables that it refers to", async () => {
    const names = await order();
    assert.ok(names.indexOf("organizations") < names.indexOf("users"));
    assert.ok(names.indexOf("domains") < names.indexOf("dns_records"));
    assert.ok(names.indexOf("domains") < names.indexOf("proven_names"));
  });

  it("fills a database that has all references, also where Citus has dropped some", async () => {
    await db.transaction((tx) =>
      tx.executeSql("ALTER TABLE proven_names DROP CONSTRAINT proven_names_organization_id_domain_id_fkey"),
    );
    const names = await order();
    assert.ok(names.indexOf("domains") < names.indexOf("proven_names"));
  });
});
