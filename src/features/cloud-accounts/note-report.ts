import type { ReportedIdentity } from "../../cloud/cloud.ts";
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { whyRefused } from "./connection-report.ts";
import { connectionReports } from "./report-store.ts";
import { awsAccounts } from "./store.ts";
import { tellRefusedReport } from "./tell-connection.ts";

/**
 * Takes what a customer's stack says of itself. Anyone may call this, so it is only noted, never believed, and nothing
 * that is there is given up for it; verifying is the reconciler's. A connection belongs to the account that it was bound
 * to, and before that to the one that is expected, if one is: what another says is refused at once.
 */
export async function noteReportedIdentity(
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
    await jobs.poke(tx, "aws-account", { organizationId: account.organizationId, id: account.id });
  } else if (noted === "new") tellRefusedReport(tx, account, reported, why, from);
}
