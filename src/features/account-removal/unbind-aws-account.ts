import type { Actor } from "../../lib/actor.ts";
import type { Platform } from "../../cloud/platform.ts";
import { isForeignKeyViolation, type Transaction } from "../../db/database.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { AwsAccount } from "../cloud-accounts/aws-account.ts";
import { getAwsAccount, lockAwsAccount, resetAwsAccount } from "../cloud-accounts/commands.ts";
import { requireUnused, stillRemoving } from "./delete-aws-account.ts";

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
  const unbound = await resetAwsAccount(tx, actor, account).catch((error: unknown) => {
    throw isForeignKeyViolation(error) ? stillRemoving(error) : error;
  });
  const { id } = unbound;
  const { connectedAwsAccountId, roleArn } = account;
  const details = { before: { id: account.id, connectedAwsAccountId, roleArn }, after: { id } };
  // The audit trail shows it under both ids.
  for (const one of [account.id, id]) recordAudit(tx, actor, "aws-account.unbound", one, details);
  return unbound;
}
