import type { Transaction } from "../../../db/database.ts";
import type { Domain } from "../custom-domain.ts";
import { provenNames } from "../store.ts";

/**
 * Claims names for the organization that has proved them. A wildcard and a name below it overlap
 * (docs/decisions/0004-names-are-claimed-after-proof.md).
 * @returns the names that another organization has proved first; the others are claimed
 */
export async function claimNames(
  tx: Transaction,
  proven: readonly Pick<Domain, "organizationId" | "id" | "name">[],
): Promise<ReadonlySet<string>> {
  const lost = new Set<string>();
  // Overlapping names have one parent, and claims below it wait for each other. The order prevents deadlocks.
  const parents = [...new Set(proven.map(({ name }) => name.slice(name.indexOf(".") + 1)))].sort();
  for (const parent of parents) await provenNames.lockParent(tx, parent);
  for (const domain of proven) {
    const isOurs = await provenNames.claim(tx, domain);
    if (!isOurs) lost.add(domain.name);
  }
  return lost;
}
