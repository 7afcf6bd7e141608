/**
 * How many rows one pruning statement removes. After a long standstill there may be millions. All at once would exceed
 * the time limit of a statement, be rolled back, and fail the same way the next time.
 */
export const PRUNE_BATCH = 1_000;

/** Reads the count of a statement that removes up to `PRUNE_BATCH` rows. @returns whether there may be more */
export function mayHaveMore(rows: readonly { readonly count: number }[]): boolean {
  return (rows[0]?.count ?? 0) >= PRUNE_BATCH;
}
