import type { Actor, Identity } from "../../lib/actor.ts";
import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { findOwner, keyOfHash, noteOwner } from "../../db/owners.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { mayHaveMore, PRUNE_BATCH } from "../../db/prune.ts";
import { idAround } from "../../lib/ids.ts";
import type { ApiKey, AuditEntry, NotedUses, Organization, ShownUser, User } from "./organization.ts";

/** The column is unique and not null, so who has no address has this one. */
const NO_EMAIL = `@no-email.invalid`;
const USER_COLUMNS = `organization_id AS "organizationId", id, kind, nullif(email, id || '${NO_EMAIL}') AS email, name, role, git_login AS "gitLogin",
  last_seen_at AS "lastSeenAt", created_at AS "createdAt", updated_at AS "updatedAt"`;
/** `$1` is the organization. */
const SIGN_IN_COLUMNS = `
  (SELECT coalesce(array_agg(DISTINCT i.issuer ORDER BY i.issuer), '{}') FROM identities i
    WHERE i.organization_id = $1 AND i.user_id = users.id) AS "providerIssuers",
  EXISTS (SELECT 1 FROM api_keys k WHERE k.organization_id = $1 AND k.user_id = users.id
    AND (k.expires_at IS NULL OR k.expires_at > now())) AS "hasKey",
  (SELECT coalesce(array_agg(DISTINCT t.issuer ORDER BY t.issuer), '{}') FROM workload_trusts t
    WHERE t.organization_id = $1 AND t.user_id = users.id) AS "workloadIssuers"`;
const API_KEY_COLUMNS = `organization_id AS "organizationId", id, user_id AS "userId", created_by AS "createdBy", name, prefix, scopes,
  project_ids AS "projectIds", expires_at AS "expiresAt", last_used_at AS "lastUsedAt", created_at AS "createdAt"`;

const ORGANIZATION_COLUMNS = `organization_id AS id, name, created_at AS "createdAt"`;

const INSERT_ORGANIZATION = writeStatement(
  "organizations_insert",
  `INSERT INTO organizations (organization_id, name) VALUES ($1, $2)`,
);

const COUNT_ORGANIZATIONS = readStatement<{ count: number }>(
  "organizations_count",
  `SELECT count(organization_id)::int AS count FROM organizations`,
);

const LIST_ORGANIZATIONS = readStatement<Organization>(
  "organizations_list",
  `SELECT ${ORGANIZATION_COLUMNS} FROM organizations ORDER BY organization_id`,
);

const FIND_FIRST_ORGANIZATION = readStatement<{ id: string }>(
  "organizations_find_first",
  `SELECT organization_id AS id FROM organizations ORDER BY created_at, organization_id LIMIT 1`,
);

const LOCK_ORGANIZATION = writeStatement<{ organizationId: string }>(
  "organizations_lock",
  `SELECT organization_id AS "organizationId" FROM organizations WHERE organization_id = $1 FOR UPDATE`,
);

const FIND_ORGANIZATION = readStatement<Organization>(
  "organizations_find",
  `SELECT ${ORGANIZATION_COLUMNS} FROM organizations WHERE organization_id = $1`,
);

const RENAME_ORGANIZATION = writeStatement<Organization>(
  "organizations_rename",
  `UPDATE organizations SET name = $2 WHERE organization_id = $1 RETURNING ${ORGANIZATION_COLUMNS}`,
);

const INSERT_USER = writeStatement<User>(
  "users_insert",
  `INSERT INTO users (organization_id, id, kind, email, name, role, git_login)
   VALUES ($1, $2, $3, coalesce($4::text, $2::text || '${NO_EMAIL}'), $5, $6, $7)
   RETURNING ${USER_COLUMNS}`,
);

const FIND_USER = readStatement<User>(
  "users_find",
  `SELECT ${USER_COLUMNS} FROM users WHERE organization_id = $1 AND id = $2`,
);

const FIND_SHOWN_USER = readStatement<ShownUser>(
  "users_find_shown",
  `SELECT ${USER_COLUMNS}, ${SIGN_IN_COLUMNS} FROM users WHERE organization_id = $1 AND id = $2`,
);

