import { readStatement, type Sql, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { createPrune } from "../../db/prune.ts";
import { limitOf, type Outcome, type Receipt } from "./receipt.ts";

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
export const hookDeliveries = {
  record: async (sql: Sql, organizationId: string, gitIntegrationId: string, deliveryId: string) =>
    void (await sql.query(RECORD, [organizationId, gitIntegrationId, deliveryId])),
  /** When a delivery with one of these ids was first recorded; null for a new one. */
  findFirst: async (sql: Sql, organizationId: string, gitIntegrationId: string, ids: readonly string[]) =>
    (await sql.query(FIND_FIRST, [organizationId, gitIntegrationId, ids]))[0]?.firstAt ?? null,
  /** @returns whether there may be more */
  prune: createPrune<[days: number]>(
    "git_hook_deliveries_prune",
    "git_hook_deliveries",
    "organization_id, git_integration_id, delivery_id",
    "received_at < now() - $1::float8 * interval '1 day'",
  ),
};

const COLUMNS = `organization_id AS "organizationId", id, git_integration_id AS "gitIntegrationId",
  received_at AS "receivedAt", host_id AS "hostId", repository_url AS "repositoryUrl", branch,
  commit_hash AS "commitHash", outcome, error_code AS "errorCode", deployment_ids AS "deploymentIds"`;

const INSERT = writeStatement(
  "git_hook_receipts_insert",
  `INSERT INTO git_hook_receipts (organization_id, id, git_integration_id, host_id, repository_url, branch, commit_hash,
                                  outcome, error_code, deployment_ids)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);

const LIST = pagedStatement<Receipt>(
  "git_hook_receipts_list",
  (after, direction) => `SELECT ${COLUMNS} FROM git_hook_receipts
    WHERE organization_id = $1 AND git_integration_id = $2 AND id ${after} $3 ORDER BY id ${direction} LIMIT $4`,
);

/** How many of the last minute have one of these outcomes, at most $3. */
const COUNT_RECENT = readStatement<{ count: number }>(
  "git_hook_receipts_count_recent",
  `SELECT count(*)::int AS count FROM (
     SELECT id FROM git_hook_receipts
      WHERE organization_id = $1 AND git_integration_id = $2 AND received_at > now() - interval '1 minute'
        AND outcome = ANY($4::text[]) LIMIT $3) AS recent`,
);

export const receipts = {
  insert: async (sql: Sql, receipt: Omit<Receipt, "receivedAt">) => {
    const { organizationId, id, gitIntegrationId, hostId, repositoryUrl, branch, commitHash } = receipt;
    const push = [organizationId, id, gitIntegrationId, hostId, repositoryUrl, branch, commitHash];
    await sql.query(INSERT, [...push, receipt.outcome, receipt.errorCode, receipt.deploymentIds]);
  },
  list: (sql: Sql, organizationId: string, gitIntegrationId: string, page: Page) =>
    sql.query(LIST[page.order], [organizationId, gitIntegrationId, idBefore(page), page.limit + 1]),
  /** Whether an integration has as many receipts of the last minute as are kept of such an outcome. */
  areMany: async (
    sql: Sql,
    { organizationId, id }: { readonly organizationId: string; readonly id: string },
    outcome: Outcome,
  ) => {
    const { most, among } = limitOf(outcome);
    const [found] = await sql.query(COUNT_RECENT, [organizationId, id, most, among]);
    return (found?.count ?? 0) >= most;
  },
  /** @returns whether there may be more */
  prune: createPrune<[days: number]>(
    "git_hook_receipts_prune",
    "git_hook_receipts",
    "organization_id, id",
    "received_at < now() - $1::float8 * interval '1 day'",
  ),
};
