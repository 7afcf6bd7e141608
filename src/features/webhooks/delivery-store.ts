import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { createPrune } from "../../db/prune.ts";
import type { Delivery, DeliveryStatus, ListedDelivery } from "./delivery.ts";

const COLUMNS = `d.organization_id AS "organizationId", d.endpoint_id AS "endpointId", d.id,
  d.sequence::float8 AS sequence, d.event_id AS "eventId", d.event_type AS "eventType", d.subject_id AS "subjectId",
  d.previous_sequence::float8 AS "previousSequence", d.trigger, d.status, d.attempts, d.spent, d.is_open AS "isOpen",
  d.holds, d.next_attempt_at AS "nextAttemptAt", d.created_at AS "createdAt"`;

const INSERT_PING = writeStatement(
  "webhook_deliveries_insert_ping",
  `INSERT INTO webhook_deliveries (organization_id, endpoint_id, id, event_type, subject_id, previous_sequence, trigger,
                                   status, is_open, next_attempt_at)
   VALUES ($1, $2, $3, $4, $2, $5::float8, 'ping', 'PENDING', true, $6)`,
);

const WITH_LAST = `${COLUMNS}, a.status AS "lastStatus", a.error_code AS "lastErrorCode",
         a.started_at AS "lastAttemptAt"
    FROM webhook_deliveries d
    LEFT JOIN webhook_attempts a
      ON a.organization_id = d.organization_id AND a.delivery_id = d.id AND a.number = d.attempts`;

const FIND = readStatement<ListedDelivery>(
  "webhook_deliveries_find",
  `SELECT ${WITH_LAST} WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.id = $3`,
);

const LIST = pagedStatement<ListedDelivery>(
  "webhook_deliveries_list",
  (after, direction) => `SELECT ${WITH_LAST}
    WHERE d.organization_id = $1 AND d.endpoint_id = $4 AND d.id ${after} $2
      AND ($5::text IS NULL OR d.status = $5) AND ($6::text IS NULL OR d.event_type = $6)
    ORDER BY d.id ${direction} LIMIT $3`,
);

/** The open deliveries that are due first. */
const LIST_OPEN = readStatement<Delivery>(
  "webhook_deliveries_list_open",
  `SELECT ${COLUMNS} FROM webhook_deliveries d
    WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.is_open ORDER BY d.next_attempt_at, d.sequence LIMIT $3`,
);

/** The open deliveries that users asked for. */
const LIST_ASKED = readStatement<Delivery>(
  "webhook_deliveries_list_asked",
  `SELECT ${COLUMNS} FROM webhook_deliveries d
    WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.is_open AND d.trigger IN ('manual', 'ping')
    ORDER BY d.next_attempt_at, d.sequence LIMIT $3`,
);

/** A delivery that a user asked for again keeps nothing waiting. */
const LIST_HELD_SUBJECTS = readStatement<{ subjectId: string }>(
  "webhook_deliveries_list_held_subjects",
  `SELECT DISTINCT subject_id AS "subjectId" FROM webhook_deliveries
    WHERE organization_id = $1 AND endpoint_id = $2 AND is_open AND subject_id = ANY ($3::text[])
      AND trigger IN ('auto', 'replay')`,
);

const LIST_OF_EVENTS = readStatement<Delivery>(
  "webhook_deliveries_list_of_events",
  `SELECT ${COLUMNS} FROM webhook_deliveries d
    WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.sequence = ANY ($3::bigint[])`,
);

const LIST_FAILED = readStatement<Delivery>(
  "webhook_deliveries_list_failed",
  `SELECT ${COLUMNS} FROM webhook_deliveries d
    WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.status = 'FAILED' AND d.sequence > $3::bigint
      AND d.sequence <= $4::bigint AND d.event_type = ANY ($5::text[])
    ORDER BY d.sequence LIMIT $6`,
);

const COUNT_FAILED = readStatement<{ count: number }>(
  "webhook_deliveries_count_failed",
  `SELECT count(*)::int AS count FROM (
     SELECT 1 FROM webhook_deliveries
      WHERE organization_id = $1 AND endpoint_id = $2 AND status = 'FAILED' AND sequence > $3::bigint
        AND sequence <= $4::bigint AND event_type = ANY ($5::text[]) LIMIT $6) failed`,
);

