import type { AwsAccount } from "./aws-account.ts";

/**
 * What a stack said of itself, at the connection's callback. Whoever knows the connection's id can say something there,
 * so each report is checked by itself, none replaces another, and a connection keeps few of them: they
 * make room for others after `REPORT_KEPT_HOURS`.
 */
export type ConnectionReport = {
  readonly accountId: string;
  readonly roleArn: string;
  readonly firstReportedAt: Date;
  readonly reportedAt: Date;
  readonly lastCheckAt: Date | null;
  /** When the refusal was written down; null while it may still be believed. */
  readonly refusedAt: Date | null;
};

/** A connection needs one, and another for each time that its stack is made again. */
export const REPORTS_MAX = 10;
/** So nobody writes more than `REPORTS_MAX` rows and audit entries for a connection in this time. */
export const REPORT_KEPT_HOURS = 24;
/** A new role needs some seconds to be known everywhere at AWS; what is refused for longer is called refused. */
export const REFUSED_AFTER_MS = 60_000;

/** Null where it may be the connection's. Pure. */
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
