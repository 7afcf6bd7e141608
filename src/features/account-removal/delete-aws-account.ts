import type { Actor } from "../../lib/actor.ts";
import type { Platform } from "../../cloud/platform.ts";
import { isForeignKeyViolation, type Sql, type Transaction } from "../../db/database.ts";
import { forgetReleasedDistributions } from "../distributions/commands.ts";
import { AppError } from "../../lib/errors.ts";
import { ACCOUNT_REMOVAL_ERRORS } from "./errors.ts";
import { CLOUD_ACCOUNT_ERRORS } from "../cloud-accounts/errors.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { AwsAccount } from "../cloud-accounts/aws-account.ts";
import {
  deleteAwsAccountRow,
  getAwsAccount,
  listProjectsOfAccount,
  works,
} from "../cloud-accounts/commands.ts";
import { inWords, isNothing, type LeftInAccount } from "../cloud-accounts/left-in-account.ts";
import { listLeftBeyondGroups } from "./list-left.ts";

/** How soon a client may check again whether a resource was removed. */
const IN_USE_RETRY_SECONDS = 10;

/** @throws AppError `NOT_FOUND`, `AWS_ACCOUNT_IN_USE`, `RESOURCES_WOULD_STAY` */
export async function deleteAwsAccount(
  tx: Transaction,
  platform: Platform | null,
  actor: Actor,
  idOrGivenId: string,
): Promise<void> {
  const account = await getAwsAccount(tx, actor.organizationId, idOrGivenId);
  await requireUnused(tx, platform, account);
  await deleteRow(tx, actor, account, false);
  recordAudit(tx, actor, "aws-account.deleted", account.id);
}

/**
 * Checks that nothing of ours is, or may be, in the account. @throws AppError `AWS_ACCOUNT_IN_USE`,
 * `RESOURCES_WOULD_STAY`
 */
export async function requireUnused(sql: Sql, platform: Platform | null, account: AwsAccount): Promise<void> {
  await requireNoProjects(sql, account);
  const left = await listLeftInAccount(sql, platform, account);
  if (!isNothing(left)) throw account.status === "CONNECTED" ? stillRemoving() : wouldStay(account, left);
}

export type AbandonedAwsAccount = { readonly id: string; readonly left: LeftInAccount };

/**
 * Deletes a connection at once; what deleted projects left in its account stays there. Refused while the account works,
 * because then everything can be removed. @throws AppError `NOT_FOUND`, `AWS_ACCOUNT_WORKS`, `AWS_ACCOUNT_IN_USE`
 */
export async function abandonAwsAccount(
  tx: Transaction,
  platform: Platform | null,
  actor: Actor,
  idOrGivenId: string,
): Promise<AbandonedAwsAccount> {
  const account = await getAwsAccount(tx, actor.organizationId, idOrGivenId);
  if (works(account)) {
    throw new AppError(
      CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_WORKS,
      `The cloud account ${account.givenId} works. Delete the connection; Slipway removes what it created there.`,
    );
  }
  await requireNoProjects(tx, account);
  const left = await listLeftInAccount(tx, platform, account);
  await forgetReleasedDistributions(tx, account.organizationId, account.id);
  await deleteRow(tx, actor, account, true);
  recordAudit(tx, actor, "aws-account.abandoned", account.id);
  return { id: account.id, left };
}

/** What deleted projects left in the account (possible in releases before 0.2), and what is being removed now. */
async function listLeftInAccount(
  sql: Sql,
  platform: Platform | null,
  { organizationId, id, connectedAwsAccountId }: AwsAccount,
): Promise<LeftInAccount> {
  return {
    connectedAwsAccountId,
    certificateIds: [],
    domains: [],
    ...(await listLeftBeyondGroups(sql, platform, organizationId, { awsAccountId: id })),
  };
}

/** @throws AppError `AWS_ACCOUNT_IN_USE` */
async function requireNoProjects(sql: Sql, account: AwsAccount): Promise<void> {
  const [project, ...others] = await listProjectsOfAccount(sql, account);
  if (project === undefined) return;
  const isGoing = [project, ...others].every(({ isDeleting }) => isDeleting);
  const named = [project, ...others].map(({ name, id: projectId }) => `${name} (${projectId})`).join(", ");
  throw new AppError(
    ACCOUNT_REMOVAL_ERRORS.AWS_ACCOUNT_IN_USE,
    isGoing
      ? `Projects are still being deleted from this cloud account: ${named}. Try again when they are gone, or abandon them.`
      : `Projects are deployed to this cloud account: ${named}. Delete them first.`,
    isGoing ? { retryAfterSeconds: IN_USE_RETRY_SECONDS } : {},
  );
}

/** @throws AppError `NOT_FOUND`, `AWS_ACCOUNT_IN_USE` */
async function deleteRow(
  tx: Transaction,
  actor: Actor,
  account: AwsAccount,
  isAbandoned: boolean,
): Promise<void> {
  try {
    await deleteAwsAccountRow(tx, actor, account, isAbandoned);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    // A project was created since the check above, or a distribution whose creation has not begun.
    throw stillRemoving(error);
  }
}

/** The refusal while a resource is being removed from the account. */
export function stillRemoving(cause?: unknown): AppError {
  return new AppError(
    ACCOUNT_REMOVAL_ERRORS.AWS_ACCOUNT_IN_USE,
    "What deleted projects had in this cloud account is still being removed. Try again when it is gone.",
    { cause, retryAfterSeconds: IN_USE_RETRY_SECONDS },
  );
}

function wouldStay({ givenId, status }: AwsAccount, left: LeftInAccount): AppError {
  return new AppError(
    CLOUD_ACCOUNT_ERRORS.RESOURCES_WOULD_STAY,
    `The cloud account ${givenId} is ${status}, so what deleted projects left there cannot be removed: ${inWords(left)}. Fix the account's stack and delete again, or give these resources up with POST …/abandon, which returns the list.`,
    { extensions: { leftInAccount: left } },
  );
}