const FIND_USER_BY_EMAIL = readStatement<User>(
  "users_find_by_email",
  `SELECT ${USER_COLUMNS} FROM users WHERE organization_id = $1 AND email = $2 AND email <> id || '${NO_EMAIL}'`,
);

const FIND_FIRST_ADMIN = readStatement<User>(
  "users_find_first_admin",
  `SELECT ${USER_COLUMNS} FROM users
    WHERE organization_id = $1 AND role = 'admin' AND kind = 'person' ORDER BY id LIMIT 1`,
);

const LIST_ADMINS = readStatement<User>(
  "users_list_admins",
  `SELECT ${USER_COLUMNS} FROM users WHERE organization_id = $1 AND role = 'admin' AND kind = 'person' ORDER BY id LIMIT $2`,
);

const LIST_USERS = pagedStatement<ShownUser>(
  "users_list",
  (after, direction) => `SELECT ${USER_COLUMNS}, ${SIGN_IN_COLUMNS} FROM users
    WHERE organization_id = $1 AND id ${after} $2 AND ($4::text IS NULL OR kind = $4)
    ORDER BY id ${direction} LIMIT $3`,
);

const UPDATE_USER = writeStatement<User>(
  "users_update",
  `UPDATE users SET email = coalesce($3::text, id || '${NO_EMAIL}'), name = $4, role = $5, git_login = $6, updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${USER_COLUMNS}`,
);

/** A user that another process has written within this minute stays unchanged. */
const NOTE_USERS_SEEN = writeStatement(
  "users_note_uses",
  `UPDATE users SET last_seen_at = given.at
     FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) AS given(id, at, unless_since)
    WHERE users.organization_id = $1 AND users.id = given.id
      AND (users.last_seen_at IS NULL OR users.last_seen_at < given.unless_since)`,
);

const DELETE_USER = writeStatement<User>(
  "users_delete",
  `DELETE FROM users WHERE organization_id = $1 AND id = $2 RETURNING ${USER_COLUMNS}`,
);

const COUNT_ADMINS = readStatement<{ count: number }>(
  "users_count_admins",
  `SELECT count(*)::int AS count FROM users WHERE organization_id = $1 AND role = 'admin' AND kind = 'person'`,
);

const INSERT_API_KEY = writeStatement<ApiKey>(
  "api_keys_insert",
  `INSERT INTO api_keys (organization_id, id, user_id, name, prefix, hash, scopes, project_ids, expires_at, created_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   RETURNING ${API_KEY_COLUMNS}`,
);

const FIND_API_KEY = readStatement<ApiKey>(
  "api_keys_find",
  `SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE organization_id = $1 AND id = $2`,
);

/** A credential is a key, or a session that may have come from one. */
const FIND_API_KEY_OF = readStatement<ApiKey>(
  "api_keys_find_of_credential",
  `SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE organization_id = $1
      AND id IN ($2, (SELECT api_key_id FROM sessions WHERE organization_id = $1 AND sessions.id = $2))`,
);

const LIST_API_KEYS = pagedStatement<ApiKey>(
  "api_keys_list",
  (after, direction) => `SELECT ${API_KEY_COLUMNS} FROM api_keys
    WHERE organization_id = $1 AND id ${after} $2 ORDER BY id ${direction} LIMIT $3`,
);

/** Keys with which people can manage the organization. */
const COUNT_ADMIN_KEYS = readStatement<{ count: number }>(
  "api_keys_count_of_admins",
  `SELECT count(*)::int AS count FROM api_keys k
     JOIN users u ON u.organization_id = k.organization_id AND u.id = k.user_id
    WHERE k.organization_id = $1 AND u.role = 'admin' AND u.kind = 'person' AND k.project_ids IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())
      AND (k.scopes IS NULL OR 'admin' = ANY (k.scopes))`,
);

const DELETE_API_KEY = writeStatement<ApiKey>(
  "api_keys_delete",
  `DELETE FROM api_keys WHERE organization_id = $1 AND id = $2 RETURNING ${API_KEY_COLUMNS}`,
);

