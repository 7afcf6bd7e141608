import { announceChange } from "../../db/changes.ts";
import type { Actor } from "../../lib/actor.ts";
import { requireLost } from "../cloud-accounts/aws-account.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import type { LeftInAccount } from "../cloud-accounts/left-in-account.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import { findDistribution, forgetDistribution } from "../distributions/commands.ts";
import { orNotFound } from "../../lib/errors.ts";
import { emit } from "../events/emit.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Certificate, Domain, Group } from "./custom-domain.ts";
import { certificates } from "./reconcile/certificate-store.ts";
import { deletedEvent, groupEvent } from "./domain-events.ts";
import { domains, groups, provenNames } from "./store.ts";

/** Deletes the row of a domain of which nothing is left, or that is given up. */
export async function removeDomain(
  tx: Transaction,
  actor: Actor,
  { serviceId }: Group,
  domain: Domain,
): Promise<void> {
  provenNames.forget(tx, domain);
  if (await domains.delete(tx, domain)) emit(tx, actor, [deletedEvent(serviceId, domain)]);
  announceChange(tx, domain.id);
}

/** Deletes the row of a group. */
export async function removeGroup(
  tx: Transaction,
  actor: Actor,
  group: Group,
  type: "domain_group.deleted" | "domain_group.abandoned",
): Promise<void> {
  if (await groups.delete(tx, group)) emit(tx, actor, [groupEvent(type, group, group.status)]);
  announceChange(tx, group.id);
}

export type AbandonedGroup = {
  readonly group: Group;
  /** Includes the group's own distribution. Slipway keeps the service's default one. */
  readonly left: LeftInAccount;
};

/**
 * Deletes a group at once, without its cloud. Refused while the account works, because a normal deletion
 * leaves nothing behind. @throws AppError `NOT_FOUND`, `AWS_ACCOUNT_WORKS`
 */
export async function abandonGroup(tx: Transaction, actor: Actor, groupId: string): Promise<AbandonedGroup> {
  const { organizationId } = actor;
  const group = orNotFound(await groups.lock(tx, organizationId, groupId));
  const distribution = await findDistribution(tx, organizationId, group.distributionId);
  const account =
    distribution === null ? null : await getAwsAccount(tx, organizationId, distribution.awsAccountId);
  if (account !== null) requireLost(account, "group");
  const made = await certificates.list(tx, organizationId, groupId);
  const members = await domains.listAll(tx, organizationId, groupId);
  for (const domain of members) await removeDomain(tx, actor, group, domain);
  for (const certificate of made) await certificates.delete(tx, certificate);
  await removeGroup(tx, actor, group, "domain_group.abandoned");
  const hasOwn = distribution !== null && !group.isDefaultCdn;
  if (hasOwn) await forgetDistribution(tx, organizationId, distribution.id);
  recordAudit(tx, actor, "domain-certificate-group.abandoned", groupId);
  return {
    group,
    left: {
      connectedAwsAccountId: account?.connectedAwsAccountId ?? null,
      certificateIds: made.flatMap(idOf),
      distributionIds: hasOwn && distribution.providerId !== null ? [distribution.providerId] : [],
      domains: members.map(({ name }) => name),
      parameters: [],
      secrets: [],
      stacks: [],
    },
  };
}

/** What the groups of a project have in its account, except distributions. */
export async function listLeftOfGroups(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<Pick<LeftInAccount, "certificateIds" | "domains">> {
  const left: { certificateIds: string[]; domains: string[] } = { certificateIds: [], domains: [] };
  for (const { id } of await groups.listOfProject(sql, organizationId, projectId)) {
    left.certificateIds.push(...(await certificates.list(sql, organizationId, id)).flatMap(idOf));
    left.domains.push(...(await domains.listAll(sql, organizationId, id)).map(({ name }) => name));
  }
  return left;
}

/** Abandons all groups of a project. @throws AppError `AWS_ACCOUNT_WORKS` */
export async function abandonGroupsOfProject(
  tx: Transaction,
  actor: Actor,
  projectId: string,
): Promise<void> {
  for (const { id } of await groups.listOfProject(tx, actor.organizationId, projectId))
    await abandonGroup(tx, actor, id);
}

function idOf({ providerId }: Certificate): readonly string[] {
  return providerId === null ? [] : [providerId];
}
