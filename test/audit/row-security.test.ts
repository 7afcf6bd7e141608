/**
 * Row-level security, the second wall behind the statements: what a forgotten `WHERE organization_id = …` would do.
 * On PGlite, or on the PostgreSQL that `SLIPWAY_TEST_POSTGRES` names; rows in every table, as all releases wrote them.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import {
  type Database,
  DatabaseError,
  readAsOwner,
  readStatement,
  type Transaction,
  writeStatement,
} from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { migrate, readMigrations } from "../../src/db/migrate.ts";
import { openTenantRole, tenantRoleOf } from "../../src/db/tenant-role.ts";
import { RELEASE_ROWS } from "../helpers/customers/release-rows.ts";
import { loadStatements } from "../helpers/statements.ts";
import { createEmptyPostgres, makeTempDir } from "../helpers/template.ts";

const statements = await loadStatements();

/** Tables that hold no rows of organizations, and why. */
const OF_NO_ORGANIZATION: Readonly<Record<string, string>> = {
  call_buckets: "The rate of an account at the provider, for all organizations that connected it.",
  dns_lookers: "The workers that look at DNS records.",
  installation_facts: "What the database knows about the installation, such as that it has moved.",
  schema_migrations: "Which migrations ran.",
};
/** Tables whose rows every organization sees, and why. */
const SEEN_BY_ALL: Readonly<Record<string, string>> = {
  proven_names: "Who proved a name is decided among all organizations; only its owner may change a row.",
};

const LIST_TABLES = readAsOwner<{
  name: string;
  isGuarded: boolean;
  isForced: boolean;
  policies: string[];
}>(
  "test_tables",
  `SELECT c.relname::text AS name, c.relrowsecurity AS "isGuarded", c.relforcerowsecurity AS "isForced",
          ARRAY(SELECT polname || ': ' || polcmd::text || ' ' || coalesce(pg_get_expr(polqual, polrelid), '') || ' / '
                       || coalesce(pg_get_expr(polwithcheck, polrelid), '')
                  FROM pg_policy WHERE polrelid = c.oid ORDER BY polname) AS policies
     FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname`,
);
const HAS_ROLE = readStatement<{ name: string }>("test_role", "SELECT current_user::text AS name");

