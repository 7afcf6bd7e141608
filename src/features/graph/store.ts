import { readStatement, type Sql } from "../../db/database.ts";
import type { Link } from "./decide-graph.ts";

/** More lines would be no picture. */
export const LINKS_MAX = 2_000;

const LIST_LINKS = readStatement<Link>(
  "graph_list_links",
  `SELECT service_id AS "serviceId", name, source, linked_service_id AS "linkedServiceId", linked_property AS property
     FROM env_variables WHERE organization_id = $1 AND environment_id = $2 AND linked_service_id IS NOT NULL
    ORDER BY scope_id, name, source LIMIT ${LINKS_MAX}`,
);

/** The links of an environment's variables. */
export async function listLinks(
  sql: Sql,
  organizationId: string,
  environmentId: string,
): Promise<readonly Link[]> {
  return await sql.query(LIST_LINKS, [organizationId, environmentId]);
}
