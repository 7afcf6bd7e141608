import type { Sql } from "../../db/database.ts";
import { deployedServices } from "../deployments/store.ts";

/** Where other services of the environment reach the newest release of each of some services; no entry without one. */
export async function findLiveUrls(
  sql: Sql,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (serviceIds.length === 0) return new Map();
  const rows = await deployedServices.listLiveUrls(sql, organizationId, serviceIds);
  return new Map(rows.flatMap(({ serviceId, url }) => (url === null ? [] : [[serviceId, url] as const])));
}
