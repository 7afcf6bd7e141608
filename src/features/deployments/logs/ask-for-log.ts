/** The platform's side of reading logs. */
import { type CloudAccount, CloudError } from "../../../cloud/cloud.ts";
import type { LogPage } from "../../../cloud/platform.ts";
import type { Sql } from "../../../db/database.ts";
import { AppError, COMMON_ERRORS } from "../../../lib/errors.ts";
import { getConnectedAccount } from "../../cloud-accounts/commands.ts";
import { CLOUD_ACCOUNT_ERRORS } from "../../cloud-accounts/errors.ts";

const RETRY_SECONDS = 5;

/** @param purpose the id of the resource whose log is read @throws AppError `AWS_ACCOUNT_NOT_CONNECTED` */
export async function getAccountOfLogs(
  sql: Sql,
  organizationId: string,
  awsAccountId: string,
  purpose: string,
): Promise<CloudAccount> {
  const account = await getConnectedAccount(sql, organizationId, awsAccountId, purpose);
  if (account !== null) return account;
  throw new AppError(
    CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_NOT_CONNECTED,
    `The cloud account ${awsAccountId}, which stores the logs, is not connected.`,
  );
}

/** Null if the platform has no such build or release: it was not started, or the service is removed. */
export async function askForLog(answer: Promise<LogPage>): Promise<LogPage | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    if (error.kind === "gone") return null;
    throw new AppError(COMMON_ERRORS.CLOUD_UNAVAILABLE, `The cloud did not give the logs: ${error.message}`, {
      cause: error,
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
}
