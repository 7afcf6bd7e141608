import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { mayHaveMore, PRUNE_BATCH } from "../../db/prune.ts";
import type { Event } from "./event.ts";
import { insertEvents, type Told } from "./told.ts";

/** What was numbered of an organization: its last number, and what differs among the events. */
export type Head = {
  readonly organizationId: string;
  readonly last: number;
  readonly kinds: readonly EventKind[];
};

/** @param endpointId of an event about a webhook endpoint */
export type EventKind = {
  readonly type: string;
  readonly projectId: string | null;
  readonly environmentId: string | null;
  readonly endpointId: string | null;
};

const INSERT = writeStatement("event_outbox_insert", insertEvents(2));

const HAS_UNNUMBERED = readStatement<{ position: string }>(
  "event_outbox_find",
  `SELECT position FROM event_outbox ORDER BY position LIMIT 1`,
);

/** How many events one statement numbers. */
export const NUMBER_BATCH = 1_000;

const ADD_HEADS = writeStatement(
  "event_heads_add",
  `INSERT INTO event_heads (organization_id)
   SELECT DISTINCT o.organization_id FROM (SELECT organization_id FROM event_outbox ORDER BY position LIMIT $1) o
    WHERE NOT EXISTS (SELECT FROM event_heads h WHERE h.organization_id = o.organization_id)
   ON CONFLICT DO NOTHING`,
);

const LOCK_HEADS = writeStatement<{ organizationId: string }>(
  "event_heads_lock",
  `SELECT organization_id AS "organizationId" FROM event_heads
    WHERE organization_id IN (
      SELECT o.organization_id FROM (SELECT organization_id FROM event_outbox ORDER BY position LIMIT $1) o)
      FOR NO KEY UPDATE SKIP LOCKED`,
);

/** A statement of its own: it sees what was committed before the lock was taken. */
const NUMBER = writeStatement<Head>(
  "events_number",
  `WITH taken AS (
     DELETE FROM event_outbox WHERE (position, organization_id) IN (
       SELECT position, organization_id FROM event_outbox WHERE organization_id = ANY ($1) ORDER BY position LIMIT $2)
     RETURNING *),
   counted AS (
     SELECT taken.*, row_number() OVER (PARTITION BY organization_id ORDER BY position) AS nth FROM taken),
   heads AS (
     UPDATE event_heads h SET last = h.last + c.count
       FROM (SELECT organization_id, count(*) AS count FROM taken GROUP BY organization_id) c
      WHERE h.organization_id = c.organization_id
     RETURNING h.organization_id, h.last, h.last - c.count AS before),
   numbered AS (
     INSERT INTO events (organization_id, sequence, id, type, occurred_at, subject_type, subject_id, project_id,
                         environment_id, service_id, actor_kind, actor_id, request_id, data, numbered_at)
     SELECT c.organization_id, heads.before + c.nth, c.id, c.type, c.occurred_at, c.subject_type, c.subject_id,
            c.project_id, c.environment_id, c.service_id, c.actor_kind, c.actor_id, c.request_id, c.data,
            clock_timestamp()
       FROM counted c JOIN heads ON heads.organization_id = c.organization_id)
   SELECT heads.organization_id AS "organizationId", heads.last::float8 AS last,
          (SELECT jsonb_agg(DISTINCT jsonb_build_object('type', c.type, 'projectId', c.project_id, 'environmentId',
                    c.environment_id, 'endpointId', CASE c.subject_type WHEN 'webhook_endpoint' THEN c.subject_id END))
             FROM counted c WHERE c.organization_id = heads.organization_id) AS kinds
     FROM heads`,
);

const COLUMNS = `organization_id AS "organizationId", sequence::float8 AS sequence, id, type, occurred_at AS "occurredAt",
  subject_type AS "subjectType", subject_id AS "subjectId", project_id AS "projectId",
  environment_id AS "environmentId", service_id AS "serviceId", actor_kind AS "actorKind", actor_id AS "actorId",
  request_id AS "requestId", data`;

/** The last number, and the oldest that is kept: the next one if none is. */
const BOUNDS = readStatement<{ last: number; oldest: number }>(
  "events_bounds",
  `SELECT h.last::float8 AS last,
          coalesce((SELECT min(e.sequence) FROM events e WHERE e.organization_id = $1), h.last + 1)::float8 AS oldest
     FROM event_heads h WHERE h.organization_id = $1`,
);

const IN_PLACE = `($3::text[] IS NULL OR type = ANY ($3)) AND ($4::text IS NULL OR project_id = $4)
      AND ($5::text IS NULL OR environment_id = $5)`;

const LIST = readStatement<Event>(
  "events_list",
  `SELECT ${COLUMNS} FROM events
    WHERE organization_id = $1 AND sequence > $2 AND ${IN_PLACE} AND sequence <= $6 ORDER BY sequence LIMIT $7`,
);

