import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { type Database, DatabaseError, readAsOwner, type Transaction, writeStatement } from "./database.ts";
import { distributeTable, isDistributed } from "./distribute.ts";
import { readRelease } from "../lib/release.ts";
import { findFact, recordFact, refuseUnusable } from "./facts.ts";
import { MIGRATIONS_LOCK } from "./migrations-lock.ts";
import { OperatorError } from "../lib/operator-error.ts";

const MIGRATIONS = new URL("./migrations/", import.meta.url);

export type Migration = { readonly name: string; readonly text: string };

/** The database was migrated by a newer Slipway, or a migration was changed after it ran. */
export class MigrationError extends OperatorError {
  override readonly name = "MigrationError";
}

/** Every migration of this release, in order. */
export async function readMigrations(): Promise<readonly Migration[]> {
  return await Promise.all(
    (await listNames()).map(async (name) => ({
      name,
      text: await readFile(new URL(name, MIGRATIONS), "utf8"),
    })),
  );
}

async function listNames(): Promise<readonly string[]> {
  return (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).sort();
}

/**
 * Programs that know this migration may run on the schema of this release. It is the last migration of the previous
 * release, because no migration breaks that release (docs/how-to/write-a-migration.md). Earlier releases may rely on
 * what was removed since. Set it at each release.
 */
export const OLDEST_PROGRAM = "0055_next_expiry.sql";

/** Gets the number of a migration, from 1, before it is applied, or found applied. */
export type OnMigration = (number: number, count: number) => void;

/**
 * Migrates the schema to this release. Forward only; each migration runs in its own transaction.
 * Several processes may start at once: an advisory lock lets one do the work, and the others find it done.
 * @returns migrations of a newer release, on whose schema this one may run
 * @throws MigrationError, UnusableDatabaseError
 */
export async function migrate(db: Database, onMigration?: OnMigration): Promise<readonly string[]> {
  await refuseUnusable(db);
  await applyMigrations(db, await readMigrations(), onMigration);
  // Again, because this may have waited for the end of a copy, which holds the migrations' lock.
  await refuseUnusable(db);
  const { unknown } = await compareSchema(db);
  if (unknown.length === 0) await recordOldest(db);
  else await refuseTooNew(db, unknown);
  return unknown;
}

/** Says which programs may run on this release's schema. */
async function recordOldest(db: Database): Promise<void> {
  const release = readRelease();
  const recorded = (await findFact(db, "oldest"))?.fact;
  if (recorded?.migration === OLDEST_PROGRAM && recorded.release === release) return;
  await recordFact(db, "oldest", { migration: OLDEST_PROGRAM, release });
}

/** @throws MigrationError when the newer release left this one behind */
async function refuseTooNew(db: Database, unknown: readonly string[]): Promise<void> {
  const oldest = (await findFact(db, "oldest"))?.fact ?? null;
  const known = await listNames();
  if (oldest !== null && known.includes(oldest.migration)) return;
  throw new MigrationError(
    `The database was migrated by Slipway ${oldest?.release ?? "of a later release"}, and Slipway ${readRelease()} is too old for its schema (${unknown.join(", ")}): run that release, or a newer one.`,
  );
}

