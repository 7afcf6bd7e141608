import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { enqueueStatement } from "../../jobs/enqueue.ts";
import type { EndpointSettings, Health, Replay, WebhookEndpoint } from "./webhook-endpoint.ts";

const COLUMNS = `organization_id AS "organizationId", id, url, description, types, project_id AS "projectId",
  environment_id AS "environmentId", max_per_second AS "maxPerSecond", header_names AS "headerNames",
  CASE WHEN sealed_previous_secret IS NOT NULL THEN previous_secret_until END AS "previousSecretUntil",
  status, disabled_reason AS "disabledReason", cursor::float8 AS cursor, matched::float8 AS matched, failures,
  failing_since AS "failingSince", resume_at AS "resumeAt", replay_cursor::float8 AS "replayCursor",
  replay_through::float8 AS "replayThrough", replay_types AS "replayTypes", replay_of_failed AS "isReplayOfFailed",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

const INSERT = writeStatement<WebhookEndpoint>(
  "webhook_endpoints_insert",
  `INSERT INTO webhook_endpoints (organization_id, id, url, description, types, project_id, environment_id,
                                  max_per_second, header_names, sealed_headers, sealed_secret, cursor)
   VALUES ($1, $2, $3, $4, $5::text[], $6, $7, $8, $9::text[], $10, $11, $12::float8) RETURNING ${COLUMNS}`,
);

const COUNT = readStatement<{ count: number }>(
  "webhook_endpoints_count",
  `SELECT count(*)::int AS count FROM webhook_endpoints WHERE organization_id = $1`,
);

/** Endpoints of an organization are created one after another, because they are counted. */
const LOCK_COUNT = writeStatement(
  "webhook_endpoints_lock_count",
  `SELECT pg_advisory_xact_lock(hashtextextended($1, 26138))`,
);

const FIND = readStatement<WebhookEndpoint>(
  "webhook_endpoints_find",
  `SELECT ${COLUMNS} FROM webhook_endpoints WHERE organization_id = $1 AND id = $2`,
);

const LOCK = writeStatement<WebhookEndpoint>(
  "webhook_endpoints_lock",
  `SELECT ${COLUMNS} FROM webhook_endpoints WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);

const LIST = pagedStatement<WebhookEndpoint>(
  "webhook_endpoints_list",
  (after, direction) => `SELECT ${COLUMNS} FROM webhook_endpoints
    WHERE organization_id = $1 AND id ${after} $2 ORDER BY id ${direction} LIMIT $3`,
);

const FIND_SEALED = readStatement<{
  secret: Uint8Array;
  previousSecret: Uint8Array | null;
  headers: Uint8Array | null;
}>(
  "webhook_endpoints_find_sealed",
  `SELECT sealed_secret AS secret, sealed_headers AS headers,
          CASE WHEN previous_secret_until > $3 THEN sealed_previous_secret END AS "previousSecret"
     FROM webhook_endpoints WHERE organization_id = $1 AND id = $2`,
);

