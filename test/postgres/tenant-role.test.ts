/** The role that writes run under, with the users that installations really have. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Client } from "pg";
import { type Database, writeStatement } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { DatabaseStartError } from "../../src/db/drivers/postgres-server.ts";
import { openTenantRole } from "../../src/db/tenant-role.ts";
import { createEmptyPostgres, type TestDatabase } from "../helpers/template.ts";

const INSERT = writeStatement(
  "test_insert",
  "INSERT INTO organizations (organization_id, name) VALUES ($1, $1)",
);
const RENAME_ALL = writeStatement<{ id: string }>(
  "test_rename_all",
  "UPDATE organizations SET name = 'x' RETURNING organization_id AS id",
);

describe("the role that writes run under", () => {
  const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
  if (adminUrl === undefined) {
    it("needs PostgreSQL", { skip: "run by npm run test:postgres" });
    return;
  }
  let empty: TestDatabase;
  let admin: Client;
  let user: string;
  let opened: Database[];

  beforeEach(async () => {
    empty = await createEmptyPostgres(adminUrl);
    admin = new Client({ connectionString: empty.url });
    await admin.connect();
    user = `test_${randomBytes(6).toString("hex")}`;
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((db) => db.close()));
    await admin.end();
    await empty.drop();
    const cleaner = new Client({ connectionString: adminUrl });
    await cleaner.connect();
    await cleaner.query(`DROP ROLE IF EXISTS "${user}_tenant", "${user}_other", "${user}"`);
    await cleaner.end();
  });

  function connectAs(name: string): Database {
    const url = new URL(empty.url);
    url.username = name;
    const db = createPostgresDatabase({
      connectionString: url.href,
      poolSize: 2,
      onError: () => undefined,
    });
    opened.push(db);
    return db;
  }
  async function ownedBy(attributes: string): Promise<Database> {
    await admin.query(`CREATE ROLE "${user}" LOGIN ${attributes}`);
    await admin.query(`ALTER DATABASE ${new URL(empty.url).pathname.slice(1)} OWNER TO "${user}"`);
    await admin.query(`ALTER SCHEMA public OWNER TO "${user}"`);
    const db = connectAs(user);
    await migrate(db);
    return db;
  }
  async function renameAs(db: Database, organizationId: string): Promise<readonly string[]> {
    return (await db.within(organizationId, () => db.query(RENAME_ALL))).map(({ id }) => id);
  }

  it("P6: is created by an owner who may create roles, as on managed PostgreSQL", async () => {
    const db = await ownedBy("CREATEROLE");
    assert.deepEqual(await openTenantRole(db), { role: `${user}_tenant`, isDistributed: false });
    assert.deepEqual(
      await openTenantRole(db),
      { role: `${user}_tenant`, isDistributed: false },
      "and found by the next process",
    );
    db.restrict({ role: `${user}_tenant`, isDistributed: false });
    for (const id of ["org_a", "org_b"]) await db.within(id, () => db.query(INSERT, [id]));
    assert.deepEqual(await renameAs(db, "org_a"), ["org_a"]);
  });

  it("P6: is requested from the operator otherwise, and used once it exists", async () => {
    const db = await ownedBy("");
    const missing = await openTenantRole(db);
    assert.equal(missing.role, null);
    const [, sql = ""] = /Have a superuser run: (.*); and start again/.exec(missing.reason) ?? [];
    assert.equal(sql, `CREATE ROLE "${user}_tenant" NOLOGIN; GRANT "${user}_tenant" TO "${user}"`);
    // Without it all works as before.
    for (const id of ["org_a", "org_b"]) await db.query(INSERT, [id]);
    await admin.query(sql);
    assert.deepEqual(await openTenantRole(db), { role: `${user}_tenant`, isDistributed: false });
    db.restrict({ role: `${user}_tenant`, isDistributed: false });
    assert.deepEqual(await renameAs(db, "org_b"), ["org_b"]);
  });

  it("P6: is not used if it would bypass the policies", async () => {
    const db = await ownedBy("");
    await admin.query(`CREATE ROLE "${user}_tenant" BYPASSRLS; GRANT "${user}_tenant" TO "${user}"`);
    const missing = await openTenantRole(db);
    assert.equal(missing.role, null);
    assert.match(missing.reason, /passes by the policies of .*organizations/);
  });

  it("P6: does not help a user who does not own the tables: the start says so", async () => {
    await ownedBy("");
    await admin.query(`CREATE ROLE "${user}_other" LOGIN`);
    await admin.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO "${user}_other"`);
    await assert.rejects(openTenantRole(connectAs(`${user}_other`)), (error: unknown) => {
      assert.ok(error instanceof DatabaseStartError);
      assert.match(error.message, new RegExp(`^The user "${user}_other" of DATABASE_URL does not own`));
      return true;
    });
  });

  it("P6: is created once by processes that start together", async () => {
    await ownedBy("CREATEROLE");
    const made = await Promise.all(Array.from({ length: 5 }, () => openTenantRole(connectAs(user))));
    assert.deepEqual(
      made,
      Array.from({ length: 5 }, () => ({ role: `${user}_tenant`, isDistributed: false })),
    );
  });
});
