import { type Sql, statement } from "../db/database.ts";
import type { Page } from "../db/page.ts";
import type { Deployment } from "./deployment.ts";

const COLUMNS = `organization_id AS "organizationId", id, project_id AS "projectId", environment_id AS "environmentId",
  branch, commit_hash AS "commitHash", status, status_reason AS "statusReason",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

const INSERT = statement<Deployment>(
  "deployments_insert",
  `INSERT INTO deployments (organization_id, id, project_id, environment_id, branch, commit_hash, status, status_reason)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
);

const FIND = statement<Deployment>(
  "deployments_find",
  `SELECT ${COLUMNS} FROM deployments WHERE organization_id = $1 AND id = $2`,
);

/** Newest first; ids are sortable by time. */
const LIST = statement<Deployment>(
  "deployments_list",
  `SELECT ${COLUMNS} FROM deployments
    WHERE organization_id = $1 AND ($2::text IS NULL OR id < $2) AND ($4::text IS NULL OR project_id = $4)
      AND ($5::text IS NULL OR branch = $5) AND ($6::text IS NULL OR status = $6)
    ORDER BY id DESC LIMIT $3`,
);

export type DeploymentFilter = {
  readonly projectId?: string;
  readonly branch?: string;
  readonly status?: string;
};

export const deployments = {
  insert: async (sql: Sql, deployment: Omit<Deployment, "createdAt" | "updatedAt">) =>
    (
      await sql.query(INSERT, [
        deployment.organizationId,
        deployment.id,
        deployment.projectId,
        deployment.environmentId,
        deployment.branch,
        deployment.commitHash,
        deployment.status,
        deployment.statusReason,
      ])
    )[0] ?? null,
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  list: (sql: Sql, organizationId: string, page: Page, filter: DeploymentFilter) =>
    sql.query(LIST, [
      organizationId,
      page.after,
      page.limit + 1,
      filter.projectId ?? null,
      filter.branch ?? null,
      filter.status ?? null,
    ]),
};
