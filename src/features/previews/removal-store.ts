import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { visibleProject, visibleValues } from "../../db/visible.ts";
import type { Visible } from "../../lib/access.ts";
import type { CleanupProblem, Orphan, PreviewRemoval } from "./preview-removal.ts";

const COLUMNS = `organization_id AS "organizationId", environment_id AS "environmentId", project_id AS "projectId",
  preview_id AS "previewId", key, aws_account_id AS "awsAccountId", requested_at AS "requestedAt", problem`;

const INSERT = writeStatement(
  "preview_removals_insert",
  `INSERT INTO preview_removals (organization_id, environment_id, project_id, preview_id, key, aws_account_id)
   VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
);
const FIND = readStatement<PreviewRemoval>(
  "preview_removals_find",
  `SELECT ${COLUMNS} FROM preview_removals WHERE organization_id = $1 AND environment_id = $2`,
);
const RECORD_PROBLEM = writeStatement(
  "preview_removals_record_problem",
  `UPDATE preview_removals SET problem = $3::jsonb WHERE organization_id = $1 AND environment_id = $2`,
);
const DELETE = writeStatement(
  "preview_removals_delete",
  `DELETE FROM preview_removals WHERE organization_id = $1 AND environment_id = $2`,
);

/** What removed environments have, or may have, in the account. */
const ORPHANS = `SELECT r.environment_id AS "environmentId", r.project_id AS "projectId", r.preview_id AS "previewId",
          r.key, r.aws_account_id AS "awsAccountId", r.requested_at AS "requestedAt", r.problem,
          o.kind, o.id, o.name, o.region, o.error_code AS "errorCode"
     FROM preview_removals r CROSS JOIN LATERAL (
       SELECT 'service' AS kind, service_id AS id, service_id AS name, region, last_error->>'code' AS error_code
         FROM service_removals WHERE organization_id = $1 AND environment_id = r.environment_id
       UNION ALL
       SELECT 'environment', environment_id, environment_id, region, last_error->>'code'
         FROM environment_removals WHERE organization_id = $1 AND environment_id = r.environment_id
       UNION ALL
       SELECT 'distribution', id, coalesce(provider_id, id), NULL, last_error->>'code'
         FROM distributions WHERE organization_id = $1 AND environment_id = r.environment_id
       UNION ALL
       SELECT CASE kind WHEN 'parameterStore' THEN 'parameter' ELSE 'secret' END,
              scope_id || '/' || name || '/' || kind, cloud_name, region, last_error_code
         FROM env_variable_managed_values
        WHERE organization_id = $1 AND (scope_id = r.environment_id OR scope_id IN (
          SELECT service_id FROM deployment_services
           WHERE organization_id = $1 AND environment_id = r.environment_id))) o
    WHERE r.organization_id = $1`;
const LIST_OF_ENVIRONMENT = readStatement<Orphan>(
  "preview_removals_list_orphans_of_environment",
  `${ORPHANS} AND r.environment_id = $2 ORDER BY o.id`,
);
const LIST = pagedStatement<Orphan>(
  "preview_removals_list_orphans",
  (after, direction) => `${ORPHANS} AND o.id ${after} $2 AND ($4::text IS NULL OR r.project_id = $4)
      AND ${visibleProject("r.project_id", "$5", "$6")}
    ORDER BY o.id ${direction} LIMIT $3`,
);

export const previewRemovals = {
  insert: async (tx: Transaction, removal: Omit<PreviewRemoval, "requestedAt" | "problem">) => {
    const { organizationId, environmentId, projectId, previewId, key, awsAccountId } = removal;
    await tx.query(INSERT, [organizationId, environmentId, projectId, previewId, key, awsAccountId]);
  },
  find: async (sql: Sql, organizationId: string, environmentId: string) =>
    (await sql.query(FIND, [organizationId, environmentId]))[0] ?? null,
  recordProblem: async (
    tx: Transaction,
    { organizationId, environmentId }: PreviewRemoval,
    problem: CleanupProblem | null,
  ) =>
    void (await tx.query(RECORD_PROBLEM, [
      organizationId,
      environmentId,
      problem && JSON.stringify(problem),
    ])),
  delete: async (tx: Transaction, { organizationId, environmentId }: PreviewRemoval) =>
    void (await tx.query(DELETE, [organizationId, environmentId])),
  listOrphansOf: (sql: Sql, { organizationId, environmentId }: PreviewRemoval) =>
    sql.query(LIST_OF_ENVIRONMENT, [organizationId, environmentId]),
  listOrphans: (
    sql: Sql,
    organizationId: string,
    page: Page,
    projectId: string | undefined,
    visible: Visible,
  ) =>
    sql.query(LIST[page.order], [
      organizationId,
      idBefore(page),
      page.limit + 1,
      projectId ?? null,
      ...visibleValues(visible),
    ]),
};
