import type { Sql } from "../../db/database.ts";
import { dataStores } from "./store.ts";

/** Of some services, in any order. Existing data stores have none. */
export const listCreatedStores = dataStores.list;

/** The connection to the account that it is in; null if it does not exist. */
export async function findAccountOfStore(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<string | null> {
  return (await dataStores.find(sql, organizationId, serviceId))?.awsAccountId ?? null;
}
