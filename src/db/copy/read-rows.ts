/**
 * Reads tables. A row is a line of JSON: the texts of its columns as PostgreSQL writes them, or null. So a value keeps
 * every digit, whatever its type, and a line is the same on every server.
 */
import { type Database, readStatement, type Transaction } from "../database.ts";
import { quoteIdentifier } from "../tenant-scope.ts";
import { createTally, type Tally } from "./tally.ts";
import type { CopiedTable, Sequence } from "./tables.ts";

/** How much is fetched at a time, roughly: a row may have 100 bytes or a megabyte. */
const BATCH_CHARS = 500_000;
const FIRST_BATCH = 50;
const LARGEST_BATCH = 5_000;

/** Runs `work` on one state of the database; what others write meanwhile is not in it. */
export async function readSnapshot<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return await copyInTransaction(db, async (tx) => {
    await tx.executeSql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    return await work(tx);
  });
}

/** A transaction that may take hours, and is never repeated: what it reads from outside has passed by. */
export async function copyInTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  let hasRun = false;
  return await db.transaction(async (tx) => {
    if (hasRun) throw new Error("A copy lost a deadlock. Run it again when nothing else uses the database.");
    hasRun = true;
    // The isolation level has to be set before the first query.
    for (const [name, value] of SETTINGS) await tx.executeSql(`SET LOCAL ${name} = ${value}`);
    return await work(tx);
  });
}

/** Reads all rows of a table, some at a time. */
export async function* readRows(tx: Transaction, table: CopiedTable): AsyncGenerator<readonly string[]> {
  const texts = table.columns.map(({ name }) => `${quoteIdentifier(name)}::text`).join(", ");
  await tx.executeSql(
    `DECLARE copied_rows NO SCROLL CURSOR FOR SELECT json_build_array(${texts})::text AS line FROM ${quoteIdentifier(table.name)}`,
  );
  for (let count = FIRST_BATCH; ;) {
    const { rows } = await tx.executeSql(`FETCH ${count} FROM copied_rows`);
    const lines = (rows as readonly { line: string }[]).map(({ line }) => line);
    if (lines.length > 0) yield lines;
    if (lines.length < count) break;
    const chars = lines.reduce((sum, line) => sum + line.length, 0);
    count = Math.max(1, Math.min(LARGEST_BATCH, Math.floor((count * BATCH_CHARS) / chars), count * 4));
  }
  await tx.executeSql("CLOSE copied_rows");
}

export async function tallyTable(tx: Transaction, table: CopiedTable): Promise<Tally> {
  const tally = createTally();
  for await (const lines of readRows(tx, table)) tally.add(lines);
  return tally.result();
}

/** Read them after the rows: sequences know no snapshot, and one must not be behind a number that a row has. */
export async function readSequences(tx: Transaction, names: readonly string[]): Promise<readonly Sequence[]> {
  const sequences: Sequence[] = [];
  for (const name of names) {
    const { rows } = await tx.executeSql(
      `SELECT last_value::text AS value, is_called AS "isCalled" FROM ${quoteIdentifier(name)}`,
    );
    for (const row of rows as readonly Omit<Sequence, "name">[]) sequences.push({ name, ...row });
  }
  return sequences;
}

/** The migrations that made the schema, in order. */
export type AppliedMigration = { readonly name: string; readonly checksum: string };

export async function listApplied(tx: Transaction): Promise<readonly AppliedMigration[]> {
  return await tx.query(LIST_APPLIED);
}

/**
 * No limit of time, and the same texts of values on every server. On Citus, one connection to each node, so that all that
 * is read there, and so all of an organization, is of one state.
 */
const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ["statement_timeout", "0"],
  ["idle_in_transaction_session_timeout", "0"],
  ["timezone", "'UTC'"],
  ["datestyle", "'ISO, YMD'"],
  ["intervalstyle", "'postgres'"],
  ["bytea_output", "'hex'"],
  ["extra_float_digits", "1"],
  ["citus.max_adaptive_executor_pool_size", "1"],
];

const LIST_APPLIED = readStatement<AppliedMigration>(
  "copy_list_migrations",
  `SELECT name, checksum FROM schema_migrations ORDER BY name COLLATE "C"`,
);
