import type { Actor } from "../actor.ts";
import type { CloudAccount, ReportedIdentity } from "../cloud/cloud.ts";
import { isForeignKeyViolation, isUniqueViolation, type Sql, type Transaction } from "../db/database.ts";
import { AppError, notFound } from "../errors.ts";
import { announceChange } from "../db/changes.ts";
import { forgetReleasedDistributions } from "../distributions/commands.ts";
import { newConnectionId } from "../ids.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { recordAudit } from "../organizations/audit.ts";
import type { AwsAccount } from "./aws-account.ts";
import { awsAccounts } from "./store.ts";

/** @throws AppError `GIVEN_ID_TAKEN` */
export async function createAwsAccount(
  tx: Transaction,
  actor: Actor,
  fields: { givenId: string; name?: string },
): Promise<AwsAccount> {
  const id = newConnectionId();
  const account = await refuseTakenGivenId(
    fields.givenId,
    awsAccounts.insert(tx, {
      organizationId: actor.organizationId,
      id,
      givenId: fields.givenId,
      name: fields.name ?? fields.givenId,
    }),
  );
  recordAudit(tx, actor, "aws-account.created", id);
  return account;
}

/** By id or givenId. @param field of the body that names it, if one does @throws AppError `NOT_FOUND` */
export async function getAwsAccount(
  sql: Sql,
  organizationId: string,
  idOrGivenId: string,
  field?: string,
): Promise<AwsAccount> {
  const account = await awsAccounts.find(sql, organizationId, idOrGivenId);
  if (account === null) throw notFound(field);
  return account;
}

/** @throws AppError `NOT_FOUND`, `GIVEN_ID_TAKEN` */
export async function updateAwsAccount(
  tx: Transaction,
  actor: Actor,
  idOrGivenId: string,
  changes: { givenId?: string; name?: string },
): Promise<AwsAccount> {
  const account = await getAwsAccount(tx, actor.organizationId, idOrGivenId);
  const givenId = changes.givenId ?? account.givenId;
  const name = changes.name ?? account.name;
  const updated = await refuseTakenGivenId(
    givenId,
    awsAccounts.updateNames(tx, actor.organizationId, account.id, { givenId, name }),
  );
  announceChange(tx, account.id);
  recordAudit(tx, actor, "aws-account.updated", account.id);
  return updated;
}

/** Has the role verified now instead of at the daily check. @throws AppError `NOT_FOUND` */
export async function requestAwsAccountCheck(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  idOrGivenId: string,
): Promise<AwsAccount> {
  const { organizationId } = actor;
  const { id } = await getAwsAccount(tx, organizationId, idOrGivenId);
  const account = await awsAccounts.requestCheck(tx, organizationId, id);
  if (account === null) throw notFound();
  await jobs.poke(tx, "aws-account", { organizationId, id });
  recordAudit(tx, actor, "aws-account.check-requested", id);
  return account;
}

/**
 * What deleted projects left there is removed first, as long as the account works; one that does not keeps it.
 * @throws AppError `NOT_FOUND`, `AWS_ACCOUNT_IN_USE`
 */
export async function deleteAwsAccount(tx: Transaction, actor: Actor, idOrGivenId: string): Promise<void> {
  const account = await getAwsAccount(tx, actor.organizationId, idOrGivenId);
  if (!works(account)) await forgetReleasedDistributions(tx, actor.organizationId, account.id);
  try {
    await awsAccounts.delete(tx, actor.organizationId, account.id);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    const message = isForeignKeyViolation(error, "projects_aws_account_fk")
      ? "Projects are deployed to this cloud account. Delete them first."
      : "Distributions of deleted projects are still being removed from this cloud account. Try again when they are gone.";
    throw new AppError("AWS_ACCOUNT_IN_USE", message, { cause: error });
  }
  announceChange(tx, account.id);
  recordAudit(tx, actor, "aws-account.deleted", account.id);
}

/**
 * Takes what a customer's stack says of itself. Anyone may call this, so it is only noted, never
 * believed, and a role that works is not given up for it; verifying is the reconciler's.
 */
export async function noteReportedIdentity(
  tx: Transaction,
  jobs: Jobs,
  connectionId: string,
  reported: ReportedIdentity,
): Promise<void> {
  const noted = await awsAccounts.recordReport(tx, connectionId, reported);
  if (noted !== null)
    await jobs.poke(tx, "aws-account", { organizationId: noted.organizationId, id: connectionId });
}

async function refuseTakenGivenId(givenId: string, writing: Promise<AwsAccount | null>): Promise<AwsAccount> {
  try {
    const account = await writing;
    if (account === null) throw notFound();
    return account;
  } catch (error) {
    if (!isUniqueViolation(error, "aws_accounts_given_id_key")) throw error;
    throw new AppError(
      "GIVEN_ID_TAKEN",
      `Another cloud account connection has the givenId "${givenId}". Choose another, or use that connection.`,
      { cause: error },
    );
  }
}

/** Whether all that was made in the account can be removed from it. */
export function works({ status, lastCheckError }: AwsAccount): boolean {
  return status === "CONNECTED" && lastCheckError === null;
}

/** The verified account behind a connection; null while it is not connected. */
export async function getConnectedAccount(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<CloudAccount | null> {
  const account = await awsAccounts.find(sql, organizationId, id);
  if (account?.status !== "CONNECTED") return null;
  const { connectedAwsAccountId: accountId, roleArn } = account;
  return accountId === null || roleArn === null ? null : { connectionId: account.id, accountId, roleArn };
}

/** A call was denied: have the role verified, so that the connection's status tells of it. */
export async function suspectAwsAccount(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  id: string,
): Promise<void> {
  await awsAccounts.requestCheck(tx, organizationId, id);
  await jobs.poke(tx, "aws-account", { organizationId, id });
}
