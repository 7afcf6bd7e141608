import { readStatement, type Sql, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { mayHaveMore, PRUNE_BATCH } from "../../db/prune.ts";
import { limitOf, type Receipt } from "./receipt.ts";

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

/** Those of the last minute with one of these outcomes, as far as they count. */
const COUNT_RECENT = readStatement<{ count: number }>(
  "git_hook_receipts_count_recent",
  `SELECT count(*)::int AS count FROM (
     SELECT id FROM git_hook_receipts
      WHERE organization_id = $1 AND git_integration_id = $2 AND received_at > now() - interval '1 minute'
        AND outcome = ANY($4::text[]) LIMIT $3) AS recent`,
);

/** A sweep over all organizations. */
const PRUNE = writeStatement<{ count: number }>(
  "git_hook_receipts_prune",
  `WITH pruned AS (
     DELETE FROM git_hook_receipts WHERE (organization_id, id) IN (
       SELECT organization_id, id FROM git_hook_receipts
        WHERE received_at < now() - $1::float8 * interval '1 day' LIMIT $2)
     RETURNING id)
   SELECT count(id)::int AS count FROM pruned`,
);

export const receipts = {
  insert: async (sql: Sql, receipt: Omit<Receipt, "receivedAt">) =>
    void (await sql.query(INSERT, [
      receipt.organizationId,
      receipt.id,
      receipt.gitIntegrationId,
      receipt.hostId,
      receipt.repositoryUrl,
      receipt.branch,
      receipt.commitHash,
      receipt.outcome,
      receipt.errorCode,
      receipt.deploymentIds,
    ])),
  list: (sql: Sql, organizationId: string, gitIntegrationId: string, page: Page) =>
    sql.query(LIST[page.order], [organizationId, gitIntegrationId, idBefore(page), page.limit + 1]),
  /** Whether the most that are kept of such an outcome came within the last minute. */
  areMany: async (
    sql: Sql,
    {
      organizationId,
      gitIntegrationId,
      outcome,
    }: Pick<Receipt, "organizationId" | "gitIntegrationId" | "outcome">,
  ) => {
    const { most, among } = limitOf(outcome);
    const [found] = await sql.query(COUNT_RECENT, [organizationId, gitIntegrationId, most, among]);
    return (found?.count ?? 0) >= most;
  },
  /** @returns whether there may be more */
  prune: async (sql: Sql, days: number) => mayHaveMore(await sql.query(PRUNE, [days, PRUNE_BATCH])),
};
