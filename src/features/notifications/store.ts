import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { enqueueStatement } from "../../jobs/enqueue.ts";
import type { Health } from "../webhooks/webhook-endpoint.ts";
import type { Channel, ChannelSettings } from "./channel.ts";

const COLUMNS = `organization_id AS "organizationId", id, user_id AS "userId", kind, name, host, recipients, types,
  project_id AS "projectId", environment_id AS "environmentId", project_ids AS "projectIds", status, disabled_reason AS "disabledReason", failures,
  failing_since AS "failingSince", resume_at AS "resumeAt", cursor::float8 AS cursor, last_sent_at AS "lastSentAt",
  error_code AS "errorCode", answer, created_at AS "createdAt", updated_at AS "updatedAt"`;

const INSERT = writeStatement<Channel>(
  "notification_channels_insert",
  `INSERT INTO notification_channels (organization_id, id, name, host, recipients, types, project_id, environment_id,
                                      project_ids, sealed_url, kind, cursor, user_id)
   VALUES ($1, $2, $3, $4, $5::text[], $6::text[], $7, $8, $9::text[], $10, $11, $12::float8, $13)
   RETURNING ${COLUMNS}`,
);

const COUNT = readStatement<{ count: number }>(
  "notification_channels_count",
  `SELECT count(*)::int AS count FROM notification_channels WHERE organization_id = $1 AND user_id IS NULL`,
);

/** Channels of an organization are created one after another, because they are counted. */
const LOCK_COUNT = writeStatement(
  "notification_channels_lock_count",
  `SELECT pg_advisory_xact_lock(hashtextextended($1, 26131))`,
);

const FIND = readStatement<Channel>(
  "notification_channels_find",
  `SELECT ${COLUMNS} FROM notification_channels WHERE organization_id = $1 AND id = $2`,
);