describe("P6: row-level security", () => {
  let folder: string;
  let db: Database;
  let role: string;
  let tables: readonly string[];
  let drop: () => Promise<void> = async () => undefined;

  before(async () => {
    folder = await makeTempDir("row-security");
    const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
    let url: string | null = null;
    if (adminUrl === undefined) db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    else {
      ({ url, drop } = await createEmptyPostgres(adminUrl));
      db = createPostgresDatabase({ connectionString: url, poolSize: 4, onError: () => undefined });
    }
    await migrate(db);
    for (const organization of ["a", "b"]) {
      for (const { name } of await readMigrations()) {
        const text = RELEASE_ROWS[name]?.sql ?? assert.fail(`${name} has no rows in release-rows.ts`);
        await db.execute(text.replaceAll(/\bX\b|(?<=[_-])X\b/g, organization));
      }
    }
    const opened = await openTenantRole(db);
    assert.ok(opened.role !== null, JSON.stringify(opened));
    role = opened.role;
    const found = await db.query(LIST_TABLES);
    tables = found.map(({ name }) => name).filter((name) => !(name in OF_NO_ORGANIZATION));
  });
  after(async () => {
    await db.close();
    await drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** For each table, the result of a piece of work, which is rolled back. */
  async function ofEachTable<T>(
    first: string,
    ask: (tx: Transaction, table: string) => Promise<T>,
  ): Promise<Record<string, T>> {
    const answers: Record<string, T> = {};
    for (const table of tables) {
      await db
        .transaction(async (tx) => {
          for (const text of first.split(";")) await tx.executeSql(text);
          answers[table] = await ask(tx, table);
          throw new Undone();
        })
        .catch((error: unknown) => {
          if (!(error instanceof Undone)) throw error;
        });
    }
    return answers;
  }
  const asTenant = (id: string): string =>
    `SET LOCAL ROLE "${role}";SET LOCAL slipway.organization_id TO '${id}'`;
  const owners = async (tx: Transaction, table: string): Promise<string> => {
    const { rows } = await tx.executeSql(
      `SELECT DISTINCT organization_id AS id FROM ${table} ORDER BY organization_id`,
    );
    return rows.map((row) => (row as { id: string }).id).join(" ");
  };
  const all = <T>(value: T): Record<string, T> => Object.fromEntries(tables.map((table) => [table, value]));
  const exceptSeenByAll = (value: string, other: string): Record<string, string> =>
    Object.fromEntries(tables.map((table) => [table, table in SEEN_BY_ALL ? other : value]));

  it("P6: is a policy on every table; a new table's policy belongs in its migration (docs/how-to/write-a-migration.md)", async () => {
    const found = await db.query(LIST_TABLES);
    const mine = "(organization_id = current_setting('slipway.organization_id'::text, true))";
    for (const { name, isGuarded, isForced, policies } of found) {
      if (name in OF_NO_ORGANIZATION) continue;
      assert.ok(isGuarded, `${name} needs: ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;`);
      assert.ok(policies.includes(`of_organization: * ${mine} / `), `${name}: ${policies.join("; ")}`);
      assert.equal(policies.length, name in SEEN_BY_ALL ? 2 : 1, `${name}: ${policies.join("; ")}`);
      assert.ok(!isForced, `${name}: the release before connects as the owner`);
    }
    const names = found.map(({ name }) => name);
    for (const name of [...Object.keys(OF_NO_ORGANIZATION), ...Object.keys(SEEN_BY_ALL)])
      assert.ok(names.includes(name), name);
  });

  it("P6: is tested with rows of two organizations in each table", async () => {
    assert.deepEqual(await ofEachTable("SELECT 1", owners), all("org_a org_b"));
  });

  it("P6: a statement without an organization, in work without one, sees nothing", async () => {
    assert.deepEqual(
      await ofEachTable(`SET LOCAL ROLE "${role}"`, owners),
      exceptSeenByAll("", "org_a org_b"),
    );
  });

  it("S15: a statement without an organization, in work for one, sees nothing of another's", async () => {
    assert.deepEqual(await ofEachTable(asTenant("org_a"), owners), exceptSeenByAll("org_a", "org_a org_b"));
  });

  it("P6: a change or deletion without an organization does not affect another's rows", async () => {
    const left = async (tx: Transaction, table: string): Promise<string> => {
      const set = await tx.executeSql(
        `UPDATE ${table} SET organization_id = organization_id RETURNING organization_id AS id`,
      );
      assert.ok(set.rows.length > 0, table);
      for (const row of set.rows) assert.equal((row as { id: string }).id, "org_a", table);
      await tx.executeSql("RESET ROLE");
      // References of other tables are not tested here.
      await tx.executeSql("SET LOCAL session_replication_role TO replica");
      await tx.executeSql(`SET LOCAL ROLE "${role}"`);
      await tx.executeSql(`DELETE FROM ${table}`);
      await tx.executeSql("RESET ROLE");
      return await owners(tx, table);
    };
    assert.deepEqual(await ofEachTable(asTenant("org_a"), left), all("org_b"));
  });

  it("P6: no row can move to another organization, or be written for one", async () => {
    for (const table of tables) {
      for (const text of [
        `UPDATE ${table} SET organization_id = 'org_b'`,
        `INSERT INTO ${table} SELECT (jsonb_populate_record(NULL::${table},
           to_jsonb(t) || '{"organization_id": "org_b"}')).* FROM ${table} t WHERE organization_id = 'org_a' LIMIT 1`,
      ]) {
        const refused = db.transaction(async (tx) => {
          for (const part of asTenant("org_a").split(";")) await tx.executeSql(part);
          await tx.executeSql(text);
        });
        await assert.rejects(refused, (error: unknown) => {
          assert.ok(error instanceof Error && "code" in error, `${table}: ${String(error)}`);
          // A generated column cannot be inserted: for such a table the UPDATE shows it.
          if (error.code === "428C9") return true;
          assert.match(error.message, /row-level security/, table);
          return true;
        });
      }
    }
  });

  for (const isDistributed of [false, true])
    describe(`once statements are restricted${isDistributed ? ", as on Citus" : ""}`, () => {
      const FORGETFUL = writeStatement<{ id: string }>(
        "test_forgetful",
        "UPDATE users SET name = name RETURNING organization_id AS id",
      );
      before(() => db.restrict({ role, isDistributed }));

      it("P6: a single write, and one in a transaction, only reach the rows of their organization", async () => {
        for (const organizationId of ["org_a", "org_b"]) {
          await db.within(organizationId, async () => {
            assert.deepEqual(await db.query(FORGETFUL), [{ id: organizationId }]);
            assert.deepEqual(await db.transaction((tx) => tx.query(FORGETFUL)), [{ id: organizationId }]);
            assert.deepEqual(await db.transaction((tx) => tx.query(HAS_ROLE)), [{ name: role }]);
            assert.deepEqual(await db.query(HAS_ROLE), [{ name: role }]);
          });
        }
      });

      it("S15: a read without an organization finds no rows of another, in any table", async () => {
        for (const table of tables) {
          const text = `SELECT DISTINCT organization_id AS id FROM ${table} ORDER BY 1`;
          const owners = readStatement<{ id: string }>(`test_owners_${table}`, text);
          const allOwners = readAsOwner<{ id: string }>(`test_all_owners_${table}`, text);
          const both = [{ id: "org_a" }, { id: "org_b" }];
          for (const id of ["org_a", "org_b"]) {
            const found = await db.within(id, () => db.query(owners));
            assert.deepEqual(found, table in SEEN_BY_ALL ? both : [{ id }], table);
          }
          assert.deepEqual(await db.acrossOrganizations(() => db.query(owners)), both, table);
          assert.deepEqual(await db.within("org_a", () => db.query(allOwners)), both, table);
        }
      });

      it("S15: every read of the source is refused before it begins, unless its work says whose rows it touches, or it runs as the owner", async () => {
        const reads = statements.filter(({ isRead, runsAsOwner }) => isRead && !runsAsOwner);
        assert.ok(reads.length > 100, String(reads.length));
        for (const one of reads)
          await assert.rejects(db.query(one), /must say whose rows it touches/, one.name);
      });

      it("S15: the transaction of an organization refuses a read that runs as the owner", async () => {
        const across = readAsOwner("test_across", "SELECT organization_id AS id FROM users");
        await assert.rejects(
          db.within("org_a", () => db.transaction((tx) => tx.query(across))),
          /test_across runs as the owner/,
        );
        await db.acrossOrganizations(() => db.transaction((tx) => tx.query(across)));
      });

      it("S15: a read that fails does not affect its connection", async () => {
        const wrong = readStatement("test_wrong_read", "SELECT 1 / (count(*) - count(*)) AS one FROM users");
        const role = readStatement<{ name: string }>("test_role_after", "SELECT current_user::text AS name");
        for (let count = 0; count < 8; count += 1) {
          await assert.rejects(
            db.within("org_a", () => db.query(wrong)),
            DatabaseError,
          );
          const [after] = await db.acrossOrganizations(() => db.query(role));
          assert.ok(after !== undefined && !after.name.endsWith("_tenant"));
        }
      });

      it("P6: concurrent work on the same connections stays separate", async () => {
        const READ = readStatement<{ id: string }>("test_read", "SELECT organization_id AS id FROM users");
        const asked = Array.from({ length: 60 }, async (_, index) => {
          const organizationId = index % 2 === 0 ? "org_a" : "org_b";
          const rows = await db.within(organizationId, async () => {
            if (index % 6 < 2) return await db.query(READ);
            if (index % 6 < 4) return await db.query(FORGETFUL);
            return await db.transaction(async (tx) => {
              await tx.query(HAS_ROLE);
              return await tx.query(FORGETFUL);
            });
          });
          assert.deepEqual(rows, [{ id: organizationId }]);
        });
        await Promise.all(asked);
      });

      it("P6: only work that declares it reaches all organizations", async () => {
        const rows = await db.acrossOrganizations(() => db.query(FORGETFUL));
        assert.deepEqual(rows.map(({ id }) => id).sort(), ["org_a", "org_b"]);
      });

      it("P6: undeclared work is refused before it begins", async () => {
        await assert.rejects(async () => await db.query(FORGETFUL), /must say whose rows it touches/);
        await assert.rejects(
          async () => await db.transaction((tx) => tx.query(FORGETFUL)),
          /must say whose rows it touches/,
        );
        await assert.rejects(
          async () => await db.within("org_a'; RESET ROLE; --", () => db.query(FORGETFUL)),
          /Invalid organization id/,
        );
      });

      it("P6: a failed write does not affect its connection", async () => {
        const wrong = writeStatement("test_wrong", "UPDATE users SET role = 'king'");
        await db.within("org_a", async () => {
          await assert.rejects(async () => await db.query(wrong), DatabaseError);
          assert.deepEqual(await db.query(FORGETFUL), [{ id: "org_a" }]);
        });
        assert.equal((await db.acrossOrganizations(() => db.query(FORGETFUL))).length, 2);
      });
    });

  it("P6: installations of different users share no role, and every name fits", () => {
    assert.equal(tenantRoleOf("slipway"), "slipway_tenant");
    const [long, longer] = [tenantRoleOf("x".repeat(63)), tenantRoleOf("x".repeat(62))];
    assert.ok(Buffer.byteLength(long) <= 63);
    assert.notEqual(long, longer);
  });
});

class Undone extends Error {}
