import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { findOwner, keyOfHash, noteOwner } from "../../db/owners.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import type { Actor, Identity } from "../../lib/actor.ts";
import type { ApiKey } from "./api-key.ts";

const COLUMNS = `organization_id AS "organizationId", id, user_id AS "userId", created_by AS "createdBy", name, prefix, scopes,
  project_ids AS "projectIds", expires_at AS "expiresAt", last_used_at AS "lastUsedAt", created_at AS "createdAt"`;

const INSERT = writeStatement<ApiKey>(
  "api_keys_insert",
  `INSERT INTO api_keys (organization_id, id, user_id, name, prefix, hash, scopes, project_ids, expires_at, created_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   RETURNING ${COLUMNS}`,
);

const FIND = readStatement<ApiKey>(
  "api_keys_find",
  `SELECT ${COLUMNS} FROM api_keys WHERE organization_id = $1 AND id = $2`,
);

/** A credential is a key, or a session that may have come from one. */
const FIND_OF = readStatement<ApiKey>(
  "api_keys_find_of_credential",
  `SELECT ${COLUMNS} FROM api_keys WHERE organization_id = $1
      AND id IN ($2, (SELECT api_key_id FROM sessions WHERE organization_id = $1 AND sessions.id = $2))`,
);

const LIST = pagedStatement<ApiKey>(
  "api_keys_list",
  (after, direction) => `SELECT ${COLUMNS} FROM api_keys
    WHERE organization_id = $1 AND id ${after} $2 ORDER BY id ${direction} LIMIT $3`,
);

const DELETE = writeStatement<ApiKey>(
  "api_keys_delete",
  `DELETE FROM api_keys WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

type PrincipalRow = Pick<Actor, "organizationId" | "userId" | "role"> &
  Identity["access"] & { readonly id: string; readonly isExpired: boolean };

const FIND_PRINCIPAL = readStatement<PrincipalRow>(
  "api_keys_find_principal",
  `SELECT api_keys.organization_id AS "organizationId", users.id AS "userId", api_keys.id, users.role,
          api_keys.scopes, api_keys.project_ids AS "projectIds",
          api_keys.expires_at IS NOT NULL AND api_keys.expires_at <= now() AS "isExpired"
     FROM api_keys JOIN users ON users.organization_id = api_keys.organization_id AND users.id = api_keys.user_id
    WHERE api_keys.organization_id = $1 AND api_keys.hash = $2`,
);

export const apiKeys = {
  insert: async (tx: Transaction, key: Omit<ApiKey, "createdAt" | "lastUsedAt"> & { hash: Uint8Array }) => {
    noteOwner(tx, key.organizationId, "api-key", keyOfHash(key.hash));
    const { organizationId, id, userId, createdBy, name, prefix, hash, scopes, projectIds, expiresAt } = key;
    const values = [organizationId, id, userId, name, prefix, hash, scopes, projectIds, expiresAt, createdBy];
    return (await tx.query(INSERT, values))[0];
  },
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  findOf: async (sql: Sql, { organizationId, credential }: Pick<Actor, "organizationId" | "credential">) =>
    (await sql.query(FIND_OF, [organizationId, credential.id]))[0] ?? null,
  list: (sql: Sql, organizationId: string, page: Page) =>
    sql.query(LIST[page.order], [organizationId, idBefore(page), page.limit + 1]),
  delete: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(DELETE, [organizationId, id]))[0] ?? null,
  /** The request has only the key: its hash leads to the organization. */
  findPrincipal: async (sql: Sql, hash: Uint8Array): Promise<Identity | "expired" | null> => {
    const organizationId = await findOwner(sql, "api-key", keyOfHash(hash));
    if (organizationId === null) return null;
    const [row] = await sql.query(FIND_PRINCIPAL, [organizationId, hash]);
    if (row === undefined) return null;
    const { id, isExpired, scopes, projectIds, ...of } = row;
    return isExpired
      ? "expired"
      : { ...of, access: { scopes, projectIds }, credential: { kind: "api-key", id } };
  },
};