/** A finished delivery is sent once more; a waiting delivery is sent now. */
const ASK_AGAIN = writeStatement<{ id: string }>(
  "webhook_deliveries_ask_again",
  `UPDATE webhook_deliveries
      SET trigger = CASE WHEN status = 'PENDING' THEN trigger ELSE 'manual' END, status = 'PENDING', is_open = true,
          next_attempt_at = $4
    WHERE organization_id = $1 AND endpoint_id = $2 AND id = $3 RETURNING id`,
);

/** Before an attempt: new ones, and the next attempt of others. */
const BEGIN = writeStatement(
  "webhook_deliveries_begin",
  `INSERT INTO webhook_deliveries (organization_id, endpoint_id, id, sequence, event_id, event_type, subject_id,
                                   previous_sequence, trigger, status, attempts, spent, is_open, holds, next_attempt_at)
   SELECT $1, $2, b.id, b.sequence, b."eventId", b."eventType", b."subjectId", b."previousSequence", b.trigger,
          'PENDING', b.attempts, b.spent, true, b.holds, $4
     FROM jsonb_to_recordset($3::jsonb) AS b(id text, sequence bigint, "eventId" text, "eventType" text,
          "subjectId" text, "previousSequence" bigint, trigger text, attempts int, spent int, holds boolean)
   ON CONFLICT (organization_id, id) DO UPDATE
     SET sequence = excluded.sequence, event_id = excluded.event_id, previous_sequence = excluded.previous_sequence,
         trigger = excluded.trigger, status = 'PENDING', attempts = excluded.attempts, spent = excluded.spent,
         is_open = true, next_attempt_at = excluded.next_attempt_at`,
);

const HOLD = writeStatement(
  "webhook_deliveries_hold",
  `UPDATE webhook_deliveries SET holds = true
    WHERE organization_id = $1 AND id = ANY (ARRAY(
      SELECT DISTINCT ON (subject_id) id FROM webhook_deliveries
       WHERE organization_id = $1 AND endpoint_id = $2 AND is_open AND subject_id = ANY ($3::text[])
         AND trigger IN ('auto', 'replay')
       ORDER BY subject_id, sequence DESC))`,
);

/**
 * Runs after attempts. The ids are also a parameter of their own: PostgreSQL overestimates the rows in the JSON, and
 * would read all deliveries of the organization. A row that another worker has begun again meanwhile stays unchanged.
 */
const END = writeStatement(
  "webhook_deliveries_end",
  `UPDATE webhook_deliveries d
      SET status = e.status, attempts = e.attempts, spent = e.spent, next_attempt_at = e."nextAttemptAt",
          is_open = e.status = 'PENDING' OR d.holds
     FROM jsonb_to_recordset($2::jsonb) AS e(id text, number int, status text, attempts int, spent int,
          "nextAttemptAt" timestamptz)
    WHERE d.organization_id = $1 AND d.id = ANY ($3::text[]) AND d.id = e.id AND d.attempts = e.number`,
);

/** The later events of their subjects are on their way. */
const CLOSE = writeStatement(
  "webhook_deliveries_close",
  `UPDATE webhook_deliveries SET is_open = false, holds = false
    WHERE organization_id = $1 AND id = ANY ($2::text[]) AND status <> 'PENDING'`,
);

/** Their event is no longer kept. */
const GIVE_UP = writeStatement(
  "webhook_deliveries_give_up",
  `UPDATE webhook_deliveries SET status = 'FAILED', is_open = holds
    WHERE organization_id = $1 AND id = ANY ($2::text[])`,
);

/** An endpoint answers again: what was only probed need not wait. */
const HASTEN_PROBED = writeStatement(
  "webhook_deliveries_hasten_probed",
  `UPDATE webhook_deliveries SET next_attempt_at = $3
    WHERE organization_id = $1 AND endpoint_id = $2 AND is_open AND spent < attempts AND next_attempt_at > $3`,
);

