import type { Actor } from "../../lib/actor.ts";
import type { CloudError, ReportedIdentity } from "../../cloud/cloud.ts";
import { type Database, isUniqueViolation, type Transaction } from "../../db/database.ts";
import { changedFields } from "../../lib/changed-fields.ts";
import { AppError, notFound, orNotFound } from "../../lib/errors.ts";
import { CLOUD_ACCOUNT_ERRORS } from "./errors.ts";
import { announceChange } from "../../db/changes.ts";
import { newConnectionId } from "../../lib/ids.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { emit } from "../events/emit.ts";
import { changeOf, recordAudit } from "../audit/record-audit.ts";
import { type AwsAccount, whyRefused } from "./aws-account.ts";
import { accountData, AWS_ACCOUNT_EVENTS } from "./events.ts";
import { connectionReports } from "./report-store.ts";
import { awsAccounts } from "./store.ts";
import { getAwsAccount } from "./queries.ts";
import { auditRefusedReport } from "./audit-connection.ts";

/** @throws AppError `GIVEN_ID_TAKEN` */
export async function createAwsAccount(
  tx: Transaction,
  actor: Actor,
  fields: { givenId: string; name?: string; expectedAwsAccountId?: string | null },
): Promise<AwsAccount> {
  const id = newConnectionId();
  const account = await refuseTakenGivenId(
    fields.givenId,
    awsAccounts.insert(tx, {
      organizationId: actor.organizationId,
      id,
      givenId: fields.givenId,
      name: fields.name ?? fields.givenId,
      expectedAwsAccountId: fields.expectedAwsAccountId ?? null,
    }),
  );
  const { givenId, expectedAwsAccountId = null } = fields;
  const expected = expectedAwsAccountId === null ? {} : { expectedAwsAccountId };
  recordAudit(tx, actor, "aws-account.created", id, { after: { givenId, ...expected } });
  emitCreated(tx, actor, account, null);
  return account;
}

/** @param replaces the id that the same connection had before */
function emitCreated(tx: Transaction, actor: Actor, account: AwsAccount, replaces: string | null): void {
  emit(tx, actor, {
    type: AWS_ACCOUNT_EVENTS["aws_account.created"],
    subjectId: account.id,
    data: { ...accountData(account), replaces },
  });
}

/** @throws AppError `NOT_FOUND`, `GIVEN_ID_TAKEN`, `AWS_ACCOUNT_BOUND` */
export async function updateAwsAccount(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  idOrGivenId: string,
  changes: { givenId?: string; name?: string; expectedAwsAccountId?: string | null },
): Promise<AwsAccount> {
  const account = await getAwsAccount(tx, actor.organizationId, idOrGivenId);
  const { organizationId, id, connectedAwsAccountId } = account;
  const expected = changes.expectedAwsAccountId;
  if (expected !== undefined && expected !== account.expectedAwsAccountId && connectedAwsAccountId !== null) {
    throw new AppError(
      CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_BOUND,
      `The connection belongs to the account ${connectedAwsAccountId}, so another expected account would have no effect. Unbind the connection from its account first, or create another connection.`,
    );
  }
  const before = fieldsOf(account);
  const after = fieldsOf({ ...account, ...changes });
  const updated = await refuseTakenGivenId(after.givenId, awsAccounts.update(tx, account, after));
  // Earlier reports of the account that is expected now were refused.
  if (expected !== undefined) await jobs.enqueue(tx, "aws-account", { organizationId, id });
  announceChange(tx, id);
  recordAudit(tx, actor, "aws-account.updated", id, changeOf(before, after));
  if (changedFields(before, after).length > 0) {
    const data = accountData(updated);
    emit(tx, actor, { type: AWS_ACCOUNT_EVENTS["aws_account.updated"], subjectId: id, data });
  }
  return updated;
}

function fieldsOf({ givenId, name, expectedAwsAccountId }: AwsAccount) {
  return { givenId, name, expectedAwsAccountId };
}

/** Verifies the role now instead of at the daily check. @throws AppError `NOT_FOUND` */
export async function requestAwsAccountCheck(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  idOrGivenId: string,
): Promise<AwsAccount> {
  const { organizationId } = actor;
  const { id } = await getAwsAccount(tx, organizationId, idOrGivenId);
  const account = orNotFound(await awsAccounts.requestCheck(tx, organizationId, id));
  await jobs.enqueue(tx, "aws-account", { organizationId, id });
  recordAudit(tx, actor, "aws-account.check-requested", id);
  return account;
}

async function refuseTakenGivenId(givenId: string, writing: Promise<AwsAccount | null>): Promise<AwsAccount> {
  try {
    return orNotFound(await writing);
  } catch (error) {
    if (!isUniqueViolation(error, "aws_accounts_given_id_key")) throw error;
    throw new AppError(
      CLOUD_ACCOUNT_ERRORS.GIVEN_ID_TAKEN,
      `Another cloud account connection has the givenId "${givenId}". Choose another, or use that connection.`,
      { cause: error },
    );
  }
}

/**
 * Call it when a call was denied: the role is verified again, so that the connection's status shows it. However many
 * calls of however many processes are denied, one check runs at a time, and at most one a minute.
 */
export async function suspectAwsAccount(
  tx: Transaction,
  jobs: Jobs,
  organizationId: string,
  id: string,
): Promise<void> {
  if (await awsAccounts.suspect(tx, organizationId, id))
    await jobs.enqueue(tx, "aws-account", { organizationId, id });
}

/** Where a call of no transaction's was denied: `suspectAwsAccount` in one of its own. Other errors change nothing. */
export async function reportDenial(
  { db, jobs }: { readonly db: Database; readonly jobs: Jobs },
  error: CloudError,
  organizationId: string,
  id: string,
): Promise<void> {
  if (error.kind === "denied") await db.transaction((tx) => suspectAwsAccount(tx, jobs, organizationId, id));
}

/** Makes all other changes of a connection wait until the transaction ends. */
export const lockAwsAccount = awsAccounts.lock;

/** @throws AppError `NOT_FOUND`; DatabaseError for a foreign key, while a row refers to it */
export async function deleteAwsAccountRow(
  tx: Transaction,
  actor: Actor,
  account: AwsAccount,
  isAbandoned: boolean,
): Promise<void> {
  const { organizationId, id } = account;
  if (!(await awsAccounts.delete(tx, organizationId, id))) throw notFound();
  announceChange(tx, id);
  emit(tx, actor, {
    type: AWS_ACCOUNT_EVENTS["aws_account.deleted"],
    subjectId: id,
    data: { ...accountData(account), isAbandoned },
  });
}

/**
 * Makes the connection wait for a stack again, without its reports and under a new id.
 * @throws AppError `NOT_FOUND`; DatabaseError for a foreign key, while a row refers to it
 */
export async function resetAwsAccount(
  tx: Transaction,
  actor: Actor,
  account: AwsAccount,
): Promise<AwsAccount> {
  await connectionReports.deleteAll(tx, account);
  const waiting = orNotFound(await awsAccounts.unbind(tx, account, newConnectionId()));
  announceChange(tx, account.id);
  const { id: subjectId, status: previousStatus, connectedAwsAccountId } = account;
  if (previousStatus !== "AWAITING_CONNECTION") {
    const data = {
      ...accountData(waiting),
      connectedAwsAccountId,
      previousStatus,
      reason: "UNBOUND",
    } as const;
    emit(tx, actor, { type: AWS_ACCOUNT_EVENTS["aws_account.disconnected"], subjectId, data });
  }
  emitCreated(tx, actor, waiting, account.id);
  return waiting;
}

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