const LIST_OF_SUBJECT = readStatement<Event>(
  "events_list_of_subject",
  `SELECT ${COLUMNS} FROM events
    WHERE organization_id = $1 AND sequence > $2 AND ${IN_PLACE} AND sequence <= $6 AND subject_id = $8
    ORDER BY sequence LIMIT $7`,
);

const LIST_NUMBERED = readStatement<Event>(
  "events_list_numbered",
  `SELECT ${COLUMNS} FROM events WHERE organization_id = $1 AND sequence = ANY ($2::float8[]::bigint[])`,
);

const FIND_BEFORE = readStatement<{ sequence: number }>(
  "events_find_before",
  `SELECT sequence::float8 AS sequence FROM events
    WHERE organization_id = $1 AND sequence < $2 AND ${IN_PLACE} ORDER BY sequence DESC LIMIT 1`,
);

const COUNT = readStatement<{ count: number }>(
  "events_count",
  `SELECT count(*)::int AS count FROM (
     SELECT 1 FROM events WHERE organization_id = $1 AND sequence > $2 AND ${IN_PLACE} AND sequence <= $6 LIMIT $7) found`,
);

const FIND_NUMBERED_AT = readStatement<{ numberedAt: Date }>(
  "events_find_numbered_at",
  `SELECT numbered_at AS "numberedAt" FROM events WHERE organization_id = $1 AND sequence = $2`,
);

/** A sweep over all organizations. It removes from the front, so that no gap appears between events that are kept. */
const PRUNE = writeStatement<{ count: number }>(
  "events_prune",
  `WITH old AS (
     SELECT organization_id, max(sequence) AS last
       FROM (SELECT organization_id, sequence FROM events WHERE numbered_at < $1 ORDER BY numbered_at LIMIT $2) oldest
      GROUP BY organization_id),
   pruned AS (
     DELETE FROM events e USING old WHERE e.organization_id = old.organization_id AND e.sequence <= old.last
     RETURNING e.id)
   SELECT count(id)::int AS count FROM pruned`,
);

/** Which events of an organization. */
export type EventPlace = {
  /** Exact types; null for all. */
  readonly types: readonly string[] | null;
  readonly projectId: string | null;
  readonly environmentId: string | null;
};

type Range = { readonly after: number; readonly through: number; readonly limit: number };

const valuesOf = ({ types, projectId, environmentId }: EventPlace) =>
  [types, projectId, environmentId] as const;

export const events = {
  insert: (tx: Transaction, organizationId: string, told: Told) => tx.send(INSERT, [organizationId, ...told]),
  hasUnnumbered: async (sql: Sql) => (await sql.query(HAS_UNNUMBERED)).length > 0,
  addHeads: (tx: Transaction) => tx.send(ADD_HEADS, [NUMBER_BATCH]),
  /** Locks the heads of organizations with events to number, except those that another process numbers. */
  lockHeads: async (tx: Transaction) =>
    (await tx.query(LOCK_HEADS, [NUMBER_BATCH])).map(({ organizationId }) => organizationId),
  number: (tx: Transaction, organizationIds: readonly string[]) =>
    tx.query(NUMBER, [organizationIds, NUMBER_BATCH]),
  bounds: async (sql: Sql, organizationId: string) =>
    (await sql.query(BOUNDS, [organizationId]))[0] ?? { last: 0, oldest: 1 },
  list: (sql: Sql, organizationId: string, range: Range, place: EventPlace) =>
    sql.query(LIST, [organizationId, range.after, ...valuesOf(place), range.through, range.limit]),
  listOfSubject: (sql: Sql, organizationId: string, range: Range, place: EventPlace, subjectId: string) =>
    sql.query(LIST_OF_SUBJECT, [
      organizationId,
      range.after,
      ...valuesOf(place),
      range.through,
      range.limit,
      subjectId,
    ]),
  listNumbered: (sql: Sql, organizationId: string, sequences: readonly number[]) =>
    sql.query(LIST_NUMBERED, [organizationId, sequences]),
  findBefore: async (sql: Sql, organizationId: string, before: number, place: EventPlace) =>
    (await sql.query(FIND_BEFORE, [organizationId, before, ...valuesOf(place)]))[0]?.sequence ?? null,
  count: async (sql: Sql, organizationId: string, range: Range, place: EventPlace) =>
    (await sql.query(COUNT, [organizationId, range.after, ...valuesOf(place), range.through, range.limit]))[0]
      ?.count ?? 0,
  findNumberedAt: async (sql: Sql, organizationId: string, sequence: number) =>
    (await sql.query(FIND_NUMBERED_AT, [organizationId, sequence]))[0]?.numberedAt ?? null,
  prune: async (sql: Sql, before: Date) => mayHaveMore(await sql.query(PRUNE, [before, PRUNE_BATCH])),
};
