import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { findOwner, noteOwner } from "../../db/owners.ts";
import { type Page, pagedStatement } from "../../db/page.ts";
import type { ReportedIdentity } from "../../cloud/cloud.ts";
import { type Connection, connectionOf } from "./columns.ts";
import type { AwsAccount, AwsAccountKey, AwsAccountStatus, CheckError } from "./aws-account.ts";

const columns = (refusedAwsAccountId: string): string =>
  `organization_id AS "organizationId", id, given_id AS "givenId", name, status,
  expected_aws_account_id AS "expectedAwsAccountId", ${refusedAwsAccountId} AS "refusedAwsAccountId",
  reported_account_id AS "reportedAccountId", reported_role_arn AS "reportedRoleArn",
  connected_aws_account_id AS "connectedAwsAccountId", role_arn AS "roleArn",
  check_requested_at AS "checkRequestedAt", suspected_at AS "suspectedAt", last_check_at AS "lastCheckAt", last_check_error AS "lastCheckError",
  created_at AS "createdAt", updated_at AS "updatedAt"`;
/** The newest account that was refused in the last week, and that no admin has seen. `$1` is the organization. */
const refusedAt = (now: string): string => `(SELECT r.account_id FROM aws_account_reports r
    WHERE r.organization_id = $1 AND r.connection_id = aws_accounts.id
      AND r.account_id <> coalesce(connected_aws_account_id, expected_aws_account_id, r.account_id)
      AND r.refused_at IS NOT NULL AND r.reported_at > ${now} - interval '7 days'
      AND r.reported_at > coalesce(reports_seen_at, '-infinity')
    ORDER BY r.reported_at DESC LIMIT 1)`;
const COLUMNS = columns(refusedAt("now()"));
/** For a statement that changes accounts `FROM ${AT_PRESENT}`. */
const CHANGED = columns(refusedAt("present.at"));
const AT_PRESENT = "(SELECT now() AS at) present";

const INSERT = writeStatement<AwsAccount>(
  "aws_accounts_insert",
  `INSERT INTO aws_accounts (organization_id, id, given_id, name, status, expected_aws_account_id)
   VALUES ($1, $2, $3, $4, 'AWAITING_CONNECTION', $5) RETURNING ${columns("NULL::text")}`,
);

/** By id or givenId. If a givenId looks like an id, the id takes precedence. */
const FIND = readStatement<AwsAccount>(
  "aws_accounts_find",
  `SELECT ${COLUMNS} FROM aws_accounts
    WHERE organization_id = $1 AND (id = $2 OR given_id = $2) ORDER BY (id = $2) DESC LIMIT 1`,
);

const FIND_CONNECTION = readStatement<{ connection: Connection | null }>(
  "aws_accounts_find_connection",
  `SELECT ${connectionOf("$1", "$2")} AS connection`,
);

/** By id or givenId. */
const LOCK = writeStatement<{ id: string }>(
  "aws_accounts_lock",
  `SELECT id FROM aws_accounts WHERE organization_id = $1 AND (id = $2 OR given_id = $2) FOR UPDATE`,
);

/**
 * Ids of connections are random, so the order of creation also needs the time, in microseconds as stored. Cursors are
 * readable, but only admins may see the id of a connection that waits for its stack. So cursors hold digests of ids.
 */
const LIST = pagedStatement<AwsAccount & { readonly createdAtUtc: string; readonly digest: string }>(
  "aws_accounts_list",
  (after, direction) => `SELECT ${COLUMNS},
         to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "createdAtUtc",
         md5(id) AS digest
    FROM aws_accounts
   WHERE organization_id = $1 AND (created_at, md5(id)) ${after} ($2::text::timestamptz, $3)
   ORDER BY created_at ${direction}, md5(id) ${direction} LIMIT $4`,
);

const UPDATE = writeStatement<AwsAccount>(
  "aws_accounts_update",
  `UPDATE aws_accounts SET given_id = $3, name = $4, expected_aws_account_id = $5, updated_at = now()
     FROM ${AT_PRESENT} WHERE organization_id = $1 AND id = $2 RETURNING ${CHANGED}`,
);

