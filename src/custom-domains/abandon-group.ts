import type { Actor } from "../actor.ts";
import { getAwsAccount, works } from "../cloud-accounts/commands.ts";
import { announceChange } from "../db/changes.ts";
import type { Transaction } from "../db/database.ts";
import { findDistribution, forgetDistribution } from "../distributions/commands.ts";
import { AppError, notFound } from "../errors.ts";
import { recordAudit } from "../organizations/audit.ts";
import type { Certificate, Group } from "./custom-domain.ts";
import { certificates } from "./certificate-store.ts";
import { domains, groups } from "./store.ts";

/** What a group had in a cloud account that Slipway can no longer reach: its customer's to remove. */
export type AbandonedGroup = {
  readonly group: Group;
  /** The account's number at the provider. */
  readonly connectedAwsAccountId: string | null;
  readonly certificateIds: readonly string[];
  /** Only a distribution of the group's own; the service's default one stays Slipway's. */
  readonly distributionIds: readonly string[];
  readonly names: readonly string[];
};

/**
 * Deletes a group at once, without its cloud. While the account works there is no need to: a deletion then
 * leaves nothing behind. @throws AppError `NOT_FOUND`, `AWS_ACCOUNT_WORKS`
 */
export async function abandonGroup(tx: Transaction, actor: Actor, groupId: string): Promise<AbandonedGroup> {
  const { organizationId } = actor;
  const group = await groups.lock(tx, organizationId, groupId);
  if (group === null) throw notFound();
  const distribution = await findDistribution(tx, organizationId, group.distributionId);
  const account =
    distribution === null ? null : await getAwsAccount(tx, organizationId, distribution.awsAccountId);
  if (account !== null && works(account)) {
    throw new AppError(
      "AWS_ACCOUNT_WORKS",
      `The cloud account ${account.givenId} works. Delete the group, and Slipway removes what it made there.`,
    );
  }
  const made = await certificates.list(tx, organizationId, groupId);
  const members = await domains.listAll(tx, organizationId, groupId);
  for (const { id } of members) {
    await domains.delete(tx, organizationId, id);
    announceChange(tx, id);
  }
  for (const certificate of made) await certificates.delete(tx, certificate);
  await groups.delete(tx, organizationId, groupId);
  const hasOwn = distribution !== null && !group.isDefaultCdn;
  if (hasOwn) await forgetDistribution(tx, organizationId, distribution.id);
  announceChange(tx, groupId);
  recordAudit(tx, actor, "domain-certificate-group.abandoned", groupId);
  return {
    group,
    connectedAwsAccountId: account?.connectedAwsAccountId ?? null,
    certificateIds: made.flatMap(idOf),
    distributionIds: hasOwn && distribution.providerId !== null ? [distribution.providerId] : [],
    names: members.map(({ name }) => name),
  };
}

function idOf({ providerId }: Certificate): readonly string[] {
  return providerId === null ? [] : [providerId];
}
