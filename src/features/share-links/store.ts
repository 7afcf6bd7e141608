import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { findOwner, keyOfHash, noteOwner } from "../../db/owners.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { createPrune } from "../../db/prune.ts";
import type { ShareLink } from "./share-link.ts";

const COLUMNS = `organization_id AS "organizationId", id, group_id AS "groupId", domain_ids AS "domainIds", created_by AS "createdBy",
  created_at AS "createdAt", expires_at AS "expiresAt", opened_at AS "openedAt"`;

const INSERT = writeStatement<ShareLink>(
  "share_links_insert",
  `INSERT INTO share_links (organization_id, id, group_id, hash, created_by, expires_at, domain_ids)
   VALUES ($1, $2, $3, $4, $5, now() + $6::int * interval '1 day', $7) RETURNING ${COLUMNS}`,
);
const FIND = readStatement<ShareLink>(
  "share_links_find",
  `SELECT ${COLUMNS} FROM share_links WHERE organization_id = $1 AND group_id = $2 AND id = $3`,
);
const FIND_BY_HASH = readStatement<ShareLink>(
  "share_links_find_by_hash",
  `SELECT ${COLUMNS} FROM share_links WHERE organization_id = $1 AND hash = $2 AND expires_at > now()`,
);
const LIST = pagedStatement<ShareLink>(
  "share_links_list",
  (after, direction) => `SELECT ${COLUMNS} FROM share_links
    WHERE organization_id = $1 AND group_id = $2 AND id ${after} $3 ORDER BY id ${direction} LIMIT $4`,
);
const SET_DOMAINS = writeStatement<ShareLink>(
  "share_links_set_domains",
  `UPDATE share_links SET domain_ids = $3 WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);
const DELETE = writeStatement<ShareLink>(
  "share_links_delete",
  `DELETE FROM share_links WHERE organization_id = $1 AND group_id = $2 AND id = $3 RETURNING ${COLUMNS}`,
);
/** Returns no row if the link was opened before, or was deleted. */
const NOTE_OPENING = writeStatement<ShareLink>(
  "share_links_note_opening",
  `UPDATE share_links SET opened_at = now() WHERE organization_id = $1 AND id = $2 AND opened_at IS NULL
   RETURNING ${COLUMNS}`,
);
export const shareLinks = {
  insert: async (
    tx: Transaction,
    link: Pick<ShareLink, "organizationId" | "id" | "groupId" | "domainIds" | "createdBy"> & {
      readonly hash: Uint8Array;
      readonly days: number;
    },
  ) => {
    const { organizationId, id, groupId, domainIds, hash, createdBy, days } = link;
    noteOwner(tx, organizationId, "share-link", keyOfHash(hash));
    return (await tx.query(INSERT, [organizationId, id, groupId, hash, createdBy, days, domainIds]))[0];
  },
  find: async (sql: Sql, organizationId: string, groupId: string, id: string) =>
    (await sql.query(FIND, [organizationId, groupId, id]))[0] ?? null,
  /** Finds the organization by the token. Null if there is no such link, or it has expired. */
  findByHash: async (sql: Sql, hash: Uint8Array) => {
    const organizationId = await findOwner(sql, "share-link", keyOfHash(hash));
    return organizationId === null
      ? null
      : ((await sql.query(FIND_BY_HASH, [organizationId, hash]))[0] ?? null);
  },
  list: (sql: Sql, organizationId: string, groupId: string, page: Page) =>
    sql.query(LIST[page.order], [organizationId, groupId, idBefore(page), page.limit + 1]),
  setDomains: async (
    tx: Transaction,
    { organizationId, id }: Pick<ShareLink, "organizationId" | "id">,
    domainIds: readonly string[],
  ) => (await tx.query(SET_DOMAINS, [organizationId, id, domainIds]))[0],
  delete: async (tx: Transaction, organizationId: string, groupId: string, id: string) =>
    (await tx.query(DELETE, [organizationId, groupId, id]))[0] ?? null,
  noteOpening: async (tx: Transaction, { organizationId, id }: Pick<ShareLink, "organizationId" | "id">) =>
    (await tx.query(NOTE_OPENING, [organizationId, id]))[0] ?? null,
  /** @returns whether there may be more */
  prune: createPrune("share_links_prune", "share_links", "organization_id, id", "expires_at < now()"),
};
