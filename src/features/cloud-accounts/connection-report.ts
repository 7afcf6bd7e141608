import type { AwsAccount } from "./aws-account.ts";

/**
 * What a stack reported to the connection's callback. Anyone who knows the connection's id can send a report. So each
 * report is checked on its own, none replaces another, and a connection keeps only a few: they make room for others
 * after `REPORT_KEPT_HOURS`.
 */
export type ConnectionReport = {
  readonly accountId: string;
  readonly roleArn: string;
  readonly firstReportedAt: Date;
  readonly reportedAt: Date;
  readonly lastCheckAt: Date | null;
  /** When the refusal was recorded; null while the report may still be accepted. */
  readonly refusedAt: Date | null;
};

/** A connection needs one, and one more for each time that its stack is created again. */
export const REPORTS_MAX = 10;
/** In this time, clients can write at most `REPORTS_MAX` rows and audit entries for a connection. */
export const REPORT_KEPT_HOURS = 24;
/** AWS needs some seconds to make a new role known everywhere. A role that fails for longer is refused. */
export const REFUSED_AFTER_MS = 60_000;

/** Why a report cannot be the connection's; null if it may be. Pure. */
export function whyRefused(
  {
    connectedAwsAccountId,
    expectedAwsAccountId,
  }: Pick<AwsAccount, "connectedAwsAccountId" | "expectedAwsAccountId">,
  accountId: string,
): string | null {
  if (connectedAwsAccountId !== null) {
    return connectedAwsAccountId === accountId
      ? null
      : `The connection belongs to the account ${connectedAwsAccountId}.`;
  }
  return expectedAwsAccountId === null || expectedAwsAccountId === accountId
    ? null
    : `The connection expects the account ${expectedAwsAccountId}.`;
}
