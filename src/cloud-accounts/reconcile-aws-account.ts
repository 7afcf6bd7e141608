import type { Clock } from "../clock.ts";
import { type Cloud, type CloudAccount, CloudError } from "../cloud/cloud.ts";
import { announceChange } from "../db/changes.ts";
import type { Database, Transaction } from "../db/database.ts";
import type { Reconcile } from "../jobs/jobs.ts";
import type { AwsAccount, CheckError } from "./aws-account.ts";
import { decideAwsAccount } from "./decide-aws-account.ts";
import { awsAccounts } from "./store.ts";

/** Verifies what a stack reported, at once and then daily. */
export function reconcileAwsAccount(deps: {
  db: Database;
  cloud: Cloud;
  clock: Clock;
  /** Called in the transaction that finds an account working again, or all its permissions back: work that it held up goes on. */
  onReconnected: (tx: Transaction, account: AwsAccount) => Promise<void>;
}): Reconcile {
  const { db, cloud, clock } = deps;
  return async ({ organizationId, id }) => {
    const account = await awsAccounts.find(db, organizationId, id);
    if (account === null) return "done";
    const step = decideAwsAccount(account, clock.now());
    switch (step.kind) {
      case "rest":
        return "done";
      case "wait":
        return { runAfterMs: step.runAfterMs };
      case "verify": {
        // When it began: what is asked for or reported meanwhile is a check of its own.
        const at = clock.now();
        const check = await verify(cloud, account);
        await db.transaction(async (tx) => {
          await awsAccounts.recordCheck(tx, account, { ...check, at });
          announceChange(tx, id);
          if (wasHeldUp(account) && check.status === "CONNECTED" && check.error === null)
            await deps.onReconnected(tx, account);
        });
        // The next look reads what was just written and says when the next check is due.
        return { runAfterMs: 1_000 };
      }
    }
  };
}

/** @throws CloudError `retryable`: nothing was learned, the worker tries again */
async function verify(
  cloud: Cloud,
  account: AwsAccount,
): Promise<Pick<Parameters<typeof awsAccounts.recordCheck>[2], "status" | "verified" | "error">> {
  try {
    const verified = await verifyOneOf(cloud, account);
    return { status: "CONNECTED", verified, error: await findLack(cloud, verified) };
  } catch (error) {
    if (!(error instanceof CloudError) || error.kind === "retryable") throw error;
    const status = account.status === "AWAITING_CONNECTION" ? "AWAITING_CONNECTION" : "DISCONNECTED";
    return { status, verified: null, error: { code: error.code, message: error.message } };
  }
}

/**
 * The role that worked, and only when that does not, the one that was reported since: a stack that was deleted
 * and created again has a new one. @throws CloudError
 */
async function verifyOneOf(cloud: Cloud, account: AwsAccount): Promise<CloudAccount> {
  const { id, connectedAwsAccountId, roleArn, reportedAccountId, reportedRoleArn } = account;
  const reported = { accountId: reportedAccountId ?? "", roleArn: reportedRoleArn ?? "" };
  if (connectedAwsAccountId === null || roleArn === null || roleArn === reported.roleArn)
    return await cloud.identity.verify(id, reported);
  try {
    return await cloud.identity.verify(id, { accountId: connectedAwsAccountId, roleArn });
  } catch (error) {
    if (!(error instanceof CloudError) || error.kind === "retryable") throw error;
    return await cloud.identity.verify(id, reported);
  }
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

/** The connection goes on: what needs none of these works, and the rest fails by itself. */
function permissionsMissing(missing: readonly string[]): CheckError {
  const others = missing.length > NAMED_MAX ? ` and ${missing.length - NAMED_MAX} more` : "";
  const message = `The role lacks permissions that Slipway uses, and work that needs them fails: ${missing.slice(0, NAMED_MAX).join(", ")}${others}. Update the connection's stack with the current template, and remove what denies them.`;
  return { code: "PERMISSIONS_MISSING", message };
}
