import type { Clock } from "../../lib/clock.ts";
import { type Cloud, type CloudAccount, CloudError, type ReportedIdentity } from "../../cloud/cloud.ts";
import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Reconcile } from "../../jobs/jobs.ts";
import {
  type AwsAccount,
  type CheckError,
  type ConnectionReport,
  REFUSED_AFTER_MS,
  whyRefused,
} from "./aws-account.ts";
import { decideAwsAccount } from "./decide-aws-account.ts";
import { connectionReports } from "./report-store.ts";
import { awsAccounts } from "./store.ts";
import { auditConnectionChange, auditRefusedReport } from "./audit-connection.ts";

type Deps = {
  readonly db: Database;
  readonly cloud: Cloud;
  readonly clock: Clock;
  /**
   * Called in the transaction that finds an account working again, or all its permissions back: the work that waited
   * for it continues.
   */
  readonly onReconnected: (tx: Transaction, account: AwsAccount) => Promise<void>;
};

/** The next run reads what was just written and decides when the next check is due. */
const CHECK_AGAIN = { runAfterMs: 1_000 };

/** Verifies what stacks reported, at once, and then daily the role that holds. */
export function reconcileAwsAccount(deps: Deps): Reconcile {
  const { db, clock } = deps;
  return async ({ organizationId, id }) => {
    const account = await awsAccounts.find(db, organizationId, id);
    if (account === null) return "done";
    const reports = await connectionReports.list(db, account);
    const step = decideAwsAccount(account, reports, clock.now());
    switch (step.kind) {
      case "rest":
        return "done";
      case "wait":
        return { runAfterMs: step.runAfterMs };
      case "verifyReport":
        await checkReport(deps, account, step.report);
        return CHECK_AGAIN;
      case "verify":
        await check(deps, account, step.roles);
        return CHECK_AGAIN;
    }
  };
}

/** Binds the connection to the account of a report that holds. @throws CloudError `retryable` */
async function checkReport(
  { db, cloud, clock }: Deps,
  account: AwsAccount,
  report: ConnectionReport,
): Promise<void> {
  const at = clock.now();
  const { verified, error } = await verify(cloud, account, [report]);
  await db.transaction(async (tx) => {
    announceChange(tx, account.id);
    if (verified === null) {
      const isLasting = at.getTime() - report.firstReportedAt.getTime() >= REFUSED_AFTER_MS;
      const refusedAt = report.refusedAt ?? (isLasting ? at : null);
      await connectionReports.recordChecked(tx, account, report, { at, error, refusedAt });
      if (error !== null) await awsAccounts.recordUnbound(tx, account, { at, error });
      if (refusedAt !== null && report.refusedAt === null)
        auditRefusedReport(tx, account, report, error?.message ?? "", null);
      return;
    }
    if (!(await awsAccounts.bind(tx, account, verified, { at, error }))) return;
    await connectionReports.recordChecked(tx, account, report, { at, error, refusedAt: null });
    auditConnectionChange(tx, account, { status: "CONNECTED", verified, error });
    const bound = { ...account, connectedAwsAccountId: verified.accountId };
    // Read under the lock that binding took: what comes later is refused when it comes.
    for (const other of await connectionReports.list(tx, account)) {
      const why = whyRefused(bound, other.accountId);
      if (why === null || other.refusedAt !== null) continue;
      const asCheckError = { code: "REPORT_REFUSED", message: why };
      await connectionReports.recordChecked(tx, account, other, { at, error: asCheckError, refusedAt: at });
      auditRefusedReport(tx, account, other, why, null);
    }
  });
}

/** @throws CloudError `retryable` */
async function check(
  { db, cloud, clock, onReconnected }: Deps,
  account: AwsAccount,
  roles: readonly ReportedIdentity[],
): Promise<void> {
  // The time when the check began: a request or a report that comes during the check gets its own check.
  const at = clock.now();
  const { verified, error } = await verify(cloud, account, roles);
  const status = verified === null ? "DISCONNECTED" : "CONNECTED";
  await db.transaction(async (tx) => {
    // Another worker may have checked it meanwhile. Under the lock, each change is emitted once.
    await awsAccounts.lock(tx, account.organizationId, account.id);
    const before = await awsAccounts.find(tx, account.organizationId, account.id);
    if ((await awsAccounts.recordCheck(tx, account, { status, verified, error, at })) && before !== null)
      auditConnectionChange(tx, before, { status, verified, error });
    announceChange(tx, account.id);
    if (wasHeldUp(account) && verified !== null && error === null) await onReconnected(tx, account);
  });
}

/**
 * Finds the first role that works, and the permissions that it lacks; or the error of the last role.
 * @throws CloudError `retryable`: nothing was learned, and the worker retries
 */
async function verify(
  cloud: Cloud,
  { id }: AwsAccount,
  roles: readonly ReportedIdentity[],
): Promise<{ readonly verified: CloudAccount | null; readonly error: CheckError | null }> {
  let error: CheckError | null = null;
  for (const role of roles) {
    try {
      const verified = await cloud.identity.verify(id, role);
      return { verified, error: await findLack(cloud, verified) };
    } catch (refusal) {
      if (!(refusal instanceof CloudError) || refusal.kind === "retryable") throw refusal;
      error = { code: refusal.code, message: refusal.message };
    }
  }
  return { verified: null, error };
}

/** A role that works is not given up because the question what it lacks was refused. @throws CloudError `retryable` */
async function findLack(cloud: Cloud, verified: CloudAccount): Promise<CheckError | null> {
  try {
    const missing = await cloud.identity.missingPermissions(verified);
    return missing.length === 0 ? null : permissionsMissing(missing);
  } catch (error) {
    if (!(error instanceof CloudError) || error.kind === "retryable") throw error;
    return { code: error.code, message: error.message };
  }
}

function wasHeldUp({ status, lastCheckError }: AwsAccount): boolean {
  return status === "DISCONNECTED" || (status === "CONNECTED" && lastCheckError !== null);
}

const NAMED_MAX = 10;

/** The connection stays CONNECTED: work that needs none of these permissions continues, and other work fails. */
function permissionsMissing(missing: readonly string[]): CheckError {
  const others = missing.length > NAMED_MAX ? ` and ${missing.length - NAMED_MAX} more` : "";
  const message = `The role lacks permissions, and work that needs them fails: ${missing.slice(0, NAMED_MAX).join(", ")}${others}. Update the connection's stack with the current template, and remove policies that deny them.`;
  return { code: "PERMISSIONS_MISSING", message };
}
