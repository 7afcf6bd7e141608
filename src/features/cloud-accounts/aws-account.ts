import { AppError } from "../../lib/errors.ts";
import { CLOUD_ACCOUNT_ERRORS } from "./errors.ts";

/**
 * A cloud account connection.
 *
 *   AWAITING_CONNECTION  created, or unbound; the client has not created its stack, or no reported role works.
 *                        Ends when a reported role is verified; from then on, the connection is for its account.
 *   CONNECTED            the role was verified, and is checked again every day; `lastCheckError` names the
 *                        permissions that it lacks, if any; work that needs them fails
 *   DISCONNECTED         the role no longer works; CONNECTED again when a check finds that it does
 */
export const AWS_ACCOUNT_STATUSES = ["AWAITING_CONNECTION", "CONNECTED", "DISCONNECTED"] as const;
export type AwsAccountStatus = (typeof AWS_ACCOUNT_STATUSES)[number];

export type CheckError = { readonly code: string; readonly message: string };

export type AwsAccount = {
  readonly organizationId: string;
  /** Also the external id of the customer's role. */
  readonly id: string;
  readonly givenId: string;
  readonly name: string;
  readonly status: AwsAccountStatus;
  readonly reportedAccountId: string | null;
  readonly reportedRoleArn: string | null;
  readonly connectedAwsAccountId: string | null;
  readonly roleArn: string | null;
  readonly checkRequestedAt: Date | null;
  /** The only account that may connect, by its number at the provider; null: any account with a valid role. */
  readonly expectedAwsAccountId: string | null;
  /** The last account that was refused because the connection is another's, until an admin has seen it. */
  readonly refusedAwsAccountId: string | null;
  /** When the first call since the last check was denied. */
  readonly suspectedAt: Date | null;
  readonly lastCheckAt: Date | null;
  readonly lastCheckError: CheckError | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type AwsAccountKey = Pick<AwsAccount, "organizationId" | "id">;

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

/**
 * Refuses work for an account that is not connected, instead of accepting it and failing later. @throws AppError
 * `AWS_ACCOUNT_NOT_CONNECTED`
 */
export function requireConnected({ givenId, status }: AwsAccount): void {
  if (status === "CONNECTED") return;
  throw new AppError(
    CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_NOT_CONNECTED,
    status === "DISCONNECTED"
      ? `The cloud account ${givenId} is DISCONNECTED: its role no longer works. Read its lastCheckError, fix the stack, and try again once it is CONNECTED.`
      : `The cloud account ${givenId} is ${status}. An admin creates the stack at its cloudStack.consoleUrl; try again once it is CONNECTED.`,
  );
}

/** Refuses to abandon a resource while everything can be removed from its account. @throws AppError `AWS_ACCOUNT_WORKS` */
export function requireLost(account: AwsAccount, noun: "connection" | "project" | "group"): void {
  if (account.status !== "CONNECTED" || account.lastCheckError !== null) return;
  throw new AppError(
    CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_WORKS,
    `The cloud account ${account.givenId} works. Delete the ${noun}, and Slipway removes what it created there.`,
  );
}
