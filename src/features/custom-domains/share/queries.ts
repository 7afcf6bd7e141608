import type { Sql } from "../../../db/database.ts";
import { dnsRecords } from "../records/dns-record-store.ts";
import { domains } from "../store.ts";
import { decideShown, type ShownDomain } from "./page/decide-shown.ts";
import type { ShareLink } from "./share-link.ts";

/** What the page of a link shows now. @param isKnown whether DNS providers know this installation (Domain Connect) */
export async function listShown(
  sql: Sql,
  { organizationId, groupId }: Pick<ShareLink, "organizationId" | "groupId">,
  isKnown: boolean,
): Promise<readonly ShownDomain[]> {
  const members = await domains.listAll(sql, organizationId, groupId);
  const records = await dnsRecords.list(
    sql,
    organizationId,
    members.map(({ id }) => id),
  );
  const all = members.map((domain) => ({
    domain,
    records: records.filter(({ domainId }) => domainId === domain.id),
  }));
  return decideShown(all, isKnown);
}
