import { type Sql, statement } from "../db/database.ts";

const INSERT = statement<{ deliveryId: string }>(
  "git_hook_deliveries_insert",
  `INSERT INTO git_hook_deliveries (organization_id, git_integration_id, delivery_id)
   VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING delivery_id AS "deliveryId"`,
);
/** A sweep over all organizations. */
const PRUNE = statement(
  "git_hook_deliveries_prune",
  `DELETE FROM git_hook_deliveries WHERE received_at < now() - $1::float8 * interval '1 day'`,
);

export const deliveries = {
  /** False when it was delivered before. */
  insert: async (sql: Sql, organizationId: string, gitIntegrationId: string, deliveryId: string) =>
    (await sql.query(INSERT, [organizationId, gitIntegrationId, deliveryId])).length > 0,
  prune: async (sql: Sql, days: number) => void (await sql.query(PRUNE, [days])),
};
