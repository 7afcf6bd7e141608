import { readStatement, type Sql, writeStatement } from "../../db/database.ts";
import type { TakenName } from "./decide-import.ts";

const FIND_TAKEN = readStatement<TakenName>(
  "domain_imports_find_taken",
  `SELECT d.name, d.group_id AS "groupId", g.name AS "groupName", g.service_id AS "serviceId", d.is_wanted AS "isDesired"
     FROM domains d JOIN domain_certificate_groups g ON g.organization_id = d.organization_id AND g.id = d.group_id
    WHERE d.organization_id = $1 AND d.name = ANY ($2::text[])`,
);
const FIND_ROOM = readStatement<{ id: string; name: string; names: readonly string[] }>(
  "domain_imports_find_room",
  `SELECT g.id, g.name, array_agg(d.name) AS names FROM domain_certificate_groups g
     JOIN domains d ON d.organization_id = $1 AND d.group_id = g.id
    WHERE g.organization_id = $1 AND g.service_id = $2 AND NOT g.is_deleting AND g.auto_dns = $4
    GROUP BY g.organization_id, g.id HAVING count(d.id) < $3 ORDER BY g.id`,
);
/** In the order of their ids, so that two imports cannot deadlock. */
const LOCK_GROUPS = writeStatement<{ id: string }>(
  "domain_imports_lock_groups",
  `SELECT id FROM domain_certificate_groups WHERE organization_id = $1 AND id = ANY ($2::text[]) AND NOT is_deleting
    ORDER BY id FOR UPDATE`,
);

type Places = { readonly namesPerGroup: number; readonly autoDns: boolean };

export const imports = {
  /** Those of the names that the organization has. */
  findTaken: (sql: Sql, organizationId: string, names: readonly string[]) =>
    sql.query(FIND_TAKEN, [organizationId, names]),
  /** The groups of a service with this `autoDns` that have fewer names than `namesPerGroup`, with their names. */
  findRoom: (sql: Sql, organizationId: string, serviceId: string, { namesPerGroup, autoDns }: Places) =>
    sql.query(FIND_ROOM, [organizationId, serviceId, namesPerGroup, autoDns]),
  /** @returns the groups that are not being deleted; no other transaction adds domains to them until this one ends */
  lockGroups: (sql: Sql, organizationId: string, ids: readonly string[]) =>
    sql.query(LOCK_GROUPS, [organizationId, ids]),
};
