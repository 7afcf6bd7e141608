import type { Sql } from "../../../db/database.ts";
import { findDistribution } from "../../distributions/commands.ts";
import type { Domain, Group } from "../custom-domain.ts";
import { certificates } from "../group/certificate/certificate-store.ts";
import { dnsRecords } from "../records/dns-record-store.ts";
import { domains } from "../store.ts";
import { viewGroup } from "./group-views.ts";
import { viewDomain } from "./domain-views.ts";

/** As the API shows a group: with the certificate that serves or will serve: the newest that is not given up. */
export async function showGroup(sql: Sql, group: Group) {
  const rows = await certificates.list(sql, group.organizationId, group.id);
  const certificate = rows.findLast(({ isAbandoned }) => !isAbandoned) ?? null;
  return viewGroup(
    group,
    certificate,
    await findDistribution(sql, group.organizationId, group.distributionId),
    await domains.countInError(sql, group.organizationId, group.id),
  );
}

export async function showDomains(sql: Sql, organizationId: string, items: readonly Domain[]) {
  const records = await dnsRecords.list(
    sql,
    organizationId,
    items.map(({ id }) => id),
  );
  return items.map((domain) => viewDomain(domain, records));
}

export async function showDomain(sql: Sql, domain: Domain) {
  return viewDomain(domain, await dnsRecords.list(sql, domain.organizationId, [domain.id]));
}
