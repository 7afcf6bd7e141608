import type { Actor } from "../../lib/actor.ts";
import type { Platform } from "../../cloud/platform.ts";
import { isForeignKeyViolation, type Sql, type Transaction } from "../../db/database.ts";
import { forgetSnapshotsOfAccount } from "../data-stores/snapshot-commands.ts";
import { forgetReleasedDistributions } from "../distributions/commands.ts";
import { AppError } from "../../lib/errors.ts";
import { ACCOUNT_REMOVAL_ERRORS } from "./errors.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { type AwsAccount, requireLost } from "../cloud-accounts/aws-account.ts";
import { deleteAwsAccountRow, lockAwsAccount, resetAwsAccount } from "../cloud-accounts/commands.ts";
import { getAwsAccount, listProjectsOfAccount } from "../cloud-accounts/queries.ts";
import {
  type Abandoned,
  isNothing,
  type LeftInAccount,
  wouldStay,
} from "../cloud-accounts/left-in-account.ts";
import { listLeftBeyondGroups } from "./queries.ts";

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
  await forgetSnapshotsOfAccount(tx, account.organizationId, account.id);
  await deleteAwsAccountRow(tx, actor, account, false).catch(refuseReferenced);
  recordAudit(tx, actor, "aws-account.deleted", account.id);
}

/**
 * Checks that nothing of ours is, or may be, in the account. @throws AppError `AWS_ACCOUNT_IN_USE`,
 * `RESOURCES_WOULD_STAY`
 */
async function requireUnused(sql: Sql, platform: Platform | null, account: AwsAccount): Promise<void> {
  await requireNoProjects(sql, account);
  const left = await listLeftInAccount(sql, platform, account);
  if (!isNothing(left))
    throw account.status === "CONNECTED"
      ? stillRemoving()
      : wouldStay(account, left, "deleted projects left");
}

/**
 * Deletes a connection at once; what deleted projects left in its account stays there. Refused while the account works,
 * because then everything can be removed. @throws AppError `NOT_FOUND`, `AWS_ACCOUNT_WORKS`, `AWS_ACCOUNT_IN_USE`
 */
export async function abandonAwsAccount(
  tx: Transaction,
  platform: Platform | null,
  actor: Actor,
  idOrGivenId: string,
): Promise<Abandoned> {
  const account = await getAwsAccount(tx, actor.organizationId, idOrGivenId);
  requireLost(account, "connection");
  await requireNoProjects(tx, account);
  const left = await listLeftInAccount(tx, platform, account);
  await forgetReleasedDistributions(tx, account.organizationId, account.id);
  await forgetSnapshotsOfAccount(tx, account.organizationId, account.id);
  await deleteAwsAccountRow(tx, actor, account, true).catch(refuseReferenced);
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
  const [project, ...others] = await listProjectsOfAccount(sql, account.organizationId, account.id);
  if (project === undefined) return;
  const isGoing = [project, ...others].every(({ isDeleting }) => isDeleting);
  const named = [project, ...others].map(({ name, id: projectId }) => `${name} (${projectId})`).join(", ");
  throw new AppError(
    ACCOUNT_REMOVAL_ERRORS.AWS_ACCOUNT_IN_USE,
    isGoing
      ? `Projects are still being deleted from this cloud account: ${named}. Try again when they are deleted, or abandon them.`
      : `Projects are deployed to this cloud account: ${named}. Delete them first.`,
    isGoing ? { retryAfterSeconds: IN_USE_RETRY_SECONDS } : {},
  );
}

/** A project was created since the check, or a distribution whose creation has not begun. */
function refuseReferenced(error: unknown): never {
  throw isForeignKeyViolation(error) ? stillRemoving(error) : error;
}

/** The refusal while a resource is being removed from the account. */
function stillRemoving(cause?: unknown): AppError {
  return new AppError(
    ACCOUNT_REMOVAL_ERRORS.AWS_ACCOUNT_IN_USE,
    "Resources of deleted projects in this cloud account are still being removed. Try again when they are removed.",
    { cause, retryAfterSeconds: IN_USE_RETRY_SECONDS },
  );
}

/**
 * Detaches an unused connection from its account, so that another account can be connected. The connection gets a new
 * id: the old id is the external id of a role that may still exist, and the client that bound the wrong account knows
 * it.
 * @throws AppError `NOT_FOUND`, `AWS_ACCOUNT_IN_USE`, `RESOURCES_WOULD_STAY`
 */
export async function unbindAwsAccount(
  tx: Transaction,
  platform: Platform | null,
  actor: Actor,
  idOrGivenId: string,
): Promise<AwsAccount> {
  await lockAwsAccount(tx, actor.organizationId, idOrGivenId);
  const account = await getAwsAccount(tx, actor.organizationId, idOrGivenId);
  await requireUnused(tx, platform, account);
  await forgetSnapshotsOfAccount(tx, account.organizationId, account.id);
  const unbound = await resetAwsAccount(tx, actor, account).catch(refuseReferenced);
  const { id } = unbound;
  const { connectedAwsAccountId, roleArn } = account;
  const details = { before: { id: account.id, connectedAwsAccountId, roleArn }, after: { id } };
  // The audit trail shows it under both ids.
  for (const one of [account.id, id]) recordAudit(tx, actor, "aws-account.unbound", one, details);
  return unbound;
}