/** Which migrations of this release have not run, and which ran that it does not know. Changes nothing. */
export async function compareSchema(
  db: Database,
): Promise<{ readonly pending: readonly string[]; readonly unknown: readonly string[] }> {
  const known = await listNames();
  const applied = (await db.query(LIST_APPLIED)).map(({ name }) => name);
  return {
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

/** Applies the migrations in order, and skips migrations that are already applied. @throws MigrationError */
export async function applyMigrations(
  db: Database,
  migrations: readonly Migration[],
  onMigration?: OnMigration,
): Promise<void> {
  await db
    .execute(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
       name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    )
    .catch((error: unknown) => {
      // Two processes may create it at the same time; the second finds it.
      if (!/already exists|duplicate key/.test(String(error))) throw error;
    });
  const applied = await listApplied(db);
  for (const [index, migration] of migrations.entries()) {
    onMigration?.(index + 1, migrations.length);
    if (applied.get(migration.name) === checksumOf(migration)) continue;
    await repeatWhileLocked(migration.name, () => applyOnce(db, migration));
  }
}

/** Checksums by name. Waits for a process that changes the schema. */
async function listApplied(db: Database): Promise<ReadonlyMap<string, string>> {
  return await db.transaction(async (tx) => {
    await lockSchema(tx);
    return new Map((await tx.query(LIST_APPLIED)).map(({ name, checksum }) => [name, checksum]));
  });
}

/** Without a limit: waiting for another process's migration, or migrating much data, takes as long as it takes. */
async function lockSchema(tx: Transaction): Promise<void> {
  await tx.query(SET_LIMIT, ["statement_timeout", "0"]);
  await tx.executeSql(MIGRATIONS_LOCK);
}

/**
 * Retries a migration that waits for a lock. A statement that changes a table waits for the transactions that use the
 * table, and all later requests wait behind the statement. So it gives up soon, lets them pass, and tries again.
 * @throws MigrationError
 */
async function repeatWhileLocked(name: string, apply: () => Promise<void>): Promise<void> {
  for (let tries = 1; tries <= LOCK_TRIES; tries += 1) {
    try {
      await apply();
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE)) throw error;
      await setTimeout(LOCK_PAUSE_MS * Math.random());
    }
  }
  throw new MigrationError(
    `The migration ${name} found a table in use each time it tried. Look for long transactions in pg_stat_activity, and start again.`,
  );
}

/** As it is stored beside the name of a migration that ran. */
export function checksumOf({ text }: Migration): string {
  return createHash("sha256").update(text).digest("hex");
}

async function applyOnce(db: Database, migration: Migration): Promise<void> {
  const { name, text } = migration;
  const checksum = checksumOf(migration);
  await db.transaction(async (tx) => {
    await lockSchema(tx);
    await tx.query(SET_LIMIT, ["lock_timeout", String(LOCK_TIMEOUT_MS)]);
    const [applied] = await tx.query(FIND_APPLIED, [name]);
    if (applied !== undefined) {
      if (applied.checksum === checksum) return;
      throw new MigrationError(
        `The migration ${name} was changed after it ran on this database. Migrations are never edited; add a new one.`,
      );
    }
    const run = (await isDistributed(tx)) ? runDistributed : runPart;
    for (const part of splitStatements(text)) await run(tx, part);
    await tx.query(RECORD, [name, checksum]);
  });
}

async function runPart(tx: Transaction, part: string): Promise<void> {
  await tx.executeSql(part);
}

/** A new table is distributed at once, because what follows may refer to distributed ones. */
async function runDistributed(tx: Transaction, part: string): Promise<void> {
  await tx.executeSql("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'");
  await runPart(tx, part);
  const table = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+) /.exec(part)?.[1];
  if (table !== undefined) await distributeTable(tx, table);
}

/**
 * Splits a migration: the embedded driver takes one statement at a time. A statement ends with a semicolon at the end
 * of a line.
 */
export function splitStatements(text: string): readonly string[] {
  return text
    .replaceAll(/^\s*--.*$/gm, "")
    .split(/;\s*$/m)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** How long a migration waits for a lock, and requests behind it. They would give up after fifteen seconds. */
const LOCK_TIMEOUT_MS = 2_000;
const LOCK_PAUSE_MS = 1_000;
const LOCK_TRIES = 60;
/** SQLSTATE when `lock_timeout` ran out. */
const LOCK_NOT_AVAILABLE = "55P03";

const SET_LIMIT = writeStatement("migrations_set_limit", "SELECT set_config($1, $2, true)");
const LIST_APPLIED = readAsOwner<{ name: string; checksum: string }>(
  "migrations_list",
  "SELECT name, checksum FROM schema_migrations ORDER BY name",
);
const FIND_APPLIED = readAsOwner<{ checksum: string }>(
  "migrations_find",
  "SELECT checksum FROM schema_migrations WHERE name = $1",
);
const RECORD = writeStatement(
  "migrations_record",
  "INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)",
);
