import type { Sql } from "../../db/database.ts";
import { findDistributions } from "../distributions/commands.ts";
import type { Domain, Group } from "./custom-domain.ts";
import { certificates } from "./reconcile/certificate-store.ts";
import type { CheckedThrough } from "./records/checked-through.ts";
import { dnsRecords } from "./records/dns-record-store.ts";
import { domains } from "./store.ts";
import { viewGroup } from "./group-views.ts";
import { viewDomain } from "./domain-views.ts";

/**
 * As the API shows groups of one organization: each with the certificate that serves or will serve, the newest that is
 * not given up.
 */
export async function showGroups(sql: Sql, organizationId: string, groups: readonly Group[]) {
  const ids = groups.map(({ id }) => id);
  const [made, found, failed] = await Promise.all([
    certificates.listOfGroups(sql, organizationId, ids),
    findDistributions(
      sql,
      organizationId,
      groups.map(({ distributionId }) => distributionId),
    ),
    domains.countInError(sql, organizationId, ids),
  ]);
  const certificateOf = new Map(made.flatMap((one) => (one.isAbandoned ? [] : [[one.groupId, one]])));
  const distributionOf = new Map(found.map((one) => [one.id, one]));
  const failedOf = new Map(failed.map(({ groupId, count }) => [groupId, count]));
  return groups.map((group) =>
    viewGroup(
      group,
      certificateOf.get(group.id) ?? null,
      distributionOf.get(group.distributionId) ?? null,
      failedOf.get(group.id) ?? 0,
    ),
  );
}

export async function showGroup(sql: Sql, group: Group) {
  const [shown] = await showGroups(sql, group.organizationId, [group]);
  if (shown === undefined) throw new Error("A group has no view.");
  return shown;
}

/** @param checkedThrough of `createCheckedThrough` */
export async function showDomains(
  sql: Sql,
  organizationId: string,
  items: readonly Domain[],
  checkedThrough: Date | null,
) {
  const records = await dnsRecords.list(
    sql,
    organizationId,
    items.map(({ id }) => id),
  );
  return items.map((domain) => viewDomain(domain, records, checkedThrough));
}

/** The answer to an accepted change of a domain. */
export async function acceptDomain(sql: Sql, domain: Domain, checkedThrough: CheckedThrough) {
  const body = await showDomain(sql, domain, checkedThrough.last());
  return { status: 202, location: `/v1/domains/${domain.id}`, body } as const;
}

export async function showDomain(sql: Sql, domain: Domain, checkedThrough: Date | null) {
  return viewDomain(domain, await dnsRecords.list(sql, domain.organizationId, [domain.id]), checkedThrough);
}
