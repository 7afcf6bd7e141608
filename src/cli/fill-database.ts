/**
 * Fills an empty database with a copy. Its schema is made first, as the source has it. All rows come in one transaction;
 * until it commits, the database is marked as unfinished, and no service starts on it.
 */
import type { Database } from "../db/database.ts";
import { type AppliedMigration, copyInTransaction, listApplied } from "../db/copy/read-rows.ts";
import {
  type Copied,
  type CopySource,
  fillTables,
  findFilledTable,
  holdOffMigrations,
} from "../db/copy/write-rows.ts";
import { readStatement } from "../db/database.ts";
import { makeFacts, recordFact, removeFact } from "../db/facts.ts";
import { applyMigrations, checksumOf, type Migration, readMigrations } from "../db/migrate.ts";
import { OperatorError } from "../lib/operator-error.ts";

export type Copy = {
  /** For messages: what is copied. */
  readonly from: string;
  /** The release that made it, for messages. */
  readonly release: string;
  readonly schema: readonly AppliedMigration[];
  readonly source: CopySource;
  /** The id of the move that it is for. */
  readonly move?: string;
};

/**
 * @param options.keepsMark whether the database stays marked as unfinished, so that no service starts on it
 * @throws OperatorError when the database is not empty, or the copy is of a newer release; CopyError
 */
export async function fillDatabase(
  db: Database,
  { from, release, schema, source, move }: Copy,
  options: { readonly keepsMark?: boolean } = {},
): Promise<Copied> {
  const migrations = await findMigrations(schema, from, release);
  await refuseForeign(db);
  await makeFacts(db);
  await db.transaction((tx) => refuseFilled(tx));
  await recordFact(db, "unfinished", move === undefined ? { from } : { from, move });
  await applyMigrations(db, migrations);
  return await copyInTransaction(db, async (tx) => {
    await holdOffMigrations(tx);
    // Once more: others may have been faster.
    await refuseFilled(tx);
    const newer = (await listApplied(tx)).find(({ name }) => !migrations.some((one) => one.name === name));
    if (newer !== undefined) {
      throw new OperatorError(
        `The database already has the migration ${newer.name}, which ${from} does not have. Use a database without tables.`,
      );
    }
    const copied = await fillTables(tx, source);
    if (options.keepsMark !== true) await removeFact(tx, "unfinished");
    return copied;
  });
}

/** The migrations that made a schema. @throws OperatorError when this release does not know one of them */
export async function findMigrations(
  schema: readonly AppliedMigration[],
  from: string,
  release: string,
): Promise<readonly Migration[]> {
  const known = await readMigrations();
  for (const { name, checksum } of schema) {
    const migration = known.find((one) => one.name === name);
    if (migration === undefined || checksumOf(migration) !== checksum) {
      throw new OperatorError(
        `${from} has the migration ${name}, which this release does not know: it was made by Slipway ${release}. Use that release or a newer one.`,
      );
    }
  }
  return known.filter(({ name }) => schema.some((one) => one.name === name));
}

/** @throws OperatorError when the schema has tables, and they are not Slipway's */
async function refuseForeign(db: Database): Promise<void> {
  const [found] = await db.query(FIND_TABLES);
  if (found === undefined || found.isMigrated || found.tables.length === 0) return;
  throw new OperatorError(
    `The database is not empty: it has the tables ${found.tables.slice(0, 5).join(", ")}. Use an empty one.`,
  );
}

async function refuseFilled(tx: Parameters<typeof findFilledTable>[0]): Promise<void> {
  const filled = await findFilledTable(tx);
  if (filled === null) return;
  throw new OperatorError(`The database is not empty: its table ${filled} has rows. Use an empty database.`);
}

const FIND_TABLES = readStatement<{ isMigrated: boolean; tables: readonly string[] }>(
  "copy_find_tables",
  `SELECT to_regclass('schema_migrations') IS NOT NULL AS "isMigrated",
          coalesce(array_agg(c.relname::text ORDER BY c.relname), '{}') AS tables
     FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      AND c.relname <> 'installation_facts'
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                         AND d.deptype = 'e')`,
);
