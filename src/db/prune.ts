import { writeStatement } from "./database.ts";

/**
 * How many rows one pruning statement removes. After a long standstill there may be millions. All at once would exceed
 * the time limit of a statement, be rolled back, and fail the same way the next time.
 */
export const PRUNE_BATCH = 1_000;

/**
 * Removes up to `PRUNE_BATCH` (`$2`) rows of all organizations.
 * @param key the columns of the primary key
 * @param where which rows, by `$1`; may end with the order of the removal
 */
export const pruneStatement = (name: string, table: string, key: string, where: string) =>
  writeStatement<{ count: number }>(
    name,
    `WITH pruned AS (
     DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT $2)
     RETURNING organization_id)
   SELECT count(organization_id)::int AS count FROM pruned`,
  );

/** Reads the count of a statement that removes up to `PRUNE_BATCH` rows. @returns whether there may be more */
export function mayHaveMore(rows: readonly { readonly count: number }[]): boolean {
  return (rows[0]?.count ?? 0) >= PRUNE_BATCH;
}
