import type { ReportedIdentity } from "../../cloud/cloud.ts";
import { type AwsAccount, type ConnectionReport, whyRefused } from "./aws-account.ts";

const DAY_MS = 24 * 60 * 60_000;
/** A role that stopped working is checked more often, so that its repair is soon seen. */
const RECHECK_DISCONNECTED_MS = 5 * 60_000;
/** AWS needs some seconds to make a new role known everywhere. A role that fails for longer is rarely repaired soon. */
const NEW_ROLE_PATIENCE_MS = 10 * 60_000;
const RECHECK_NEW_ROLE_MS = 10_000;
const RECHECK_OLD_ROLE_MS = 60 * 60_000;
/** After this time, a role that never worked is given up; its stack can report again. */
const OLD_ROLE_PATIENCE_MS = 7 * DAY_MS;
/** Work that lacks a permission triggers a check of the role. This is the interval when there is no work. */
const RECHECK_LACKING_MS = 60 * 60_000;
/** A check is some twenty calls, and blocked work is denied again and again. */
const RECHECK_SUSPECTED_MS = 60_000;

export type AwsAccountStep =
  /** Checks a connection that has an account: the first of these roles that works is used. */
  | { readonly kind: "verify"; readonly roles: readonly ReportedIdentity[] }
  /** Checks a report for a connection without an account. */
  | { readonly kind: "verifyReport"; readonly report: ConnectionReport }
  | { readonly kind: "wait"; readonly runAfterMs: number }
  /** Waits until a stack reports. */
  | { readonly kind: "rest" };

/** The next step of a connection. */
export function decideAwsAccount(
  account: AwsAccount,
  reports: readonly ConnectionReport[],
  now: Date,
): AwsAccountStep {
  const { connectedAwsAccountId: accountId, roleArn } = account;
  if (accountId === null || roleArn === null) return decideUnbound(account, reports, now);
  const leftMs = untilCheckMs(account, now);
  if (leftMs > 0) return { kind: "wait", runAfterMs: leftMs };
  // A stack that was deleted and created again has a new role, in the same account.
  const others = reports
    .filter((report) => report.accountId === accountId && report.roleArn !== roleArn)
    .toSorted((a, b) => b.reportedAt.getTime() - a.reportedAt.getTime());
  return { kind: "verify", roles: [{ accountId, roleArn }, ...others] };
}

function untilCheckMs(account: AwsAccount, now: Date): number {
  const { lastCheckAt, checkRequestedAt, suspectedAt } = account;
  if (lastCheckAt === null) return 0;
  if (checkRequestedAt !== null && checkRequestedAt > lastCheckAt) return 0;
  const usualMs = recheckAfterMs(account, now);
  const isSuspected = suspectedAt !== null && suspectedAt > lastCheckAt;
  const afterMs = isSuspected ? Math.min(RECHECK_SUSPECTED_MS, usualMs) : usualMs;
  return afterMs - (now.getTime() - lastCheckAt.getTime());
}

function recheckAfterMs({ status, lastCheckError, checkRequestedAt, createdAt }: AwsAccount, now: Date) {
  if (status === "CONNECTED") return lastCheckError === null ? DAY_MS : RECHECK_LACKING_MS;
  return isNew(checkRequestedAt ?? createdAt, now) ? RECHECK_NEW_ROLE_MS : RECHECK_DISCONNECTED_MS;
}

/** Checks each report on its own. When several are due, the one whose last check is the oldest comes first. */
function decideUnbound(account: AwsAccount, reports: readonly ConnectionReport[], now: Date): AwsAccountStep {
  const waiting = withOlderRelease(account, reports)
    .filter(({ accountId }) => whyRefused(account, accountId) === null)
    .flatMap((report) => {
      const leftMs = untilReportMs(account, report, now);
      return leftMs === null ? [] : [{ report, leftMs }];
    })
    .toSorted((a, b) => a.leftMs - b.leftMs);
  const [first] = waiting;
  if (first === undefined) return { kind: "rest" };
  return first.leftMs > 0
    ? { kind: "wait", runAfterMs: first.leftMs }
    : { kind: "verifyReport", report: first.report };
}

/** When a report is checked next; the pauses grow. Null: never again. */
function untilReportMs(
  { checkRequestedAt }: AwsAccount,
  { lastCheckAt, reportedAt }: ConnectionReport,
  now: Date,
): number | null {
  if (lastCheckAt === null) return -Infinity;
  const sinceMs = now.getTime() - lastCheckAt.getTime();
  if (reportedAt > lastCheckAt || (checkRequestedAt ?? lastCheckAt) > lastCheckAt) return -sinceMs;
  if (now.getTime() - reportedAt.getTime() >= OLD_ROLE_PATIENCE_MS) return null;
  return (isNew(reportedAt, now) ? RECHECK_NEW_ROLE_MS : RECHECK_OLD_ROLE_MS) - sinceMs;
}

/** Releases that knew only one report kept it in the connection's own row, and their processes still do. */
function withOlderRelease(
  account: AwsAccount,
  reports: readonly ConnectionReport[],
): readonly ConnectionReport[] {
  const { reportedAccountId: accountId, reportedRoleArn: roleArn, lastCheckAt } = account;
  if (accountId === null || roleArn === null) return reports;
  if (reports.some((report) => report.accountId === accountId && report.roleArn === roleArn)) return reports;
  const reportedAt = account.checkRequestedAt ?? account.createdAt;
  const report = {
    accountId,
    roleArn,
    firstReportedAt: reportedAt,
    reportedAt,
    lastCheckAt,
    refusedAt: null,
  };
  return [...reports, report];
}

function isNew(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() < NEW_ROLE_PATIENCE_MS;
}
