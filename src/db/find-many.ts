import { createBatches } from "../lib/pace/batch.ts";
import type { Database } from "./database.ts";

/**
 * Finds rows by id for many callers at once, with one statement for each organization. For workers, which take steps of
 * many entities side by side.
 * @param list the rows of an organization that have these ids. Its statement looks up each id separately (`LATERAL`):
 * for a list of ids, PostgreSQL reads all rows of the organization as long as the table has no statistics.
 */
export function createFinder<Row>(
  db: Database,
  list: (organizationId: string, ids: readonly string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): (organizationId: string, id: string) => Promise<Row | null> {
  const find = createBatches(async (refs: readonly Ref[]): Promise<readonly (Row | null)[]> => {
    const found = new Map<string, ReadonlyMap<string, Row>>();
    await Promise.all(
      [...Map.groupBy(refs, ({ organizationId }) => organizationId)].map(
        async ([organizationId, members]) => {
          const ids = [...new Set(members.map(({ id }) => id))];
          const rows = await db.within(organizationId, () => list(organizationId, ids));
          found.set(organizationId, new Map(rows.map((row) => [keyOf(row), row])));
        },
      ),
    );
    return refs.map(({ organizationId, id }) => found.get(organizationId)?.get(id) ?? null);
  });
  return (organizationId, id) => find({ organizationId, id });
}

type Ref = { readonly organizationId: string; readonly id: string };
