/**
 * Audit entries and events for changes that no request of the organization made: a connection's status, and accounts
 * that it refused. Written only here.
 */
import type { ReportedIdentity } from "../../cloud/cloud.ts";
import type { Transaction } from "../../db/database.ts";
import { codedErrorOf } from "../events/error-views.ts";
import { emit } from "../events/emit.ts";
import { changeOf, recordAudit, slipwayOf } from "../audit/record-audit.ts";
import type { AwsAccount, AwsAccountKey, AwsAccountStatus, CheckError } from "./aws-account.ts";
import { accountData, AWS_ACCOUNT_EVENTS } from "./events.ts";

/** What a check found. */
type Found = {
  readonly status: AwsAccountStatus;
  readonly verified: ReportedIdentity | null;
  readonly error: CheckError | null;
};

/**
 * It was bound to an account, lost its role or some permissions, or has that role or another one again.
 * @param before as it was just before the result was recorded
 */
export function auditConnectionChange(tx: Transaction, before: AwsAccount, now: Found): void {
  auditRole(tx, before, now);
  emitLack(tx, before, now);
}

function auditRole(tx: Transaction, account: AwsAccount, now: Found): void {
  const { organizationId, id, status, connectedAwsAccountId, roleArn } = account;
  const after = {
    status: now.status,
    connectedAwsAccountId: now.verified?.accountId ?? connectedAwsAccountId,
    roleArn: now.verified?.roleArn ?? roleArn,
  };
  const before = { status, connectedAwsAccountId, roleArn };
  if (status === after.status && roleArn === after.roleArn) return;
  const action = now.status === "CONNECTED" ? "aws-account.connected" : "aws-account.disconnected";
  const slipway = slipwayOf(organizationId);
  recordAudit(tx, slipway, action, id, changeOf(before, after));
  const data = { ...accountData({ ...account, ...after }), previousStatus: status };
  if (now.status === "CONNECTED") {
    emit(tx, slipway, { type: AWS_ACCOUNT_EVENTS["aws_account.connected"], subjectId: id, data });
    return;
  }
  const error = now.error === null ? {} : { error: codedErrorOf(now.error) };
  const lost = { ...data, reason: "ROLE_FAILED", ...error } as const;
  emit(tx, slipway, { type: AWS_ACCOUNT_EVENTS["aws_account.disconnected"], subjectId: id, data: lost });
}

/** A connection that works may lack permissions. */
function emitLack(tx: Transaction, before: AwsAccount, { status, verified, error }: Found): void {
  if (status !== "CONNECTED") return;
  const { organizationId, id: subjectId } = before;
  const slipway = slipwayOf(organizationId);
  const lackedBefore = before.status === "CONNECTED" ? before.lastCheckError : null;
  const connectedAwsAccountId = verified?.accountId ?? before.connectedAwsAccountId;
  const data = accountData({ ...before, status, connectedAwsAccountId });
  if (error !== null && error.message !== lackedBefore?.message) {
    const type = AWS_ACCOUNT_EVENTS["aws_account.permissions_missing"];
    emit(tx, slipway, { type, subjectId, data: { ...data, error: codedErrorOf(error) } });
  }
  if (error === null && lackedBefore !== null) {
    const type = AWS_ACCOUNT_EVENTS["aws_account.permissions_restored"];
    emit(tx, slipway, { type, subjectId, data });
  }
}

/** A stack reported itself and was refused. @param why a sentence */
export function auditRefusedReport(
  tx: Transaction,
  { organizationId, id }: AwsAccountKey,
  { accountId, roleArn }: ReportedIdentity,
  why: string,
  from: { readonly requestId: string; readonly sourceAddress: string } | null,
): void {
  const actor = { ...slipwayOf(organizationId), ...from };
  recordAudit(tx, actor, "aws-account.report-refused", id, {
    after: { reportedAwsAccountId: accountId, reportedRoleArn: roleArn, reason: why },
  });
}