const FIND_PRINCIPAL = readStatement<PrincipalRow>(
  "api_keys_find_principal",
  `SELECT api_keys.organization_id AS "organizationId", users.id AS "userId", api_keys.id AS "apiKeyId", users.role,
          api_keys.scopes, api_keys.project_ids AS "projectIds",
          api_keys.expires_at IS NOT NULL AND api_keys.expires_at <= now() AS "isExpired"
     FROM api_keys JOIN users ON users.organization_id = api_keys.organization_id AND users.id = api_keys.user_id
    WHERE api_keys.organization_id = $1 AND api_keys.hash = $2`,
);

/** A key that another process has written within this minute stays unchanged. */
const NOTE_KEY_USES = writeStatement(
  "api_keys_note_uses",
  `UPDATE api_keys SET last_used_at = given.at
     FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) AS given(id, at, unless_since)
    WHERE api_keys.organization_id = $1 AND api_keys.id = given.id
      AND (api_keys.last_used_at IS NULL OR api_keys.last_used_at < given.unless_since)`,
);

const INSERT_AUDIT_ENTRIES = writeStatement(
  "audit_entries_insert",
  `INSERT INTO audit_entries (organization_id, id, user_id, api_key_id, action, resource_id, request_id,
                              source_address, details)
   SELECT $1, given.id, given.user_id, given.api_key_id, given.action, given.resource_id, given.request_id,
          given.source_address, given.details::jsonb
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
       AS given(id, user_id, api_key_id, action, resource_id, request_id, source_address, details)
   RETURNING id`,
);

const AUDIT_COLUMNS = `id, at, user_id AS "userId", api_key_id AS "apiKeyId", action, resource_id AS "resourceId",
  request_id AS "requestId", source_address AS "sourceAddress", details`;

/** Ids grow with time, so a filter by time reads only the ids between $9 and $10. */
const AUDIT_FILTERS = `id >= $9 AND id <= $10
      AND ($4::text IS NULL OR resource_id = $4) AND ($5::text IS NULL OR user_id = $5)
      AND ($6::text IS NULL OR action = $6) AND ($7::timestamptz IS NULL OR at >= $7)
      AND ($8::timestamptz IS NULL OR at < $8)`;
const LIST_AUDIT_ENTRIES = pagedStatement<AuditEntry>(
  "audit_entries_list",
  (after, direction) => `SELECT ${AUDIT_COLUMNS} FROM audit_entries
    WHERE organization_id = $1 AND id ${after} $2 AND ${AUDIT_FILTERS} ORDER BY id ${direction} LIMIT $3`,
);
/** The next three statements filter by a column with an index, so that they read only its matches. */
const LIST_AUDIT_OF_RESOURCE = pagedStatement<AuditEntry>(
  "audit_entries_list_of_resource",
  (after, direction) => `SELECT ${AUDIT_COLUMNS} FROM audit_entries
    WHERE organization_id = $1 AND resource_id = $4 AND id ${after} $2 AND ${AUDIT_FILTERS}
    ORDER BY id ${direction} LIMIT $3`,
);
const LIST_AUDIT_OF_USER = pagedStatement<AuditEntry>(
  "audit_entries_list_of_user",
  (after, direction) => `SELECT ${AUDIT_COLUMNS} FROM audit_entries
    WHERE organization_id = $1 AND user_id = $5 AND id ${after} $2 AND ${AUDIT_FILTERS}
    ORDER BY id ${direction} LIMIT $3`,
);
const LIST_AUDIT_OF_ACTION = pagedStatement<AuditEntry>(
  "audit_entries_list_of_action",
  (after, direction) => `SELECT ${AUDIT_COLUMNS} FROM audit_entries
    WHERE organization_id = $1 AND action = $6 AND id ${after} $2 AND ${AUDIT_FILTERS}
    ORDER BY id ${direction} LIMIT $3`,
);

