/**
 * How many rows one statement of a pruning removes. After a long standstill there may be millions to remove:
 * at once they would take longer than a statement may, be rolled back, and be as many the next time.
 */
export const PRUNE_BATCH = 1_000;

/** Of a statement that removes up to `PRUNE_BATCH` rows and counts them. @returns whether there may be more */
export function mayHaveMore(rows: readonly { readonly count: number }[]): boolean {
  return (rows[0]?.count ?? 0) >= PRUNE_BATCH;
}
