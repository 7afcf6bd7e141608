/** What a copy consists of: the tables, columns and sequences of the schema, as PostgreSQL's catalogue has them. */
import { readStatement, type Sql } from "../database.ts";
import { TABLES } from "../tables.ts";

export type Column = { readonly name: string; readonly type: string };

export type CopiedTable = {
  readonly name: string;
  /** All but generated ones, which follow from the others. */
  readonly columns: readonly Column[];
};

/**
 * All tables in an order in which they can be filled: a table comes after the tables that it refers to. Omits the
 * tables in which the database describes itself (its migrations and facts), and tables that may be lost at any time
 * (`UNLOGGED`).
 */
export async function listTables(sql: Sql): Promise<readonly CopiedTable[]> {
  const left = new Map((await sql.query(LIST_TABLES)).map((table) => [table.name, table]));
  const ordered: CopiedTable[] = [];
  while (left.size > 0) {
    const free = [...left.values()].filter(({ refersTo }) => !refersTo.some((other) => left.has(other)));
    if (free.length === 0)
      throw new Error(`These tables refer to each other: ${[...left.keys()].join(", ")}`);
    for (const { name, columns } of free) {
      ordered.push({ name, columns });
      left.delete(name);
    }
  }
  // On Citus, tables that are not distributed by the organization have lost their references, and no other table refers
  // to them.
  const isLast = ({ name }: CopiedTable): boolean =>
    (TABLES[name] ?? "organization_id") !== "organization_id";
  return [...ordered.filter((table) => !isLast(table)), ...ordered.filter(isLast)];
}

export type Sequence = { readonly name: string; readonly value: string; readonly isCalled: boolean };

/** The names of all sequences, those of identity columns included. */
export async function listSequences(sql: Sql): Promise<readonly string[]> {
  return (await sql.query(LIST_SEQUENCES)).map(({ name }) => name);
}

/** Of our schema, without what an extension owns, and without partitions, whose rows are read with their table. */
const IS_OURS = `c.relnamespace = current_schema()::regnamespace AND NOT c.relispartition
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                         AND d.deptype = 'e')`;

const LIST_TABLES = readStatement<CopiedTable & { readonly refersTo: readonly string[] }>(
  "copy_list_tables",
  `SELECT c.relname::text AS name,
          (SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum)
             FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
          (SELECT coalesce(array_agg(f.relname::text), '{}') FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
            WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid) AS "refersTo"
     FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND c.relpersistence = 'p' AND ${IS_OURS}
      AND c.relname NOT IN ('schema_migrations', 'installation_facts')
    ORDER BY c.relname::text COLLATE "C"`,
);

const LIST_SEQUENCES = readStatement<{ name: string }>(
  "copy_list_sequences",
  `SELECT c.relname::text AS name FROM pg_class c WHERE c.relkind = 'S' AND ${IS_OURS}
    ORDER BY c.relname::text COLLATE "C"`,
);
