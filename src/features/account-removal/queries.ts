import type { Platform } from "../../cloud/platform.ts";
import type { Sql } from "../../db/database.ts";
import { listMadeDistributions } from "../distributions/commands.ts";
import { listLeftValues } from "../variables/queries.ts";
import type { LeftBy, LeftInAccount } from "../cloud-accounts/left-in-account.ts";
import { listPlatformParts } from "../releases/queries.ts";

/** Lists what is left in the account, or may be, without the resources of domain certificate groups. */
export async function listLeftBeyondGroups(
  sql: Sql,
  platform: Platform | null,
  organizationId: string,
  by: LeftBy,
): Promise<Pick<LeftInAccount, "distributionIds" | "parameters" | "secrets" | "stacks">> {
  const values = await listLeftValues(sql, organizationId, by);
  const named = (kind: "parameterStore" | "secretsManager") =>
    values.flatMap(({ kind: its, region, name }) => (its === kind ? [{ region, name }] : []));
  const parts = await listPlatformParts(sql, organizationId, by);
  return {
    distributionIds: await listMadeDistributions(sql, organizationId, by),
    parameters: named("parameterStore"),
    secrets: named("secretsManager"),
    stacks: parts.map((part) => ({ region: part.region, name: platform?.stackNameOf(part) ?? part.id })),
  };
}
