import type { ReportedIdentity } from "../../cloud/cloud.ts";
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { whyRefused } from "./connection-report.ts";
import { connectionReports } from "./report-store.ts";
import { awsAccounts } from "./store.ts";
import { auditRefusedReport } from "./audit-connection.ts";

/**
 * Records a report of a customer's stack. Anyone may call this, so a report is never trusted and replaces nothing; the
 * reconciler verifies it. A connection belongs to the account that it was bound to, or before that to the expected
 * account, if one is set. Reports of other accounts are refused at once.
 */
export async function recordReportedIdentity(
  tx: Transaction,
  jobs: Jobs,
  connectionId: string,
  reported: ReportedIdentity,
  from: { readonly requestId: string; readonly sourceAddress: string },
): Promise<void> {
  const account = await connectionReports.lockConnection(tx, connectionId);
  if (account === null) return;
  const why = whyRefused(account, reported.accountId);
  const noted = await connectionReports.note(tx, account, reported, why !== null);
  if (noted === "known" || noted === "full") return;
  announceChange(tx, account.id);
  if (why === null) {
    await awsAccounts.recordReport(tx, account, reported);
    await jobs.enqueue(tx, "aws-account", { organizationId: account.organizationId, id: account.id });
  } else if (noted === "new") auditRefusedReport(tx, account, reported, why, from);
}
