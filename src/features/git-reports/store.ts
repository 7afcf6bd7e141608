import { readStatement, type Sql, writeStatement } from "../../db/database.ts";
import type { Report, SentReport } from "./report.ts";

const LIST = readStatement<SentReport & { projectId: string }>(
  "git_reports_list",
  `SELECT key, project_id AS "projectId", operation, host_id AS "hostId", report FROM git_reports
    WHERE organization_id = $1 AND subject_id = $2 ORDER BY key`,
);
const PUT = writeStatement(
  "git_reports_put",
  `INSERT INTO git_reports (organization_id, subject_id, key, project_id, operation, host_id, report)
   VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb)
   ON CONFLICT ON CONSTRAINT git_reports_pkey DO UPDATE SET host_id = excluded.host_id, report = excluded.report`,
);
const DELETE = writeStatement(
  "git_reports_delete",
  `DELETE FROM git_reports WHERE organization_id = $1 AND subject_id = $2`,
);

/** What the git host was last sent about a deployment or a preview. */
export const gitReports = {
  list: (sql: Sql, organizationId: string, subjectId: string) => sql.query(LIST, [organizationId, subjectId]),
  put: async (
    sql: Sql,
    of: { readonly organizationId: string; readonly subjectId: string; readonly projectId: string },
    { key, operation, report }: Report,
    hostId: string | null,
  ) => {
    const subject = [of.organizationId, of.subjectId, key, of.projectId];
    await sql.query(PUT, [...subject, operation, hostId, JSON.stringify(report)]);
  },
  delete: async (sql: Sql, organizationId: string, subjectId: string) =>
    void (await sql.query(DELETE, [organizationId, subjectId])),
};
