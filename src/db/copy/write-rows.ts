/** Fills the tables of an empty database in one transaction, and reads them again to see that all has arrived. */
import { readStatement, type Transaction, writeStatement } from "../database.ts";
import { MIGRATIONS_LOCK } from "../migrations-lock.ts";
import { quoteIdentifier } from "../tenant-scope.ts";
import { tallyTable } from "./read-rows.ts";
import { type CopiedTable, listTables, type Sequence } from "./tables.ts";
import { createTally } from "./tally.ts";
import { OperatorError } from "../../lib/operator-error.ts";

/** Where a copy's rows come from. */
export type CopySource = {
  /** In an order in which they can be filled. The rows of one are read before the next one is asked for. */
  tables(): AsyncIterable<SourceTable>;
  /** To be called after all tables. */
  sequences(): Promise<readonly Sequence[]>;
};

export type SourceTable = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<readonly string[]>;
};

/** What does not fit, or did not arrive. The message says which table. */
export class CopyError extends OperatorError {
  override readonly name = "CopyError";
}

export type Copied = { readonly tables: number; readonly rows: number };

/** @throws CopyError, and whatever the source throws; the transaction must then be rolled back */
export async function fillTables(tx: Transaction, source: CopySource): Promise<Copied> {
  const tables = new Map((await listTables(tx)).map((table) => [table.name, table]));
  // What they write is among the rows.
  await setTriggers(tx, "DISABLE");
  let copied = { tables: 0, rows: 0 };
  for await (const from of source.tables()) {
    const table = tables.get(from.name);
    if (table === undefined) throw new CopyError(`The database has no table ${from.name}.`);
    const tally = createTally();
    const insert = insertInto(table, from.columns);
    for await (const lines of from.rows) {
      tally.add(lines);
      await tx.executeSql(insert, [`[${lines.join(",")}]`]).catch(refuseUnfit(`The table ${table.name}`));
    }
    const sent = tally.result();
    const arrived = await tallyTable(tx, inOrderOf(table, from.columns));
    if (sent.rows !== arrived.rows || sent.sum !== arrived.sum) {
      throw new CopyError(
        `The table ${table.name} does not have what was copied into it: ${arrived.rows} rows with the checksum ${arrived.sum} instead of ${sent.rows} with ${sent.sum}.`,
      );
    }
    copied = { tables: copied.tables + 1, rows: copied.rows + sent.rows };
  }
  await setTriggers(tx, "ENABLE");
  for (const { name, value, isCalled } of await source.sequences()) {
    await tx
      .query(SET_SEQUENCE, [quoteIdentifier(name), value, isCalled])
      .catch(refuseUnfit(`The sequence ${name}`));
  }
  return copied;
}

/** PostgreSQL's message may have values of the rows, so it is not repeated. */
function refuseUnfit(place: string): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!CONTENT_ERROR.test(code)) throw error;
    throw new CopyError(`${place} cannot take what the copy has for it (PostgreSQL's error ${code}).`);
  };
}

/** Of data, constraints, and names (PostgreSQL manual, appendix A). */
const CONTENT_ERROR = /^(?:22|23|42)[0-9A-Z]{3}$/;

async function setTriggers(tx: Transaction, how: "DISABLE" | "ENABLE"): Promise<void> {
  for (const { name } of await tx.query(LIST_TRIGGERED))
    await tx.executeSql(`ALTER TABLE ${quoteIdentifier(name)} ${how} TRIGGER USER`);
}

/** @returns the first table that has a row, or null */
export async function findFilledTable(tx: Transaction): Promise<string | null> {
  for (const { name } of await listTables(tx)) {
    const { rows } = await tx.executeSql(`SELECT 1 FROM ${quoteIdentifier(name)} LIMIT 1`);
    if (rows.length > 0) return name;
  }
  return null;
}

/** Removes all rows. */
export async function emptyTables(tx: Transaction): Promise<void> {
  const names = (await listTables(tx)).map(({ name }) => quoteIdentifier(name));
  await tx.executeSql(`TRUNCATE ${names.join(", ")}`);
}

/** Keeps all others from writing until the transaction ends. They may read. */
export async function holdOffWrites(tx: Transaction): Promise<void> {
  const names = (await listTables(tx)).map(({ name }) => quoteIdentifier(name));
  await tx.executeSql(`LOCK TABLE ${names.join(", ")} IN SHARE MODE`);
}

/** Waits for migrations, and lets none begin, until the transaction ends: the lock is theirs (`migrate.ts`). */
export async function holdOffMigrations(tx: Transaction): Promise<void> {
  await tx.executeSql(MIGRATIONS_LOCK);
}

function inOrderOf(table: CopiedTable, names: readonly string[]): CopiedTable {
  const columns = names.map((name) => {
    const column = table.columns.find((one) => one.name === name);
    if (column === undefined) throw new CopyError(`The table ${table.name} has no column ${name}.`);
    return column;
  });
  return { ...table, columns };
}

/**
 * Numbers of identity columns are given, not made. A row may exist already: a trigger writes `owners` of rows of other
 * tables. In the end, the rows in the table must be the rows that were sent.
 */
function insertInto(table: CopiedTable, names: readonly string[]): string {
  const { columns } = inOrderOf(table, names);
  const values = columns.map(({ type }, index) => `(line ->> ${index})::${type}`).join(", ");
  return `INSERT INTO ${quoteIdentifier(table.name)} (${names.map(quoteIdentifier).join(", ")}) OVERRIDING SYSTEM VALUE
          SELECT ${values} FROM jsonb_array_elements($1::jsonb) AS lines(line) ON CONFLICT DO NOTHING`;
}

/** Those of foreign keys are PostgreSQL's own. */
const LIST_TRIGGERED = readStatement<{ name: string }>(
  "copy_list_triggered",
  `SELECT DISTINCT c.relname::text AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace`,
);
const SET_SEQUENCE = writeStatement(
  "copy_set_sequence",
  "SELECT setval($1::text::regclass, $2::text::bigint, $3::boolean)",
);
