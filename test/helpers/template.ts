import { createHash, randomUUID } from "node:crypto";
import { cpSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { migrate, readMigrations } from "../../src/db/migrate.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { distributeOver, listNodes, onAllNodes, urlOf } from "./processes/database-nodes.ts";

/**
 * Migrated databases are made once and copied for each test file: initializing PGlite takes seconds,
 * copying it a fraction of one.
 */

/** Copies the migrated embedded database into `folder`. */
export async function copyPgliteTemplate(folder: string): Promise<void> {
  const template = path.join(tmpdir(), `slipway-embedded-${await hashMigrations()}`);
  if (!(await exists(template))) await makePgliteTemplate(template);
  // Of thousands of small calls, the asynchronous ones cost several times as much.
  cpSync(template, folder, { recursive: true });
}

async function makePgliteTemplate(template: string): Promise<void> {
  const draft = await mkdtemp(`${template}-draft-`);
  const db = await openPgliteDatabase({ folder: path.join(draft, "database") });
  await migrate(db);
  // Two thirds of the files, which nothing here uses.
  await db.execute("UPDATE pg_database SET datistemplate = false");
  for (const unused of ["template0", "template1"]) await db.execute(`DROP DATABASE ${unused}`);
  await db.close();
  await rename(path.join(draft, "database"), template).catch(async (error: NodeJS.ErrnoException) => {
    // Another test process was faster; its template is as good.
    if (!(await exists(template))) throw error;
  });
  await rm(draft, { recursive: true, force: true });
}

/** A database of a test's own on the test server; `drop` removes it again. */
export type TestDatabase = { readonly url: string; readonly drop: () => Promise<void> };

/** Creates a migrated one without rows; on Citus, on all nodes, and distributed. */
export async function createPostgresCopy(adminUrl: string): Promise<TestDatabase> {
  const template = `slipway_template_${await hashMigrations()}`;
  const name = `slipway_test_${randomUUID().replaceAll("-", "")}`;
  const nodes = await listNodes(adminUrl);
  await asAdmin(adminUrl, async (admin) => {
    // One test process makes the template; the others wait here.
    await admin.query("SELECT pg_advisory_lock(72634120)");
    const { rowCount } = await admin.query("SELECT 1 FROM pg_database WHERE datname = $1", [template]);
    if (rowCount === 0) await makePostgresTemplate(nodes, template);
    await onAllNodes(nodes, `CREATE DATABASE ${name} TEMPLATE ${template}`);
    // A copy has no settings, and this one is of `distribute`. Without Citus it means nothing.
    await onAllNodes(nodes.slice(0, 1), `ALTER DATABASE ${name} SET citus.propagate_set_commands TO 'local'`);
    await admin.query("SELECT pg_advisory_unlock(72634120)");
  });
  return testDatabase(nodes, name);
}

/** Creates one without a table. */
export async function createEmptyPostgres(adminUrl: string): Promise<TestDatabase> {
  const name = `slipway_test_${randomUUID().replaceAll("-", "")}`;
  await onAllNodes([adminUrl], `CREATE DATABASE ${name}`);
  return testDatabase([adminUrl], name);
}

function testDatabase(nodes: readonly string[], name: string): TestDatabase {
  return {
    url: urlOf(nodes[0] ?? "", name),
    drop: () => dropDatabase(nodes, name),
  };
}

/**
 * Citus has a process in each database, and starts it again while `FORCE` ends it: no new connection may be made first.
 * Does nothing on a node without the database.
 */
export async function dropDatabase(nodes: readonly string[], name: string): Promise<void> {
  await onAllNodes(
    nodes,
    // An ALTER of a database that does not exist would fail.
    `UPDATE pg_database SET datallowconn = false WHERE datname = '${name}'`,
    `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`,
  );
}

async function makePostgresTemplate(nodes: readonly string[], template: string): Promise<void> {
  const draft = `${template}_draft`;
  await dropDatabase(nodes, draft);
  await onAllNodes(nodes, `CREATE DATABASE ${draft}`);
  const url = urlOf(nodes[0] ?? "", draft);
  const db = createPostgresDatabase({ connectionString: url, poolSize: 2, onError: () => undefined });
  await migrate(db);
  await db.close();
  if (nodes.length > 1) await distributeOver(nodes, draft);
  await onAllNodes(
    nodes,
    `ALTER DATABASE ${draft} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${draft}'`,
    `DROP DATABASE IF EXISTS ${template}`,
    `ALTER DATABASE ${draft} RENAME TO ${template}`,
  );
}

async function asAdmin(adminUrl: string, work: (admin: Client) => Promise<void>): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

/** Changes with every migration, and so do the names of templates. */
async function hashMigrations(): Promise<string> {
  const hash = createHash("sha256");
  for (const { name, text } of await readMigrations()) hash.update(`${name}\0${text}\0`);
  return hash.digest("hex").slice(0, 16);
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

/** A new folder, removed by the caller. */
export async function makeTempDir(purpose: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), `slipway-${purpose}-`));
  await mkdir(folder, { recursive: true });
  return folder;
}
