import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import type { TokenCheckError } from "./git-integration.ts";

const FIND = readStatement<{ operation: string }>(
  "git_report_refusals_find",
  `SELECT operation FROM git_report_refusals
    WHERE organization_id = $1 AND project_id = $2 AND operation = $3 AND refused_at > $4`,
);
const PUT = writeStatement(
  "git_report_refusals_put",
  `INSERT INTO git_report_refusals (organization_id, project_id, operation, integration_id, refused_at)
   VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT ON CONSTRAINT git_report_refusals_pkey DO UPDATE
      SET integration_id = excluded.integration_id, refused_at = excluded.refused_at`,
);
const DELETE = writeStatement<{ integrationId: string }>(
  "git_report_refusals_delete",
  `DELETE FROM git_report_refusals WHERE organization_id = $1 AND project_id = $2 AND operation = $3
   RETURNING integration_id AS "integrationId"`,
);
const CLEAR = writeStatement(
  "git_report_refusals_clear",
  `DELETE FROM git_report_refusals WHERE organization_id = $1 AND integration_id = $2`,
);
const SET_ERROR = writeStatement<{ id: string }>(
  "git_integrations_set_report_error",
  `UPDATE git_integrations SET report_error = $3::jsonb
    WHERE organization_id = $1 AND id = $2 AND report_error IS NULL RETURNING id`,
);
const CLEAR_ERROR = writeStatement<{ id: string }>(
  "git_integrations_clear_report_error",
  `UPDATE git_integrations SET report_error = NULL
    WHERE organization_id = $1 AND id = $2
      AND NOT EXISTS (SELECT 1 FROM git_report_refusals WHERE organization_id = $1 AND integration_id = $2)
   RETURNING id`,
);

export type Refused = {
  readonly organizationId: string;
  readonly projectId: string;
  readonly operation: string;
};

/** Reports that a git host refused, by project. */
export const reportRefusals = {
  /** Whether it was refused since then. */
  isRefused: async (sql: Sql, { organizationId, projectId, operation }: Refused, since: Date) =>
    (await sql.query(FIND, [organizationId, projectId, operation, since])).length > 0,
  put: async (
    tx: Transaction,
    { organizationId, projectId, operation }: Refused,
    integrationId: string,
    at: Date,
  ) => void (await tx.query(PUT, [organizationId, projectId, operation, integrationId, at])),
  /** The integration that was refused; null if none was. */
  delete: async (tx: Transaction, { organizationId, projectId, operation }: Refused) =>
    (await tx.query(DELETE, [organizationId, projectId, operation]))[0]?.integrationId ?? null,
  clear: async (tx: Transaction, organizationId: string, integrationId: string) =>
    void (await tx.query(CLEAR, [organizationId, integrationId])),
  /** False if the integration has an error already. */
  setError: async (tx: Transaction, organizationId: string, id: string, error: TokenCheckError) =>
    (await tx.query(SET_ERROR, [organizationId, id, JSON.stringify(error)])).length > 0,
  /** False if other reports are still refused. */
  clearError: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(CLEAR_ERROR, [organizationId, id])).length > 0,
};
