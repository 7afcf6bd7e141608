import { readStatement, type Sql, writeStatement } from "../../db/database.ts";
import { mayHaveMore, PRUNE_BATCH } from "../../db/prune.ts";

/** Locks the row of a delivery that came before, so that two at the same time deploy once. The first time stays. */
const RECORD = writeStatement(
  "git_hook_deliveries_record",
  `INSERT INTO git_hook_deliveries (organization_id, git_integration_id, delivery_id)
   VALUES ($1, $2, $3)
   ON CONFLICT (organization_id, git_integration_id, delivery_id) DO UPDATE SET received_at = git_hook_deliveries.received_at`,
);
const FIND_FIRST = readStatement<{ firstAt: Date | null }>(
  "git_hook_deliveries_find_first",
  `SELECT min(received_at) AS "firstAt" FROM git_hook_deliveries
    WHERE organization_id = $1 AND git_integration_id = $2 AND delivery_id = ANY($3::text[])`,
);
/** A sweep over all organizations. */
const PRUNE = writeStatement<{ count: number }>(
  "git_hook_deliveries_prune",
  `WITH pruned AS (
     DELETE FROM git_hook_deliveries WHERE (organization_id, git_integration_id, delivery_id) IN (
       SELECT organization_id, git_integration_id, delivery_id FROM git_hook_deliveries
        WHERE received_at < now() - $1::float8 * interval '1 day' LIMIT $2)
     RETURNING delivery_id)
   SELECT count(delivery_id)::int AS count FROM pruned`,
);

export const hookDeliveries = {
  record: async (sql: Sql, organizationId: string, gitIntegrationId: string, deliveryId: string) =>
    void (await sql.query(RECORD, [organizationId, gitIntegrationId, deliveryId])),
  /** When a delivery with one of these ids was first recorded; null for a new one. */
  findFirst: async (sql: Sql, organizationId: string, gitIntegrationId: string, ids: readonly string[]) =>
    (await sql.query(FIND_FIRST, [organizationId, gitIntegrationId, ids]))[0]?.firstAt ?? null,
  /** @returns whether there may be more */
  prune: async (sql: Sql, days: number) => mayHaveMore(await sql.query(PRUNE, [days, PRUNE_BATCH])),
};
