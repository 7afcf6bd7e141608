/**
 * Distributes the tables of a migrated database over the nodes of a Citus cluster, as `tables.ts` says. Migrations that
 * run afterwards distribute the tables that they create.
 */
import { type Database, type Transaction, writeStatement } from "./database.ts";
import { MIGRATIONS_LOCK } from "./migrations-lock.ts";
import { TABLES } from "./tables.ts";
import { quoteIdentifier } from "./tenant-scope.ts";
import { OperatorError } from "../lib/operator-error.ts";

/** The database cannot be distributed. The message says what the operator has to change. */
export class DistributionError extends OperatorError {
  override readonly name = "DistributionError";
}

/**
 * Distributes what is not distributed yet, all of it in one transaction: when it is interrupted, the database is as
 * before. No other process may use the database meanwhile.
 * @returns the tables that it distributed
 * @throws DistributionError
 */
export async function distribute(db: Database): Promise<readonly string[]> {
  await refuseOtherServers(db);
  return await db.transaction(async (tx) => {
    await tx.executeSql("SET LOCAL statement_timeout TO 0");
    await tx.executeSql(MIGRATIONS_LOCK);
    const distributed = (await tx.query(LIST_DISTRIBUTED)).map(({ name }) => name);
    const present = (await tx.query(LIST_PRESENT, [Object.keys(TABLES)])).map(({ name }) => name);
    const tables = present.filter((name) => columnOf(name) !== null && !distributed.includes(name));
    const references = await tx.query(LIST_REFERENCES, [tables]);
    for (const { table, name } of references)
      await alter(tx, table, `DROP CONSTRAINT ${quoteIdentifier(name)}`);
    for (const table of tables) await distributeTable(tx, table);
    for (const { table, name, target, columns, definition } of references) {
      const column = columnOf(table);
      // What refers to rows of another column's tables is deleted by the code that deletes these.
      if (column === null || columnOf(target) !== column || !columns.includes(column)) continue;
      await alter(tx, table, `ADD CONSTRAINT ${quoteIdentifier(name)} ${definition}`);
    }
    for (const table of tables) await tx.executeSql(DROP_LOCAL_ROWS, [table]);
    const [here] = await tx.query(NAME_DATABASE);
    // Whose rows a transaction may write (`tenant-scope.ts`) has to be known where the rows are.
    await tx.executeSql(
      `ALTER DATABASE ${quoteIdentifier(here?.name ?? "")} SET citus.propagate_set_commands TO 'local'`,
    );
    return tables;
  });
}

/** Whether the tables are distributed, so that new ones have to be. */
export async function isDistributed(tx: Transaction): Promise<boolean> {
  const [catalogue] = await tx.query(FIND_CATALOGUE);
  return catalogue?.exists === true && (await tx.query(LIST_DISTRIBUTED)).length > 0;
}

/**
 * Distributes one table. Its keys get the column that it is distributed by, because each node sees only its own rows.
 * Statements name keys by their constraint (`ON CONFLICT ON CONSTRAINT`), which keeps its name.
 */
export async function distributeTable(tx: Transaction, table: string): Promise<void> {
  const column = columnOf(table);
  if (column === null) return;
  await tx.executeSql("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'");
  for (const { name } of await tx.query(LIST_TRIGGERS, [table]))
    await tx.executeSql(`DROP TRIGGER ${quoteIdentifier(name)} ON ${quoteIdentifier(table)}`);
  for (const { name, kind, columns } of await tx.query(LIST_KEYS, [table])) {
    if (columns.includes(column)) continue;
    await alter(tx, table, `DROP CONSTRAINT ${quoteIdentifier(name)}`);
    const all = [column, ...columns].map(quoteIdentifier).join(", ");
    await alter(tx, table, `ADD CONSTRAINT ${quoteIdentifier(name)} ${kind} (${all})`);
  }
  const [first] = (await tx.query(LIST_DISTRIBUTED)).filter((other) => columnOf(other.name) === column);
  await tx.executeSql(DISTRIBUTE, [table, column, first?.name ?? "none"]);
}

