/**
 * The organization of a resource that is searched without one, such as an API key. In a distributed database, one query
 * at one node finds it, while a search would ask every node. An owner may stay after its resource was removed, so the
 * caller must check the resource.
 */
import { readAsOwner, type Sql, type Transaction, writeStatement } from "./database.ts";

/** An API key by its hash, as `keyOfHash` writes it; a cloud account's connection by its id; a repository by the key of its URL; a workload trust by its id; a share link by the hash of its token; the logo of share links by its hash. */
export type OwnedKind = "api-key" | "connection" | "repository" | "workload-trust" | "share-link" | "logo";

const NOTE = writeStatement(
  "owners_note",
  `INSERT INTO owners (organization_id, kind, key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
);
const LIST = readAsOwner<{ organizationId: string }>(
  "owners_list",
  `SELECT organization_id AS "organizationId" FROM owners WHERE key = $1 AND kind = $2 ORDER BY organization_id LIMIT $3`,
);

/** To be written in the transaction that creates what it leads to. */
export function noteOwner(tx: Transaction, organizationId: string, kind: OwnedKind, key: string): void {
  tx.send(NOTE, [organizationId, kind, key]);
}

/** The organizations that have it, or had it. */
export async function listOwners(
  sql: Sql,
  kind: OwnedKind,
  key: string,
  limit: number,
): Promise<readonly string[]> {
  return (await sql.query(LIST, [key, kind, limit])).map(({ organizationId }) => organizationId);
}

/** The one organization that has it, or had it; null if none ever did. */
export async function findOwner(sql: Sql, kind: OwnedKind, key: string): Promise<string | null> {
  return (await listOwners(sql, kind, key, 1))[0] ?? null;
}

/** As the database writes bytes as text. */
export function keyOfHash(hash: Uint8Array): string {
  return `\\x${Buffer.from(hash).toString("hex")}`;
}