/** An admin asked for this, and has seen all refusals until now. */
const REQUEST_CHECK = writeStatement<AwsAccount>(
  "aws_accounts_request_check",
  `UPDATE aws_accounts SET check_requested_at = now(), reports_seen_at = now()
     FROM ${AT_PRESENT} WHERE organization_id = $1 AND id = $2 RETURNING ${CHANGED}`,
);

/** Only the first denial since the last check counts: simultaneous denials wait for the same check. */
const SUSPECT = writeStatement<{ id: string }>(
  "aws_accounts_suspect",
  `UPDATE aws_accounts SET suspected_at = now()
    WHERE organization_id = $1 AND id = $2 AND (suspected_at IS NULL OR suspected_at <= last_check_at) RETURNING id`,
);

/**
 * A report has to be checked. The first report is also kept here, where processes of the release before look for it. A
 * connection that has an account is checked at once, because its stack may have been created again.
 */
const RECORD_REPORT = writeStatement(
  "aws_accounts_record_report",
  `UPDATE aws_accounts
      SET reported_account_id = coalesce(reported_account_id, $3), reported_role_arn = coalesce(reported_role_arn, $4),
          check_requested_at = CASE WHEN connected_aws_account_id IS NULL THEN check_requested_at ELSE (SELECT now()) END,
          updated_at = now()
    WHERE organization_id = $1 AND id = $2`,
);

/** Only if the connection has no account yet, and may have this one. From then on no other stack can take it over. */
const BIND = writeStatement<{ id: string }>(
  "aws_accounts_bind",
  `UPDATE aws_accounts
      SET status = 'CONNECTED', connected_aws_account_id = $3, role_arn = $4, reported_account_id = $3,
          reported_role_arn = $4, last_check_at = $5, last_check_error = $6::jsonb, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND connected_aws_account_id IS NULL
      AND coalesce(expected_aws_account_id, $3) = $3 RETURNING id`,
);

/** The result for a report that was refused. */
const RECORD_UNBOUND = writeStatement(
  "aws_accounts_record_unbound",
  `UPDATE aws_accounts SET last_check_at = $3, last_check_error = $4::jsonb, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND connected_aws_account_id IS NULL`,
);

/** Only if it still has the account that was checked. */
const RECORD_CHECK = writeStatement<{ id: string }>(
  "aws_accounts_record_check",
  `UPDATE aws_accounts
      SET status = $3, role_arn = coalesce($4, role_arn), reported_role_arn = coalesce($4, reported_role_arn),
          last_check_at = $5, last_check_error = $6::jsonb, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND connected_aws_account_id = $7 RETURNING id`,
);

const UNBIND = writeStatement<AwsAccount>(
  "aws_accounts_unbind",
  `UPDATE aws_accounts
      SET id = $3, status = 'AWAITING_CONNECTION', connected_aws_account_id = NULL, role_arn = NULL,
          reported_account_id = NULL, reported_role_arn = NULL, check_requested_at = NULL, suspected_at = NULL,
          last_check_at = NULL, last_check_error = NULL, reports_seen_at = NULL, updated_at = now()
     FROM ${AT_PRESENT} WHERE organization_id = $1 AND id = $2 RETURNING ${CHANGED}`,
);

const NAMED_PROJECTS_MAX = 5;
/** Some of the projects that are deployed to it. Projects that are not being deleted come first. */
const LIST_PROJECTS = readStatement<{ id: string; name: string; isDeleting: boolean }>(
  "aws_accounts_list_projects",
  `SELECT id, name, deletion_requested_at IS NOT NULL AS "isDeleting" FROM projects
    WHERE organization_id = $1 AND aws_account_id = $2 ORDER BY 3, 1 LIMIT $3`,
);

const DELETE = writeStatement<{ id: string }>(
  "aws_accounts_delete",
  `DELETE FROM aws_accounts WHERE organization_id = $1 AND id = $2 RETURNING id`,
);

const EXISTS = readStatement<{ organizationId: string }>(
  "aws_accounts_exists",
  `SELECT organization_id AS "organizationId" FROM aws_accounts WHERE organization_id = $1 AND id = $2`,
);

const json = (error: CheckError | null): string | null => (error === null ? null : JSON.stringify(error));

