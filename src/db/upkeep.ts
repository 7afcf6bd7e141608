/**
 * Keeps the planner's statistics up with tables that grow fast, and does for the embedded database what autovacuum does
 * for a PostgreSQL server. Statements are planned once for each connection. Planned on an empty table, one may read a
 * whole organization to find one row, and does so until the table is analyzed. Autovacuum comes by once a minute; by
 * then a burst has made thousands of rows.
 */
import { type Database, readAsOwner } from "./database.ts";

/** As PostgreSQL is built everywhere. */
const PAGE_BYTES = 8_192;
/** Below this a table is read as fast without an index. */
const MIN_PAGES = 32;
/** As autovacuum's own defaults: 50 rows and a fifth of the table. */
const MIN_DEAD_ROWS = 50;
const DEAD_SHARE = 0.2;

/** Tables with twice the pages, or more, that they had when they were last analyzed. */
const LIST_GROWN = readAsOwner<{ table: string }>(
  "upkeep_list_grown",
  `SELECT c.oid::regclass::text AS "table" FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
      AND pg_relation_size(c.oid) >= greatest($1::int, 2 * c.relpages) * $2::bigint`,
);

const LIST_WORN = readAsOwner<{ table: string }>(
  "upkeep_list_worn",
  `SELECT c.oid::regclass::text AS "table" FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace
      AND s.n_dead_tup > $1::int + $2::float8 * greatest(c.reltuples, 0)`,
);

/** Analyzes the tables that have grown. @throws DatabaseError, DatabaseUnavailableError */
export async function analyzeGrownTables(db: Database): Promise<void> {
  for (const { table } of await db.query(LIST_GROWN, [MIN_PAGES, PAGE_BYTES]))
    await db.execute(`ANALYZE ${table}`);
}

/**
 * Gives the space of dead rows back to their tables. Only the embedded database needs it.
 * @throws DatabaseError, DatabaseUnavailableError
 */
export async function vacuumWornTables(db: Database): Promise<void> {
  for (const { table } of await db.query(LIST_WORN, [MIN_DEAD_ROWS, DEAD_SHARE])) {
    await db.execute(`VACUUM (ANALYZE) ${table}`);
  }
}
