import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import type { ShownUser, User } from "./user.ts";

/** The column is unique and not null, so who has no address has this one. */
const NO_EMAIL = `@no-email.invalid`;
const COLUMNS = `organization_id AS "organizationId", id, kind, nullif(email, id || '${NO_EMAIL}') AS email, name, role, git_login AS "gitLogin",
  last_seen_at AS "lastSeenAt", created_at AS "createdAt", updated_at AS "updatedAt"`;
/** `$1` is the organization. */
const SIGN_IN_COLUMNS = `
  (SELECT coalesce(array_agg(DISTINCT i.issuer ORDER BY i.issuer), '{}') FROM identities i
    WHERE i.organization_id = $1 AND i.user_id = users.id) AS "providerIssuers",
  EXISTS (SELECT 1 FROM api_keys k WHERE k.organization_id = $1 AND k.user_id = users.id
    AND (k.expires_at IS NULL OR k.expires_at > now())) AS "hasKey",
  (SELECT coalesce(array_agg(DISTINCT t.issuer ORDER BY t.issuer), '{}') FROM workload_trusts t
    WHERE t.organization_id = $1 AND t.user_id = users.id) AS "workloadIssuers"`;

const INSERT = writeStatement<User>(
  "users_insert",
  `INSERT INTO users (organization_id, id, kind, email, name, role, git_login)
   VALUES ($1, $2, $3, coalesce($4::text, $2::text || '${NO_EMAIL}'), $5, $6, $7)
   RETURNING ${COLUMNS}`,
);

const FIND = readStatement<User>(
  "users_find",
  `SELECT ${COLUMNS} FROM users WHERE organization_id = $1 AND id = $2`,
);

const FIND_SHOWN = readStatement<ShownUser>(
  "users_find_shown",
  `SELECT ${COLUMNS}, ${SIGN_IN_COLUMNS} FROM users WHERE organization_id = $1 AND id = $2`,
);

const FIND_BY_EMAIL = readStatement<User>(
  "users_find_by_email",
  `SELECT ${COLUMNS} FROM users WHERE organization_id = $1 AND email = $2 AND email <> id || '${NO_EMAIL}'`,
);

const LIST_ADMINS = readStatement<User>(
  "users_list_admins",
  `SELECT ${COLUMNS} FROM users WHERE organization_id = $1 AND role = 'admin' AND kind = 'person' ORDER BY id LIMIT $2`,
);

const LIST = pagedStatement<ShownUser>(
  "users_list",
  (after, direction) => `SELECT ${COLUMNS}, ${SIGN_IN_COLUMNS} FROM users
    WHERE organization_id = $1 AND id ${after} $2 AND ($4::text IS NULL OR kind = $4)
    ORDER BY id ${direction} LIMIT $3`,
);

const UPDATE = writeStatement<User>(
  "users_update",
  `UPDATE users SET email = coalesce($3::text, id || '${NO_EMAIL}'), name = $4, role = $5, git_login = $6, updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

const DELETE = writeStatement<User>(
  "users_delete",
  `DELETE FROM users WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

const LOCK_ORGANIZATION = writeStatement<{ organizationId: string }>(
  "organizations_lock",
  `SELECT organization_id AS "organizationId" FROM organizations WHERE organization_id = $1 FOR UPDATE`,
);

const COUNT_ADMIN_KEYS = readStatement<{ count: number }>(
  "api_keys_count_of_admins",
  `SELECT count(*)::int AS count FROM api_keys k
     JOIN users u ON u.organization_id = k.organization_id AND u.id = k.user_id
    WHERE k.organization_id = $1 AND u.role = 'admin' AND u.kind = 'person' AND k.project_ids IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())
      AND (k.scopes IS NULL OR 'admin' = ANY (k.scopes))`,
);

export const users = {
  insert: async (sql: Sql, user: Omit<User, "lastSeenAt" | "createdAt" | "updatedAt">) => {
    const { organizationId, id, kind, email, name, role, gitLogin } = user;
    return (await sql.query(INSERT, [organizationId, id, kind, email, name, role, gitLogin]))[0];
  },
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  findShown: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_SHOWN, [organizationId, id]))[0] ?? null,
  findByEmail: async (sql: Sql, organizationId: string, email: string) =>
    (await sql.query(FIND_BY_EMAIL, [organizationId, email]))[0] ?? null,
  /** @param kind null for all */
  list: (sql: Sql, organizationId: string, kind: User["kind"] | null, page: Page) =>
    sql.query(LIST[page.order], [organizationId, idBefore(page), page.limit + 1, kind]),
  listAdmins: (sql: Sql, organizationId: string, limit: number) =>
    sql.query(LIST_ADMINS, [organizationId, limit]),
  update: async (sql: Sql, { organizationId, id, email, name, role, gitLogin }: User) =>
    (await sql.query(UPDATE, [organizationId, id, email, name, role, gitLogin]))[0],
  delete: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(DELETE, [organizationId, id]))[0] ?? null,
  /** The keys with which people can manage the organization. */
  countAdminKeys: async (sql: Sql, organizationId: string) =>
    (await sql.query(COUNT_ADMIN_KEYS, [organizationId]))[0]?.count ?? 0,
  /** False for an unknown organization. */
  lockOrganization: async (tx: Transaction, organizationId: string) =>
    (await tx.query(LOCK_ORGANIZATION, [organizationId])).length > 0,
};