/** A sweep over all organizations. */
const PRUNE_AUDIT_ENTRIES = writeStatement<{ count: number }>(
  "audit_entries_prune",
  `WITH pruned AS (
     DELETE FROM audit_entries WHERE (organization_id, id) IN (
       SELECT organization_id, id FROM audit_entries WHERE at < $1 LIMIT $2)
     RETURNING id)
   SELECT count(id)::int AS count FROM pruned`,
);

export const organizations = {
  insert: async (sql: Sql, id: string, name: string) =>
    void (await sql.query(INSERT_ORGANIZATION, [id, name])),
  count: async (sql: Sql) => (await sql.query(COUNT_ORGANIZATIONS))[0]?.count ?? 0,
  find: async (sql: Sql, id: string) => (await sql.query(FIND_ORGANIZATION, [id]))[0] ?? null,
  rename: async (tx: Transaction, id: string, name: string) =>
    (await tx.query(RENAME_ORGANIZATION, [id, name]))[0] ?? null,
  findFirst: async (sql: Sql) => (await sql.query(FIND_FIRST_ORGANIZATION))[0]?.id ?? null,
  /** All organizations; only for the operator. */
  list: (sql: Sql) => sql.query(LIST_ORGANIZATIONS),
  /** Makes changes to one organization's users and keys wait for each other. */
  lock: async (sql: Sql, id: string) => void (await sql.query(LOCK_ORGANIZATION, [id])),
};

export const users = {
  insert: async (sql: Sql, user: Omit<User, "lastSeenAt" | "createdAt" | "updatedAt">) =>
    (
      await sql.query(INSERT_USER, [
        user.organizationId,
        user.id,
        user.kind,
        user.email,
        user.name,
        user.role,
        user.gitLogin,
      ])
    )[0],
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_USER, [organizationId, id]))[0] ?? null,
  findShown: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_SHOWN_USER, [organizationId, id]))[0] ?? null,
  findByEmail: async (sql: Sql, organizationId: string, email: string) =>
    (await sql.query(FIND_USER_BY_EMAIL, [organizationId, email]))[0] ?? null,
  findFirstAdmin: async (sql: Sql, organizationId: string) =>
    (await sql.query(FIND_FIRST_ADMIN, [organizationId]))[0] ?? null,
  /** @param kind null for all */
  list: (sql: Sql, organizationId: string, kind: User["kind"] | null, page: Page) =>
    sql.query(LIST_USERS[page.order], [organizationId, idBefore(page), page.limit + 1, kind]),
  listAdmins: (sql: Sql, organizationId: string, limit: number) =>
    sql.query(LIST_ADMINS, [organizationId, limit]),
  update: async (sql: Sql, user: User) =>
    (
      await sql.query(UPDATE_USER, [
        user.organizationId,
        user.id,
        user.email,
        user.name,
        user.role,
        user.gitLogin,
      ])
    )[0],
  noteUses: async (sql: Sql, organizationId: string, { ids, at, unlessSince }: NotedUses) =>
    void (await sql.query(NOTE_USERS_SEEN, [organizationId, ids, at, unlessSince])),
  delete: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(DELETE_USER, [organizationId, id]))[0] ?? null,
  countAdmins: async (sql: Sql, organizationId: string) =>
    (await sql.query(COUNT_ADMINS, [organizationId]))[0]?.count ?? 0,
};

type PrincipalRow = Pick<Actor, "organizationId" | "userId" | "role"> &
  Identity["access"] & { readonly apiKeyId: string; readonly isExpired: boolean };

function principalOf(row: PrincipalRow | undefined): Identity | "expired" | null {
  if (row === undefined) return null;
  const { apiKeyId, isExpired, scopes, projectIds, ...of } = row;
  if (isExpired) return "expired";
  return { ...of, access: { scopes, projectIds }, credential: { kind: "api-key", id: apiKeyId } };
}

