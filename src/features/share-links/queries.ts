import type { Database, Sql } from "../../db/database.ts";
import { listDomainsOfGroup, listRecords } from "../custom-domains/queries.ts";
import { decideShown, type ShownDomain } from "./decide-shown.ts";
import type { Domain } from "../custom-domains/custom-domain.ts";
import { type ShareLink, shows } from "./share-link.ts";

/** The domains that a link shows, including domains that are being deleted. */
export async function listDomains(sql: Sql, link: ShareLink): Promise<readonly Domain[]> {
  const members = await listDomainsOfGroup(sql, link.organizationId, link.groupId);
  return members.filter((domain) => shows(link, domain));
}

/** What the page of a link shows now. @param isKnown whether DNS providers know this installation (Domain Connect) */
export async function listShown(
  db: Database,
  link: ShareLink,
  isKnown: boolean,
): Promise<readonly ShownDomain[]> {
  const { organizationId } = link;
  return await db.within(organizationId, async () => {
    const members = await listDomains(db, link);
    const ids = members.map(({ id }) => id);
    const records = await listRecords(db, organizationId, ids);
    const all = members.map((domain) => ({
      domain,
      records: records.filter(({ domainId }) => domainId === domain.id),
    }));
    return decideShown(all, isKnown);
  });
}