async function refuseOtherServers(db: Database): Promise<void> {
  const [catalogue] = await db.transaction((tx) => tx.query(FIND_CATALOGUE));
  if (db.kind === "pglite" || catalogue?.exists !== true) {
    throw new DistributionError(
      "This database has no Citus, so there is nothing to distribute over. Have a superuser run CREATE EXTENSION citus in it, on every node, or continue with plain PostgreSQL.",
    );
  }
  const [nodes] = await db.transaction((tx) => tx.query(LOOK_AT_NODES));
  if (nodes?.isCoordinator !== true) {
    throw new DistributionError(
      "DATABASE_URL leads to a worker of the Citus cluster, or to a node that belongs to none. Connect to the coordinator; on it, citus_set_coordinator_host('…') makes it one.",
    );
  }
  if (nodes.holders === 0) {
    throw new DistributionError(
      "The Citus cluster has no node for rows yet. Run SELECT citus_add_node('host', 5432) for each worker, and try again.",
    );
  }
}

function columnOf(table: string): string | null {
  return TABLES[table] ?? null;
}

async function alter(tx: Transaction, table: string, action: string): Promise<void> {
  await tx.executeSql(`ALTER TABLE ${quoteIdentifier(table)} ${action}`);
}

const FIND_CATALOGUE = writeStatement<{ exists: boolean }>(
  "distribution_find_catalogue",
  `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS exists`,
);

const LOOK_AT_NODES = writeStatement<{ isCoordinator: boolean; holders: number }>(
  "distribution_look_at_nodes",
  `SELECT citus_is_coordinator() AS "isCoordinator",
          (SELECT count(*) FROM pg_dist_node WHERE shouldhaveshards AND isactive)::int AS holders`,
);

const LIST_DISTRIBUTED = writeStatement<{ name: string }>(
  "distribution_list",
  `SELECT c.relname::text AS name FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND p.partmethod = 'h' ORDER BY c.oid`,
);

/** The tables that exist now. Later migrations distribute the tables that they create. */
const LIST_PRESENT = writeStatement<{ name: string }>(
  "distribution_list_present",
  `SELECT name FROM unnest($1::text[]) WITH ORDINALITY AS named(name, place)
    WHERE to_regclass(quote_ident(name)) IS NOT NULL ORDER BY place`,
);

const LIST_REFERENCES = writeStatement<{
  table: string;
  name: string;
  target: string;
  columns: readonly string[];
  definition: string;
}>(
  "distribution_list_references",
  `SELECT c.relname::text AS "table", k.conname::text AS name, t.relname::text AS target,
          ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (k.conkey)) AS columns,
          pg_get_constraintdef(k.oid) AS definition
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
    WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1::text[])
    ORDER BY k.oid`,
);

const LIST_TRIGGERS = writeStatement<{ name: string }>(
  "distribution_list_triggers",
  `SELECT tgname::text AS name FROM pg_trigger
    WHERE tgrelid = to_regclass(quote_ident($1)) AND NOT tgisinternal ORDER BY tgname`,
);

const LIST_KEYS = writeStatement<{ name: string; kind: string; columns: readonly string[] }>(
  "distribution_list_keys",
  `SELECT k.conname::text AS name, CASE k.contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END AS kind,
          ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS key(attnum, place)
                  JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = key.attnum ORDER BY key.place) AS columns
     FROM pg_constraint k WHERE k.conrelid = to_regclass(quote_ident($1)) AND k.contype IN ('p', 'u') ORDER BY k.oid`,
);

/** Plain SQL, as copying rows takes any time. */
const DISTRIBUTE = "SELECT create_distributed_table(quote_ident($1), $2, colocate_with => $3)";

/** They were copied to the nodes; the coordinator's are no longer read. */
const DROP_LOCAL_ROWS = "SELECT truncate_local_data_after_distributing_table(quote_ident($1)::regclass)";

const NAME_DATABASE = writeStatement<{ name: string }>(
  "distribution_name_database",
  "SELECT current_database()::text AS name",
);