/** The headers stay as they are if $10 is false. */
const UPDATE = writeStatement<WebhookEndpoint>(
  "webhook_endpoints_update",
  `UPDATE webhook_endpoints
      SET url = $3, description = $4, types = $5::text[], project_id = $6, environment_id = $7, max_per_second = $8,
          header_names = $9::text[], sealed_headers = CASE WHEN $10 THEN $11 ELSE sealed_headers END, updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

const DELETE = writeStatement<{ id: string }>(
  "webhook_endpoints_delete",
  `DELETE FROM webhook_endpoints WHERE organization_id = $1 AND id = $2 RETURNING id`,
);

/** The previous secret is still valid until $4; at once invalid if that is null. */
const ROTATE = writeStatement<WebhookEndpoint>(
  "webhook_endpoints_rotate",
  `UPDATE webhook_endpoints
      SET sealed_previous_secret = CASE WHEN $4::timestamptz IS NULL THEN NULL ELSE sealed_secret END,
          previous_secret_until = $4, sealed_secret = $3, updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

const REVOKE_PREVIOUS = writeStatement<WebhookEndpoint>(
  "webhook_endpoints_revoke_previous",
  `UPDATE webhook_endpoints SET sealed_previous_secret = NULL, previous_secret_until = NULL, updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

/** What a user decides. $5 is the new cursor; null keeps it. */
const SET_STATUS = writeStatement<WebhookEndpoint>(
  "webhook_endpoints_set_status",
  `UPDATE webhook_endpoints
      SET status = $3, disabled_reason = $4, failures = 0, failing_since = NULL, resume_at = NULL,
          cursor = coalesce($5::float8, cursor), updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

const START_REPLAY = writeStatement(
  "webhook_endpoints_start_replay",
  `UPDATE webhook_endpoints
      SET replay_cursor = $3::float8, replay_through = $4::float8, replay_types = $5::text[], replay_of_failed = $6
    WHERE organization_id = $1 AND id = $2`,
);

/** Only if the cursors are unchanged, so that two workers never continue from the same place. */
const ADVANCE = writeStatement<{ id: string }>(
  "webhook_endpoints_advance",
  `UPDATE webhook_endpoints
      SET cursor = $4::float8, matched = $5::float8, replay_cursor = $6::float8,
          replay_through = CASE WHEN $6::float8 IS NULL THEN NULL ELSE replay_through END,
          replay_types = CASE WHEN $6::float8 IS NULL THEN NULL ELSE replay_types END
    WHERE organization_id = $1 AND id = $2 AND cursor = $3::float8 AND status <> 'DISABLED'
      AND replay_cursor IS NOT DISTINCT FROM $7::float8
   RETURNING id`,
);

/** Records what attempts have shown. If a user decided otherwise meanwhile, that stays. */
const SET_HEALTH = writeStatement<{ id: string }>(
  "webhook_endpoints_set_health",
  `UPDATE webhook_endpoints
      SET status = $3, disabled_reason = $4, failures = $5, failing_since = $6, resume_at = $7
    WHERE organization_id = $1 AND id = $2 AND status = $8 RETURNING id`,
);

/** The endpoints that may get one of some events, in the order of their ids, so that two statements cannot deadlock. */
const MATCHING = `SELECT e.organization_id, e.id, NULL::text FROM webhook_endpoints e
    WHERE e.organization_id = $1 AND e.status <> 'DISABLED' AND EXISTS (
      SELECT 1 FROM jsonb_to_recordset($2::jsonb) AS v(type text, "projectId" text, "environmentId" text,
             "endpointId" text)
       WHERE CASE WHEN v.type = 'webhook_endpoint.ping' THEN v."endpointId" = e.id
             ELSE (e.resume_at IS NULL OR e.resume_at <= now())
              AND (v.type = ANY (e.types) OR '*' = ANY (e.types) OR split_part(v.type, '.', 1) || '.*' = ANY (e.types))
              AND (e.project_id IS NULL OR e.project_id = v."projectId")
              AND (e.environment_id IS NULL OR e.environment_id = v."environmentId") END)
    ORDER BY e.id`;

/** In the transaction that numbered events. */
const ENQUEUE_MATCHING = writeStatement<{ count: number }>(
  "webhook_endpoints_enqueue",
  `WITH enqueued AS (${enqueueStatement("webhook-endpoint", MATCHING)} RETURNING 1)
   SELECT count(*)::int AS count FROM enqueued`,
);

/** The newly numbered events of an organization, by their kinds. */
export type Numbered = { readonly organizationId: string; readonly kinds: readonly object[] };

type Row = { readonly organizationId: string; readonly id: string };

const valuesOf = ({ organizationId, id }: Row, one: EndpointSettings) => {
  const { url, description, types, projectId, environmentId, maxPerSecond, headerNames } = one;
  return [organizationId, id, url, description, types, projectId, environmentId, maxPerSecond, headerNames];
};

export const endpoints = {
  insert: async (
    tx: Transaction,
    endpoint: EndpointSettings & Row & Pick<WebhookEndpoint, "cursor">,
    sealed: { readonly headers: Uint8Array | null; readonly secret: Uint8Array },
  ) => {
    const values = [...valuesOf(endpoint, endpoint), sealed.headers, sealed.secret, endpoint.cursor];
    return (await tx.query(INSERT, values))[0] ?? null;
  },
  count: async (sql: Sql, organizationId: string) =>
    (await sql.query(COUNT, [organizationId]))[0]?.count ?? 0,
  lockCount: async (tx: Transaction, organizationId: string) =>
    void (await tx.query(LOCK_COUNT, [organizationId])),
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  /** Makes all other changes of it wait until the transaction ends. */
  lock: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(LOCK, [organizationId, id]))[0] ?? null,
  list: (sql: Sql, organizationId: string, page: Page) =>
    sql.query(LIST[page.order], [organizationId, idBefore(page), page.limit + 1]),
  findSealed: async (sql: Sql, organizationId: string, id: string, now: Date) =>
    (await sql.query(FIND_SEALED, [organizationId, id, now]))[0] ?? null,
  /** @param sealedHeaders undefined to keep them */
  update: async (
    tx: Transaction,
    row: Row,
    settings: EndpointSettings,
    sealedHeaders: Uint8Array | null | undefined,
  ) => {
    const values = [...valuesOf(row, settings), sealedHeaders !== undefined, sealedHeaders ?? null];
    return (await tx.query(UPDATE, values))[0] ?? null;
  },
  delete: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(DELETE, [organizationId, id])).length > 0,
  rotate: async (
    tx: Transaction,
    organizationId: string,
    id: string,
    sealed: Uint8Array,
    previousUntil: Date | null,
  ) => (await tx.query(ROTATE, [organizationId, id, sealed, previousUntil]))[0] ?? null,
  revokePrevious: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(REVOKE_PREVIOUS, [organizationId, id]))[0] ?? null,
  setStatus: async (
    tx: Transaction,
    organizationId: string,
    id: string,
    { status, disabledReason }: Pick<Health, "status" | "disabledReason">,
    cursor: number | null,
  ) => (await tx.query(SET_STATUS, [organizationId, id, status, disabledReason, cursor]))[0] ?? null,
  startReplay: (tx: Transaction, { organizationId, id }: Row, replay: Replay) => {
    const { cursor, through, types, isOfFailed } = replay;
    tx.send(START_REPLAY, [organizationId, id, cursor, through, types, isOfFailed]);
  },
  /** False if a user or another worker was first. */
  advance: async (
    tx: Transaction,
    { organizationId, id, cursor, replayCursor }: WebhookEndpoint,
    to: Pick<WebhookEndpoint, "cursor" | "matched" | "replayCursor">,
  ) => {
    const values = [organizationId, id, cursor, to.cursor, to.matched, to.replayCursor, replayCursor];
    return (await tx.query(ADVANCE, values)).length > 0;
  },
  /** False if a user changed its status meanwhile. */
  setHealth: async (
    tx: Transaction,
    { organizationId, id, status: before }: WebhookEndpoint,
    health: Health,
  ) => {
    const { status, disabledReason, failures, failingSince, resumeAt } = health;
    const values = [organizationId, id, status, disabledReason, failures, failingSince, resumeAt, before];
    return (await tx.query(SET_HEALTH, values)).length > 0;
  },
  /** @returns how many were enqueued */
  enqueueMatching: async (tx: Transaction, { organizationId, kinds }: Numbered) => {
    const [row] = await tx.query(ENQUEUE_MATCHING, [organizationId, JSON.stringify(kinds)]);
    return row?.count ?? 0;
  },
};
