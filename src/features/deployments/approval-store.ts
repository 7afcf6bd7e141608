import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import type { Approval, ApprovalStatus, Run } from "./deployment.ts";

const APPROVAL = `organization_id AS "organizationId", deployment_id AS "deploymentId",
  environment_id AS "environmentId", config_id AS "configId", approvers, status, requested_at AS "requestedAt",
  expires_at AS "expiresAt", decided_by AS "decidedBy", decided_at AS "decidedAt", comment, is_bypass AS "isBypass"`;

const INSERT = writeStatement(
  "deployment_approvals_insert",
  `INSERT INTO deployment_approvals (organization_id, deployment_id, environment_id, config_id, approvers, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);
const LIST = readStatement<Approval>(
  "deployment_approvals_list",
  `SELECT ${APPROVAL} FROM deployment_approvals
    WHERE organization_id = $1 AND deployment_id = $2 ORDER BY environment_id`,
);
/** Only approvals that wait: a newer deployment whose approval was decided has a run, which `runs.hasNewer` finds. */
const HAS_NEWER_WAITING = readStatement<{ exists: boolean }>(
  "deployment_approvals_has_newer_waiting",
  `SELECT EXISTS (SELECT 1 FROM deployment_approvals
     WHERE organization_id = $1 AND environment_id = $2 AND deployment_id > $3 AND status = 'WAITING') AS exists`,
);
const LIST_WAITING_BEFORE = readStatement<Approval>(
  "deployment_approvals_list_waiting_before",
  `SELECT ${APPROVAL} FROM deployment_approvals
    WHERE organization_id = $1 AND environment_id = $2 AND deployment_id < $3 AND status = 'WAITING'`,
);
const DECIDE = writeStatement<Approval>(
  "deployment_approvals_decide",
  `UPDATE deployment_approvals
      SET status = $4, decided_by = $5, comment = $6, is_bypass = $7, decided_at = (SELECT now())
    WHERE organization_id = $1 AND deployment_id = $2 AND environment_id = $3 AND status = 'WAITING'
   RETURNING ${APPROVAL}`,
);

/** What becomes of an approval. */
export type Decided = {
  readonly status: Exclude<ApprovalStatus, "WAITING">;
  readonly decidedBy?: string;
  readonly comment?: string | null;
  readonly isBypass?: boolean;
};

type Key = Pick<Run, "organizationId" | "deploymentId" | "environmentId">;

const keyOf = ({ organizationId, deploymentId, environmentId }: Key) => [
  organizationId,
  deploymentId,
  environmentId,
];

export const approvals = {
  insert: async (
    tx: Transaction,
    approval: Key & Pick<Approval, "configId" | "approvers" | "expiresAt">,
  ): Promise<void> =>
    void (await tx.query(INSERT, [
      ...keyOf(approval),
      approval.configId,
      approval.approvers,
      approval.expiresAt,
    ])),
  list: (sql: Sql, organizationId: string, deploymentId: string) =>
    sql.query(LIST, [organizationId, deploymentId]),
  /** Whether a newer deployment waits for an approval of the same environment. */
  hasNewerWaiting: async (sql: Sql, { organizationId, environmentId, deploymentId }: Key) =>
    (await sql.query(HAS_NEWER_WAITING, [organizationId, environmentId, deploymentId]))[0]?.exists === true,
  /** Of older deployments, in the same environment. */
  listWaitingBefore: (sql: Sql, { organizationId, environmentId, deploymentId }: Key) =>
    sql.query(LIST_WAITING_BEFORE, [organizationId, environmentId, deploymentId]),
  /** Null if it no longer waits. */
  decide: async (tx: Transaction, key: Key, { status, decidedBy, comment, isBypass }: Decided) =>
    (
      await tx.query(DECIDE, [...keyOf(key), status, decidedBy ?? null, comment ?? null, isBypass ?? false])
    )[0] ?? null,
};