export const awsAccounts = {
  /** The organization of a connection. The id has 128 random bits, so a client that knows it was given it. */
  findOwner: async (sql: Sql, id: string) => {
    const organizationId = await findOwner(sql, "connection", id);
    if (organizationId === null) return null;
    return (await sql.query(EXISTS, [organizationId, id]))[0]?.organizationId ?? null;
  },
  insert: async (
    tx: Transaction,
    account: Pick<AwsAccount, "organizationId" | "id" | "givenId" | "name" | "expectedAwsAccountId">,
  ) => {
    const { organizationId, id, givenId, name, expectedAwsAccountId } = account;
    noteOwner(tx, organizationId, "connection", id);
    return (await tx.query(INSERT, [organizationId, id, givenId, name, expectedAwsAccountId]))[0] ?? null;
  },
  find: async (sql: Sql, organizationId: string, idOrGivenId: string) =>
    (await sql.query(FIND, [organizationId, idOrGivenId]))[0] ?? null,
  findConnection: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_CONNECTION, [organizationId, id]))[0]?.connection ?? null,
  /** Makes all other changes of it wait until the transaction ends. */
  lock: async (tx: Transaction, organizationId: string, idOrGivenId: string) =>
    void (await tx.query(LOCK, [organizationId, idOrGivenId])),
  /** `after` is `createdAtUtc` and `digest`, joined by a slash. */
  list: (sql: Sql, organizationId: string, { after, order, limit }: Page) => {
    const before = order === "asc" ? "-infinity/" : "infinity/zzzz";
    const [createdAtUtc = "", digest = ""] = (after ?? before).split("/");
    return sql.query(LIST[order], [organizationId, createdAtUtc, digest, limit + 1]);
  },
  update: async (
    sql: Sql,
    { organizationId, id }: AwsAccount,
    to: Pick<AwsAccount, "givenId" | "name" | "expectedAwsAccountId">,
  ) => {
    const values = [organizationId, id, to.givenId, to.name, to.expectedAwsAccountId];
    return (await sql.query(UPDATE, values))[0] ?? null;
  },
  requestCheck: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(REQUEST_CHECK, [organizationId, id]))[0] ?? null,
  /** @returns false when a check for an earlier denial is still due */
  suspect: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(SUSPECT, [organizationId, id])).length > 0,
  recordReport: async (
    sql: Sql,
    { organizationId, id }: AwsAccountKey,
    { accountId, roleArn }: ReportedIdentity,
  ) => void (await sql.query(RECORD_REPORT, [organizationId, id, accountId, roleArn])),
  /** @returns false when it has an account by now */
  bind: async (
    sql: Sql,
    { organizationId, id }: AwsAccountKey,
    { accountId, roleArn }: ReportedIdentity,
    { at, error }: { at: Date; error: CheckError | null },
  ) => (await sql.query(BIND, [organizationId, id, accountId, roleArn, at, json(error)])).length > 0,
  recordUnbound: async (
    sql: Sql,
    { organizationId, id }: AwsAccountKey,
    { at, error }: { at: Date; error: CheckError },
  ) => void (await sql.query(RECORD_UNBOUND, [organizationId, id, at, json(error)])),
  recordCheck: async (
    sql: Sql,
    { organizationId, id, connectedAwsAccountId }: AwsAccount,
    check: {
      status: AwsAccountStatus;
      verified: ReportedIdentity | null;
      at: Date;
      error: CheckError | null;
    },
  ) => {
    const { status, verified, at, error } = check;
    const values = [organizationId, id, status, verified?.roleArn ?? null, at, json(error)];
    return (await sql.query(RECORD_CHECK, [...values, connectedAwsAccountId])).length > 0;
  },
  /** Gives it a new id. Fails while a row refers to the old one. */
  unbind: async (tx: Transaction, { organizationId, id }: AwsAccountKey, newId: string) => {
    noteOwner(tx, organizationId, "connection", newId);
    return (await tx.query(UNBIND, [organizationId, id, newId]))[0] ?? null;
  },
  listProjects: (sql: Sql, organizationId: string, id: string) =>
    sql.query(LIST_PROJECTS, [organizationId, id, NAMED_PROJECTS_MAX]),
  delete: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(DELETE, [organizationId, id])).length > 0,
};
