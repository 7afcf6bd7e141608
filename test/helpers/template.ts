import { randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { hashMigrations, migrate, readMigrations } from "../../src/db/migrate.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";

/**
 * Migrated databases are made once and copied for each test file: initializing PGlite takes seconds,
 * copying it a fraction of one.
 */

/** Copies the migrated embedded database into `folder`. */
export async function copyPgliteTemplate(folder: string): Promise<void> {
  const template = path.join(tmpdir(), `slipway-template-${hashMigrations(await readMigrations())}`);
  if (!(await exists(template))) await makePgliteTemplate(template);
  await cp(template, folder, { recursive: true });
}

async function makePgliteTemplate(template: string): Promise<void> {
  const draft = await mkdtemp(`${template}-draft-`);
  const db = await openPgliteDatabase({ folder: path.join(draft, "database") });
  await migrate(db);
  await db.close();
  await rename(path.join(draft, "database"), template).catch(async (error: NodeJS.ErrnoException) => {
    // Another test process was faster; its template is as good.
    if (!(await exists(template))) throw error;
  });
  await rm(draft, { recursive: true, force: true });
}

/** A database of a test's own on the test server; `drop` removes it again. */
export type TestDatabase = { readonly url: string; readonly drop: () => Promise<void> };

/** Creates a migrated one without rows. */
export async function createPostgresCopy(adminUrl: string): Promise<TestDatabase> {
  const template = `slipway_template_${hashMigrations(await readMigrations())}`;
  const name = `slipway_test_${randomUUID().replaceAll("-", "")}`;
  await asAdmin(adminUrl, async (admin) => {
    // One test process makes the template; the others wait here.
    await admin.query("SELECT pg_advisory_lock(72634120)");
    const { rowCount } = await admin.query("SELECT 1 FROM pg_database WHERE datname = $1", [template]);
    if (rowCount === 0) await makePostgresTemplate(adminUrl, admin, template);
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    await admin.query("SELECT pg_advisory_unlock(72634120)");
  });
  return testDatabase(adminUrl, name);
}

/** Creates one without a table. */
export async function createEmptyPostgres(adminUrl: string): Promise<TestDatabase> {
  const name = `slipway_test_${randomUUID().replaceAll("-", "")}`;
  await asAdmin(adminUrl, async (admin) => void (await admin.query(`CREATE DATABASE ${name}`)));
  return testDatabase(adminUrl, name);
}

function testDatabase(adminUrl: string, name: string): TestDatabase {
  return {
    url: urlOf(adminUrl, name),
    drop: () =>
      asAdmin(adminUrl, async (admin) => void (await admin.query(`DROP DATABASE ${name} WITH (FORCE)`))),
  };
}

async function makePostgresTemplate(adminUrl: string, admin: Client, template: string): Promise<void> {
  const draft = `${template}_draft`;
  await admin.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${draft}`);
  const url = urlOf(adminUrl, draft);
  const db = createPostgresDatabase({ connectionString: url, poolSize: 2, onError: () => undefined });
  await migrate(db);
  await db.close();
  await admin.query(`ALTER DATABASE ${draft} RENAME TO ${template}`);
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

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
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