export const apiKeys = {
  insert: async (tx: Transaction, key: Omit<ApiKey, "createdAt" | "lastUsedAt"> & { hash: Uint8Array }) => {
    noteOwner(tx, key.organizationId, "api-key", keyOfHash(key.hash));
    const { organizationId, id, userId, createdBy, name, prefix, hash, scopes, projectIds, expiresAt } = key;
    const values = [organizationId, id, userId, name, prefix, hash, scopes, projectIds, expiresAt, createdBy];
    return (await tx.query(INSERT_API_KEY, values))[0];
  },
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_API_KEY, [organizationId, id]))[0] ?? null,
  findOf: async (sql: Sql, { organizationId, credential }: Pick<Actor, "organizationId" | "credential">) =>
    (await sql.query(FIND_API_KEY_OF, [organizationId, credential.id]))[0] ?? null,
  list: (sql: Sql, organizationId: string, page: Page) =>
    sql.query(LIST_API_KEYS[page.order], [organizationId, idBefore(page), page.limit + 1]),
  delete: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(DELETE_API_KEY, [organizationId, id]))[0] ?? null,
  countOfAdmins: async (sql: Sql, organizationId: string) =>
    (await sql.query(COUNT_ADMIN_KEYS, [organizationId]))[0]?.count ?? 0,
  noteUses: async (sql: Sql, organizationId: string, { ids, at, unlessSince }: NotedUses) =>
    void (await sql.query(NOTE_KEY_USES, [organizationId, ids, at, unlessSince])),
  /** The request has only the key: its hash leads to the organization. */
  findPrincipal: async (sql: Sql, hash: Uint8Array) => {
    const organizationId = await findOwner(sql, "api-key", keyOfHash(hash));
    return organizationId === null
      ? null
      : principalOf((await sql.query(FIND_PRINCIPAL, [organizationId, hash]))[0]);
  },
};

/** `from` is the first instant that is meant, `to` the first that is not. */
export type AuditFilter = {
  readonly resourceId?: string;
  readonly userId?: string;
  readonly action?: string;
  readonly from?: Date;
  readonly to?: Date;
};

/** Chooses the filter that leaves the fewest entries. */
function listAuditBy({ resourceId, action, userId }: AuditFilter) {
  if (resourceId !== undefined) return LIST_AUDIT_OF_RESOURCE;
  if (action !== undefined) return LIST_AUDIT_OF_ACTION;
  return userId === undefined ? LIST_AUDIT_ENTRIES : LIST_AUDIT_OF_USER;
}

/** An id is made by a process, and the time of its entry by the database: their clocks may differ this much. */
const CLOCKS_DIFFER_MS = 3_600_000;

/** The lowest and the highest id that entries of a time can have. */
function idsOf({ from, to }: AuditFilter): readonly [string, string] {
  const around = (at: Date, ms: number, side: "before" | "after"): string =>
    idAround("audit", new Date(at.getTime() + ms), side);
  return [
    from === undefined ? "" : around(from, -CLOCKS_DIFFER_MS, "before"),
    to === undefined ? "zzzz" : around(to, CLOCKS_DIFFER_MS, "after"),
  ];
}

export const auditEntries = {
  /** All are of one organization. */
  insert: (tx: Transaction, organizationId: string, entries: readonly Omit<AuditEntry, "at">[]) =>
    tx.send(INSERT_AUDIT_ENTRIES, [
      organizationId,
      entries.map(({ id }) => id),
      entries.map(({ userId }) => userId),
      entries.map(({ apiKeyId }) => apiKeyId),
      entries.map(({ action }) => action),
      entries.map(({ resourceId }) => resourceId),
      entries.map(({ requestId }) => requestId),
      entries.map(({ sourceAddress }) => sourceAddress),
      entries.map(({ details }) => (details === null ? null : JSON.stringify(details))),
    ]),
  list: (sql: Sql, organizationId: string, page: Page, filter: AuditFilter) =>
    sql.query(listAuditBy(filter)[page.order], [
      organizationId,
      idBefore(page),
      page.limit + 1,
      filter.resourceId ?? null,
      filter.userId ?? null,
      filter.action ?? null,
      filter.from ?? null,
      filter.to ?? null,
      ...idsOf(filter),
    ]),
  /** @returns whether there may be more */
  prune: async (sql: Sql, before: Date) =>
    mayHaveMore(await sql.query(PRUNE_AUDIT_ENTRIES, [before, PRUNE_BATCH])),
};