const LOCK = writeStatement<Channel>(
  "notification_channels_lock",
  `SELECT ${COLUMNS} FROM notification_channels WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);

const FIND_OF_USER = readStatement<Channel>(
  "notification_channels_find_of_user",
  `SELECT ${COLUMNS} FROM notification_channels WHERE organization_id = $1 AND user_id = $2`,
);

/** Those of the organization. */
const LIST = pagedStatement<Channel>(
  "notification_channels_list",
  (after, direction) => `SELECT ${COLUMNS} FROM notification_channels
    WHERE organization_id = $1 AND user_id IS NULL AND id ${after} $2 ORDER BY id ${direction} LIMIT $3`,
);

const FIND_SEALED = readStatement<{ url: Uint8Array | null }>(
  "notification_channels_find_sealed",
  `SELECT sealed_url AS url FROM notification_channels WHERE organization_id = $1 AND id = $2`,
);

/** The URL stays as it is if $10 is null. */
const UPDATE = writeStatement<Channel>(
  "notification_channels_update",
  `UPDATE notification_channels
      SET name = $3, host = $4, recipients = $5::text[], types = $6::text[], project_id = $7, environment_id = $8,
          project_ids = $9::text[], sealed_url = coalesce($10, sealed_url), updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

const DELETE = writeStatement(
  "notification_channels_delete",
  `DELETE FROM notification_channels WHERE organization_id = $1 AND id = $2`,
);

/** What a user decides. $5 is the new cursor; null keeps it. */
const SET_STATUS = writeStatement<Channel>(
  "notification_channels_set_status",
  `UPDATE notification_channels
      SET status = $3, disabled_reason = $4, failures = 0, failing_since = NULL, resume_at = NULL, error_code = NULL,
          answer = NULL, cursor = coalesce($5::float8, cursor), updated_at = now()
    WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

/** Only if the cursor is unchanged, so that two workers never fold the same events. */
const ADVANCE = writeStatement<{ id: string }>(
  "notification_channels_advance",
  `UPDATE notification_channels SET cursor = $4::float8
    WHERE organization_id = $1 AND id = $2 AND cursor = $3::float8 AND status <> 'DISABLED' RETURNING id`,
);

/** Records what an attempt has shown. If a user decided otherwise meanwhile, that stays. */
const SET_HEALTH = writeStatement<{ id: string }>(
  "notification_channels_set_health",
  `UPDATE notification_channels
      SET status = $3, disabled_reason = $4, failures = $5, failing_since = $6, resume_at = $7, error_code = $8,
          answer = $9, last_sent_at = coalesce($10, last_sent_at)
    WHERE organization_id = $1 AND id = $2 AND status = $11 RETURNING id`,
);

/** The channels that may report one of some events, in the order of their ids, so that two statements cannot deadlock. */
const MATCHING = `SELECT c.organization_id, c.id, NULL::text FROM notification_channels c
    WHERE c.organization_id = $1 AND c.status <> 'DISABLED' AND EXISTS (
      SELECT 1 FROM jsonb_to_recordset($2::jsonb) AS v(patterns text[], "isDefault" boolean, "projectId" text,
             "environmentId" text)
       WHERE CASE WHEN c.types IS NULL THEN v."isDefault" ELSE c.types && v.patterns END
         AND (c.project_id IS NULL OR c.project_id = v."projectId")
         AND (c.environment_id IS NULL OR c.environment_id = v."environmentId")
         AND (c.project_ids IS NULL OR v."projectId" = ANY (c.project_ids)))
    ORDER BY c.id`;

/** In the transaction that numbered events. */
const ENQUEUE_MATCHING = writeStatement<{ count: number }>(
  "notification_channels_enqueue",
  `WITH enqueued AS (${enqueueStatement("notification-channel", MATCHING)} RETURNING 1)
   SELECT count(*)::int AS count FROM enqueued`,
);

/** A kind of newly numbered events. */
export type NumberedKind = {
  /** What a channel may have chosen to get it. */
  readonly patterns: readonly string[];
  readonly isDefault: boolean;
  readonly projectId: string | null;
  readonly environmentId: string | null;
};

type Row = { readonly organizationId: string; readonly id: string };

const valuesOf = ({ organizationId, id }: Row, one: ChannelSettings) => {
  const { name, host, recipients, types, projectId, environmentId, projectIds } = one;
  return [organizationId, id, name, host, recipients, types, projectId, environmentId, projectIds];
};

export const channels = {
  insert: async (
    tx: Transaction,
    channel: ChannelSettings & Row & Pick<Channel, "kind" | "cursor" | "userId">,
    sealedUrl: Uint8Array | null,
  ) => {
    const { kind, cursor, userId } = channel;
    const values = [...valuesOf(channel, channel), sealedUrl, kind, cursor, userId];
    return (await tx.query(INSERT, values))[0] ?? null;
  },
  count: async (sql: Sql, organizationId: string) =>
    (await sql.query(COUNT, [organizationId]))[0]?.count ?? 0,
  lockCount: async (tx: Transaction, organizationId: string) =>
    void (await tx.query(LOCK_COUNT, [organizationId])),
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  findOfUser: async (sql: Sql, organizationId: string, userId: string) =>
    (await sql.query(FIND_OF_USER, [organizationId, userId]))[0] ?? null,
  /** Makes all other changes of it wait until the transaction ends. */
  lock: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(LOCK, [organizationId, id]))[0] ?? null,
  list: (sql: Sql, organizationId: string, page: Page) =>
    sql.query(LIST[page.order], [organizationId, idBefore(page), page.limit + 1]),
  findSealed: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_SEALED, [organizationId, id]))[0]?.url ?? null,
  /** @param sealedUrl null to keep it */
  update: async (tx: Transaction, row: Row, settings: ChannelSettings, sealedUrl: Uint8Array | null) =>
    (await tx.query(UPDATE, [...valuesOf(row, settings), sealedUrl]))[0] ?? null,
  delete: (tx: Transaction, { organizationId, id }: Row) => tx.send(DELETE, [organizationId, id]),
  setStatus: async (
    tx: Transaction,
    { organizationId, id }: Row,
    { status, disabledReason }: Pick<Health, "status" | "disabledReason">,
    cursor: number | null,
  ) => (await tx.query(SET_STATUS, [organizationId, id, status, disabledReason, cursor]))[0] ?? null,
  /** False if a user or another worker was first. */
  advance: async (tx: Transaction, { organizationId, id, cursor }: Channel, to: number) =>
    (await tx.query(ADVANCE, [organizationId, id, cursor, to])).length > 0,
  /** False if a user changed its status meanwhile. */
  setHealth: async (
    tx: Transaction,
    { organizationId, id, status: before }: Channel,
    health: Health & Pick<Channel, "errorCode" | "answer" | "lastSentAt">,
  ) => {
    const { status, disabledReason, failures, failingSince, resumeAt, errorCode, answer, lastSentAt } =
      health;
    const shown = [errorCode, answer, lastSentAt];
    const values = [
      organizationId,
      id,
      status,
      disabledReason,
      failures,
      failingSince,
      resumeAt,
      ...shown,
      before,
    ];
    return (await tx.query(SET_HEALTH, values)).length > 0;
  },
  /** @returns how many were enqueued */
  enqueueMatching: async (tx: Transaction, organizationId: string, kinds: readonly NumberedKind[]) => {
    const [row] = await tx.query(ENQUEUE_MATCHING, [organizationId, JSON.stringify(kinds)]);
    return row?.count ?? 0;
  },
};
