import { type Sql, statement } from "../db/database.ts";
import type { Page } from "../db/page.ts";
import type { AwsAccount, AwsAccountStatus, CheckError } from "./aws-account.ts";

const COLUMNS = `organization_id AS "organizationId", id, given_id AS "givenId", name, status,
  reported_account_id AS "reportedAccountId", reported_role_arn AS "reportedRoleArn",
  connected_aws_account_id AS "connectedAwsAccountId", role_arn AS "roleArn",
  check_requested_at AS "checkRequestedAt", last_check_at AS "lastCheckAt", last_check_error AS "lastCheckError",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

const INSERT = statement<AwsAccount>(
  "aws_accounts_insert",
  `INSERT INTO aws_accounts (organization_id, id, given_id, name, status)
   VALUES ($1, $2, $3, $4, 'AWAITING_CONNECTION') RETURNING ${COLUMNS}`,
);

/** By id or givenId; should a givenId look like an id, the id wins. */
const FIND = statement<AwsAccount>(
  "aws_accounts_find",
  `SELECT ${COLUMNS} FROM aws_accounts
    WHERE organization_id = $1 AND (id = $2 OR given_id = $2) ORDER BY (id = $2) DESC LIMIT 1`,
);

const LIST = statement<AwsAccount>(
  "aws_accounts_list",
  `SELECT ${COLUMNS} FROM aws_accounts
    WHERE organization_id = $1 AND ($2::text IS NULL OR id > $2) ORDER BY id LIMIT $3`,
);

const UPDATE_NAMES = statement<AwsAccount>(
  "aws_accounts_update_names",
  `UPDATE aws_accounts SET given_id = $3, name = $4, updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

const REQUEST_CHECK = statement<AwsAccount>(
  "aws_accounts_request_check",
  `UPDATE aws_accounts SET check_requested_at = now() WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

/**
 * A stack knows its connection's id alone, so this statement learns the organization from it. A connection
 * that was connected once is of that account for good: nobody else's stack can take it over.
 */
const RECORD_REPORT = statement<{ organizationId: string }>(
  "aws_accounts_record_report",
  `UPDATE aws_accounts
      SET reported_account_id = $2, reported_role_arn = $3, check_requested_at = now(), updated_at = now()
    WHERE id = $1 AND coalesce(connected_aws_account_id, $2) = $2 RETURNING organization_id AS "organizationId"`,
);

/** Only if the report that was checked is still the one that stands. */
const RECORD_CHECK = statement<{ id: string }>(
  "aws_accounts_record_check",
  `UPDATE aws_accounts
      SET status = $3, connected_aws_account_id = coalesce($4, connected_aws_account_id), role_arn = coalesce($5, role_arn),
          last_check_at = $6, last_check_error = $7::jsonb, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND reported_role_arn = $8 RETURNING id`,
);

const DELETE = statement<{ id: string }>(
  "aws_accounts_delete",
  `DELETE FROM aws_accounts WHERE organization_id = $1 AND id = $2 RETURNING id`,
);

export const awsAccounts = {
  insert: async (sql: Sql, account: Pick<AwsAccount, "organizationId" | "id" | "givenId" | "name">) =>
    (await sql.query(INSERT, [account.organizationId, account.id, account.givenId, account.name]))[0] ?? null,
  find: async (sql: Sql, organizationId: string, idOrGivenId: string) =>
    (await sql.query(FIND, [organizationId, idOrGivenId]))[0] ?? null,
  list: (sql: Sql, organizationId: string, page: Page) =>
    sql.query(LIST, [organizationId, page.after, page.limit + 1]),
  updateNames: async (
    sql: Sql,
    organizationId: string,
    id: string,
    names: { givenId: string; name: string },
  ) => (await sql.query(UPDATE_NAMES, [organizationId, id, names.givenId, names.name]))[0] ?? null,
  requestCheck: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(REQUEST_CHECK, [organizationId, id]))[0] ?? null,
  recordReport: async (sql: Sql, id: string, reported: { accountId: string; roleArn: string }) =>
    (await sql.query(RECORD_REPORT, [id, reported.accountId, reported.roleArn]))[0] ?? null,
  recordCheck: async (
    sql: Sql,
    account: AwsAccount,
    check: {
      status: AwsAccountStatus;
      verified: { accountId: string; roleArn: string } | null;
      at: Date;
      error: CheckError | null;
    },
  ) =>
    (
      await sql.query(RECORD_CHECK, [
        account.organizationId,
        account.id,
        check.status,
        check.verified?.accountId ?? null,
        check.verified?.roleArn ?? null,
        check.at,
        check.error === null ? null : JSON.stringify(check.error),
        account.reportedRoleArn,
      ])
    ).length > 0,
  delete: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(DELETE, [organizationId, id])).length > 0,
};
