import { readStatement, type Sql, writeStatement } from "../../db/database.ts";
import { findOwner } from "../../db/owners.ts";
import type { ReportedIdentity } from "../../cloud/cloud.ts";
import {
  type AwsAccount,
  type AwsAccountKey,
  type CheckError,
  type ConnectionReport,
  REPORT_KEPT_HOURS,
  REPORTS_MAX,
} from "./aws-account.ts";

const LOCK_REPORTED = writeStatement<
  Pick<
    AwsAccount,
    "organizationId" | "id" | "status" | "connectedAwsAccountId" | "expectedAwsAccountId" | "lastCheckAt"
  >
>(
  "aws_accounts_lock_reported",
  `SELECT organization_id AS "organizationId", id, status, last_check_at AS "lastCheckAt",
          connected_aws_account_id AS "connectedAwsAccountId",
          expected_aws_account_id AS "expectedAwsAccountId"
     FROM aws_accounts WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);
const LIST = readStatement<ConnectionReport>(
  "aws_account_reports_list",
  `SELECT account_id AS "accountId", role_arn AS "roleArn", first_reported_at AS "firstReportedAt",
          reported_at AS "reportedAt", last_check_at AS "lastCheckAt", refused_at AS "refusedAt"
     FROM aws_account_reports WHERE organization_id = $1 AND connection_id = $2 ORDER BY first_reported_at, role_arn`,
);
/**
 * Once in ten seconds, or while the connection does not work ($5), once after each check. So repeated reports write
 * almost nothing, and a stack that is created again is soon checked.
 */
const REPEAT = writeStatement<{ isNews: boolean }>(
  "aws_account_reports_repeat",
  `WITH known AS (
     SELECT reported_at FROM aws_account_reports
      WHERE organization_id = $1 AND connection_id = $2 AND account_id = $3 AND role_arn = $4
   ), repeated AS (
     UPDATE aws_account_reports SET reported_at = now()
      WHERE organization_id = $1 AND connection_id = $2 AND account_id = $3 AND role_arn = $4
        AND (reported_at < now() - interval '10 seconds' OR reported_at < $5) RETURNING reported_at
   )
   SELECT EXISTS (SELECT 1 FROM repeated) AS "isNews" FROM known`,
);
/** Makes room: removes old reports that are not the connection's own. */
const MAKE_ROOM = writeStatement(
  "aws_account_reports_make_room",
  `DELETE FROM aws_account_reports
    WHERE organization_id = $1 AND connection_id = $2 AND first_reported_at < now() - $3::int * interval '1 hour'
      AND (SELECT count(*) FROM aws_account_reports WHERE organization_id = $1 AND connection_id = $2) >= $4`,
);
const INSERT = writeStatement<{ accountId: string }>(
  "aws_account_reports_insert",
  `INSERT INTO aws_account_reports (organization_id, connection_id, account_id, role_arn, refused_at)
   SELECT $1, $2, $3, $4, CASE WHEN $5 THEN now() END
    WHERE (SELECT count(*) FROM aws_account_reports WHERE organization_id = $1 AND connection_id = $2) < $6
   RETURNING account_id AS "accountId"`,
);
/** A report that a release before recorded is not in this table yet. */
const RECORD_CHECKED = writeStatement(
  "aws_account_reports_record_checked",
  `INSERT INTO aws_account_reports (organization_id, connection_id, account_id, role_arn, first_reported_at, last_check_at,
                                    last_check_error, refused_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8)
   ON CONFLICT (organization_id, connection_id, account_id, role_arn) DO UPDATE
     SET last_check_at = excluded.last_check_at, last_check_error = excluded.last_check_error,
         refused_at = excluded.refused_at`,
);
const DELETE_ALL = writeStatement(
  "aws_account_reports_delete_all",
  `DELETE FROM aws_account_reports WHERE organization_id = $1 AND connection_id = $2`,
);

export const connectionReports = {
  /** The connection that a report is for; locked until the transaction ends. A stack only knows its id. */
  lockConnection: async (sql: Sql, connectionId: string) => {
    const organizationId = await findOwner(sql, "connection", connectionId);
    if (organizationId === null) return null;
    return (await sql.query(LOCK_REPORTED, [organizationId, connectionId]))[0] ?? null;
  },
  list: (sql: Sql, { organizationId, id }: AwsAccountKey) => sql.query(LIST, [organizationId, id]),
  /** `new`: it was not there before. `full`: it was not there, and there is no room for it. */
  note: async (
    sql: Sql,
    { organizationId, id, status, lastCheckAt }: AwsAccountKey & Pick<AwsAccount, "status" | "lastCheckAt">,
    { accountId, roleArn }: ReportedIdentity,
    isRefused: boolean,
  ): Promise<"new" | "again" | "known" | "full"> => {
    const key = [organizationId, id, accountId, roleArn];
    const checkedAt = status === "CONNECTED" ? null : lastCheckAt;
    const [known] = await sql.query(REPEAT, [...key, checkedAt]);
    if (known !== undefined) return known.isNews ? "again" : "known";
    await sql.query(MAKE_ROOM, [organizationId, id, REPORT_KEPT_HOURS, REPORTS_MAX]);
    const inserted = await sql.query(INSERT, [...key, isRefused, REPORTS_MAX]);
    return inserted.length > 0 ? "new" : "full";
  },
  recordChecked: async (
    sql: Sql,
    { organizationId, id }: AwsAccountKey,
    { accountId, roleArn, firstReportedAt }: ConnectionReport,
    check: { readonly at: Date; readonly error: CheckError | null; readonly refusedAt: Date | null },
  ) =>
    void (await sql.query(RECORD_CHECKED, [
      organizationId,
      id,
      accountId,
      roleArn,
      firstReportedAt,
      check.at,
      check.error === null ? null : JSON.stringify(check.error),
      check.refusedAt,
    ])),
  deleteAll: async (sql: Sql, { organizationId, id }: AwsAccountKey) =>
    void (await sql.query(DELETE_ALL, [organizationId, id])),
};
