import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { createPrune } from "../../db/prune.ts";
import type { Identity, Role } from "../../lib/actor.ts";
import type { Session, SessionLimits } from "./session.ts";

const COLUMNS = `organization_id AS "organizationId", id, user_id AS "userId", api_key_id AS "apiKeyId", provider,
  source_address AS "sourceAddress", user_agent AS "userAgent", created_at AS "createdAt", last_seen_at AS "lastSeenAt"`;

/** `$3` and `$4` are the limits in seconds. */
const IS_OPEN = (table: string): string =>
  `${table}.last_seen_at > now() - $3::float8 * interval '1 second'
      AND ${table}.created_at > now() - $4::float8 * interval '1 second'`;

const INSERT = writeStatement<Session>(
  "sessions_insert",
  `INSERT INTO sessions (organization_id, id, user_id, hash, api_key_id, provider, source_address, user_agent)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
);

/** All but the newest of one key, or of sign-ins at providers. */
const DELETE_OLDEST = writeStatement(
  "sessions_delete_oldest",
  `DELETE FROM sessions WHERE organization_id = $1 AND id IN (
     SELECT id FROM sessions WHERE organization_id = $1 AND user_id = $2 AND api_key_id IS NOT DISTINCT FROM $3
      ORDER BY id DESC OFFSET $4)`,
);

const FIND = readStatement<Session>(
  "sessions_find",
  `SELECT ${COLUMNS} FROM sessions WHERE organization_id = $1 AND id = $2 AND ${IS_OPEN("sessions")}`,
);

const LIST = pagedStatement<Session>(
  "sessions_list",
  (after, direction) => `SELECT ${COLUMNS} FROM sessions
    WHERE organization_id = $1 AND user_id = $2 AND ${IS_OPEN("sessions")} AND id ${after} $5
    ORDER BY id ${direction} LIMIT $6`,
);

const DELETE = writeStatement<Session>(
  "sessions_delete",
  `DELETE FROM sessions WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

const DELETE_OF_USER = writeStatement<Session>(
  "sessions_delete_of_user",
  `DELETE FROM sessions WHERE organization_id = $1 AND user_id = $2 RETURNING ${COLUMNS}`,
);

/** A session ends with the key that it came from, also if the key expires, and may do no more than the key. */
const FIND_PRINCIPAL = readStatement<{ id: string; userId: string; role: Role } & Identity["access"]>(
  "sessions_find_principal",
  `SELECT s.id, u.id AS "userId", u.role, k.scopes, k.project_ids AS "projectIds"
     FROM sessions s
     JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id
     LEFT JOIN api_keys k ON k.organization_id = s.organization_id AND k.id = s.api_key_id
    WHERE s.organization_id = $1 AND s.hash = $2 AND ${IS_OPEN("s")}
      AND (k.expires_at IS NULL OR k.expires_at > now())`,
);

const inSeconds = ({ idleMs, maxMs }: SessionLimits): readonly [number, number] => [
  idleMs / 1_000,
  maxMs / 1_000,
];

export const sessions = {
  insert: async (tx: Transaction, session: Omit<Session, "createdAt" | "lastSeenAt">, hash: Uint8Array) => {
    const { organizationId, id, userId, apiKeyId, provider, sourceAddress, userAgent } = session;
    const values = [organizationId, id, userId, hash, apiKeyId, provider, sourceAddress, userAgent];
    return (await tx.query(INSERT, values))[0];
  },
  /** Of the same user, by the same key or by none. */
  deleteOldest: (tx: Transaction, { organizationId, userId, apiKeyId }: Session, kept: number) =>
    tx.send(DELETE_OLDEST, [organizationId, userId, apiKeyId, kept]),
  find: async (sql: Sql, organizationId: string, id: string, limits: SessionLimits) =>
    (await sql.query(FIND, [organizationId, id, ...inSeconds(limits)]))[0] ?? null,
  list: (sql: Sql, organizationId: string, userId: string, limits: SessionLimits, page: Page) => {
    const values = [organizationId, userId, ...inSeconds(limits), idBefore(page), page.limit + 1];
    return sql.query(LIST[page.order], values);
  },
  delete: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(DELETE, [organizationId, id]))[0] ?? null,
  deleteOfUser: (tx: Transaction, organizationId: string, userId: string) =>
    tx.query(DELETE_OF_USER, [organizationId, userId]),
  findPrincipal: async (
    sql: Sql,
    organizationId: string,
    hash: Uint8Array,
    limits: SessionLimits,
  ): Promise<Identity | null> => {
    const [row] = await sql.query(FIND_PRINCIPAL, [organizationId, hash, ...inSeconds(limits)]);
    if (row === undefined) return null;
    const { id, scopes, projectIds, ...of } = row;
    return { organizationId, ...of, access: { scopes, projectIds }, credential: { kind: "session", id } };
  },
  /** A session that reached its maximum age cannot be used, so it becomes idle. @returns whether there may be more */
  prune: createPrune<[idleMs: number]>(
    "sessions_prune",
    "sessions",
    "organization_id, id",
    "last_seen_at < now() - $1::float8 * interval '1 millisecond'",
  ),
};
