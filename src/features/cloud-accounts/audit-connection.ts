/**
 * Audit entries and events for changes that no request of the organization made: a connection's status, and accounts
 * that it refused. Written only here.
 */
import type { ReportedIdentity } from "../../cloud/cloud.ts";
import type { Transaction } from "../../db/database.ts";
import { changeOf, recordAudit, slipwayOf } from "../organizations/audit.ts";
import type { AwsAccount, AwsAccountStatus } from "./aws-account.ts";

type Of = Pick<AwsAccount, "organizationId" | "id">;

/** It was bound to an account, lost its role, or has that role or another one again. */
export function auditConnectionChange(
  tx: Transaction,
  { organizationId, id, status, connectedAwsAccountId, roleArn }: AwsAccount,
  now: { readonly status: AwsAccountStatus; readonly verified: ReportedIdentity | null },
): void {
  const after = {
    status: now.status,
    connectedAwsAccountId: now.verified?.accountId ?? connectedAwsAccountId,
    roleArn: now.verified?.roleArn ?? roleArn,
  };
  const before = { status, connectedAwsAccountId, roleArn };
  if (status === after.status && roleArn === after.roleArn) return;
  const action = now.status === "CONNECTED" ? "aws-account.connected" : "aws-account.disconnected";
  recordAudit(tx, slipwayOf(organizationId), action, id, changeOf(before, after));
}

/** A stack reported itself and was refused. @param why a sentence */
export function auditRefusedReport(
  tx: Transaction,
  { organizationId, id }: Of,
  { accountId, roleArn }: ReportedIdentity,
  why: string,
  from: { readonly requestId: string; readonly sourceAddress: string } | null,
): void {
  const actor = { ...slipwayOf(organizationId), ...from };
  recordAudit(tx, actor, "aws-account.report-refused", id, {
    after: { reportedAwsAccountId: accountId, reportedRoleArn: roleArn, reason: why },
  });
}