/** A delivery whose attempt begins. */
export type Beginning = Pick<
  Delivery,
  "id" | "sequence" | "eventId" | "eventType" | "subjectId" | "previousSequence" | "trigger" | "holds"
> & { readonly attempts: number; readonly spent: number };

/** A delivery whose attempt `number` ended, or was not made. */
export type Ending = {
  readonly id: string;
  readonly number: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly spent: number;
  readonly nextAttemptAt: Date;
};

type Owner = { readonly organizationId: string; readonly id: string };
type Range = { readonly after: number; readonly through: number; readonly limit: number };

export const deliveries = {
  insertPing: (
    tx: Transaction,
    { organizationId, id: endpointId }: Owner,
    ping: { readonly id: string; readonly eventType: string; readonly after: number; readonly at: Date },
  ) => tx.send(INSERT_PING, [organizationId, endpointId, ping.id, ping.eventType, ping.after, ping.at]),
  find: async (sql: Sql, organizationId: string, endpointId: string, id: string) =>
    (await sql.query(FIND, [organizationId, endpointId, id]))[0] ?? null,
  list: (
    sql: Sql,
    { organizationId, id }: Owner,
    page: Page,
    { status, type }: { readonly status: DeliveryStatus | null; readonly type: string | null },
  ) => sql.query(LIST[page.order], [organizationId, idBefore(page), page.limit + 1, id, status, type]),
  listOpen: (sql: Sql, { organizationId, id }: Owner, limit: number) =>
    sql.query(LIST_OPEN, [organizationId, id, limit]),
  listAsked: (sql: Sql, { organizationId, id }: Owner, limit: number) =>
    sql.query(LIST_ASKED, [organizationId, id, limit]),
  listHeldSubjects: async (sql: Sql, { organizationId, id }: Owner, subjectIds: readonly string[]) =>
    (await sql.query(LIST_HELD_SUBJECTS, [organizationId, id, subjectIds])).map(({ subjectId }) => subjectId),
  listOfEvents: (sql: Sql, { organizationId, id }: Owner, sequences: readonly number[]) =>
    sql.query(LIST_OF_EVENTS, [organizationId, id, sequences]),
  listFailed: (sql: Sql, { organizationId, id }: Owner, range: Range, types: readonly string[]) =>
    sql.query(LIST_FAILED, [organizationId, id, range.after, range.through, types, range.limit]),
  countFailed: async (sql: Sql, { organizationId, id }: Owner, range: Range, types: readonly string[]) =>
    (await sql.query(COUNT_FAILED, [organizationId, id, range.after, range.through, types, range.limit]))[0]
      ?.count ?? 0,
  /** False when there is no such delivery. */
  askAgain: async (tx: Transaction, organizationId: string, endpointId: string, id: string, now: Date) =>
    (await tx.query(ASK_AGAIN, [organizationId, endpointId, id, now])).length > 0,
  begin: (tx: Transaction, { organizationId, id }: Owner, all: readonly Beginning[], now: Date) =>
    tx.send(BEGIN, [organizationId, id, JSON.stringify(all), now]),
  hold: (tx: Transaction, { organizationId, id }: Owner, subjectIds: readonly string[]) =>
    tx.send(HOLD, [organizationId, id, subjectIds]),
  end: (tx: Transaction, { organizationId }: Owner, all: readonly Ending[]) =>
    tx.send(END, [organizationId, JSON.stringify(all), all.map(({ id }) => id)]),
  close: (tx: Transaction, { organizationId }: Owner, ids: readonly string[]) =>
    tx.send(CLOSE, [organizationId, ids]),
  giveUp: (tx: Transaction, { organizationId }: Owner, ids: readonly string[]) =>
    tx.send(GIVE_UP, [organizationId, ids]),
  hastenProbed: (tx: Transaction, { organizationId, id }: Owner, now: Date) =>
    tx.send(HASTEN_PROBED, [organizationId, id, now]),
  prune: createPrune<[before: Date]>(
    "webhook_deliveries_prune",
    "webhook_deliveries",
    "organization_id, id",
    "created_at < $1 ORDER BY created_at",
  ),
};
