import { type Sql, type SqlValue, writeStatement } from "./database.ts";

/**
 * How many rows one pruning statement removes. After a long standstill there may be millions. All at once would exceed
 * the time limit of a statement, be rolled back, and fail the same way the next time.
 */
export const PRUNE_BATCH = 1_000;

/**
 * Makes a function that removes up to `PRUNE_BATCH` rows of all organizations, and returns whether there may be more.
 * @param key the columns of the primary key
 * @param where which rows, by the values that the function gets; may end with the order of the removal
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the store says which values `where` takes
export function createPrune<Values extends readonly SqlValue[] = []>(
  name: string,
  table: string,
  key: string,
  where: string,
): (sql: Sql, ...values: Values) => Promise<boolean> {
  const statement = writeStatement<{ count: number }>(
    name,
    `WITH pruned AS (
     DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${PRUNE_BATCH})
     RETURNING organization_id)
   SELECT count(organization_id)::int AS count FROM pruned`,
  );
  return async (sql, ...values) => mayHaveMore(await sql.query(statement, values));
}

/** Reads the count of a statement that removes up to `PRUNE_BATCH` rows. @returns whether there may be more */
export function mayHaveMore(rows: readonly { readonly count: number }[]): boolean {
  return (rows[0]?.count ?? 0) >= PRUNE_BATCH;
}
