import type { Transaction } from "../../../db/database.ts";
import type { Domain } from "../custom-domain.ts";
import { provenNames } from "../store.ts";

/**
 * Claims names for their organization, which has proved them. A wildcard and a name below it count as one
 * (docs/decisions/wildcards-overlap.md).
 * @returns the names that another organization proved first; the others are ours
 */
export async function claimNames(
  tx: Transaction,
  proven: readonly Pick<Domain, "organizationId" | "id" | "name">[],
): Promise<ReadonlySet<string>> {
  const lost = new Set<string>();
  // What overlaps has one parent: claims below it wait for each other. In one order everywhere, against deadlocks.
  const parents = [...new Set(proven.map(({ name }) => name.slice(name.indexOf(".") + 1)))].sort();
  for (const parent of parents) await provenNames.lockParent(tx, parent);
  for (const domain of proven) {
    const isOurs = await provenNames.claim(tx, domain);
    if (!isOurs) lost.add(domain.name);
  }
  return lost;
}
