import { readAsOwner, readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { type Page, pagedStatement } from "../../db/page.ts";
import { mayHaveMore, PRUNE_BATCH } from "../../db/prune.ts";
import { visibleProject, visibleValues } from "../../db/visible.ts";
import type { Event, EventFilter, EventPlace, EventReader } from "./event.ts";
import { INSERT_EVENTS, type OutboxParameters } from "./outbox.ts";

/** The result of numbering an organization's events: the last number, and the kinds of the numbered events. */
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

const INSERT = writeStatement("event_outbox_insert", INSERT_EVENTS);

/** Those with the oldest events. */
const LIST_UNNUMBERED = readAsOwner<{ organizationId: string }>(
  "event_outbox_list_organizations",
  `SELECT DISTINCT o.organization_id AS "organizationId"
     FROM (SELECT organization_id FROM event_outbox ORDER BY position LIMIT $1) o`,
);

/** How many events one statement numbers. */
export const NUMBER_BATCH = 1_000;

const ADD_HEAD = writeStatement(
  "event_heads_add",
  `INSERT INTO event_heads (organization_id) VALUES ($1) ON CONFLICT DO NOTHING`,
);

const LOCK_HEAD = writeStatement<{ organizationId: string }>(
  "event_heads_lock",
  `SELECT organization_id AS "organizationId" FROM event_heads
    WHERE organization_id = $1 FOR NO KEY UPDATE SKIP LOCKED`,
);

/** A statement of its own: it sees what was committed before the lock was taken. */
const NUMBER = writeStatement<Head>(
  "events_number",
  `WITH taken AS (
     DELETE FROM event_outbox WHERE organization_id = $1 AND position IN (
       SELECT position FROM event_outbox WHERE organization_id = $1 ORDER BY position LIMIT $2)
     RETURNING *),
   counted AS (
     SELECT taken.*, row_number() OVER (ORDER BY position) AS nth FROM taken),
   head AS (
     UPDATE event_heads h SET last = h.last + c.count
       FROM (SELECT count(*) AS count FROM taken) c
      WHERE h.organization_id = $1 AND c.count > 0
     RETURNING h.organization_id, h.last, h.last - c.count AS before),
   numbered AS (
     INSERT INTO events (organization_id, sequence, id, type, occurred_at, subject_type, subject_id, project_id,
                         environment_id, service_id, actor_kind, actor_id, request_id, data, numbered_at)
     SELECT c.organization_id, head.before + c.nth, c.id, c.type, c.occurred_at, c.subject_type, c.subject_id,
            c.project_id, c.environment_id, c.service_id, c.actor_kind, c.actor_id, c.request_id, c.data,
            clock_timestamp()
       FROM counted c, head
     RETURNING events.sequence)
   SELECT head.organization_id AS "organizationId", head.last::float8 AS last,
          (SELECT jsonb_agg(DISTINCT jsonb_build_object('type', c.type, 'projectId', c.project_id, 'environmentId',
                    c.environment_id, 'endpointId', CASE WHEN c.subject_type = 'webhook_endpoint' THEN c.subject_id END))
             FROM counted c) AS kinds
     FROM head`,
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

/** Of a deleted project that only its members saw, nothing for others. A reader of null sees all. */
const shownTo = (reader: string): string =>
  `(${reader}::text IS NULL OR NOT EXISTS (SELECT 1 FROM deleted_projects d
       WHERE d.organization_id = $1 AND d.id = events.project_id AND ${reader} <> ALL (d.member_ids)))`;

const listWhere = (name: string, condition: string) =>
  readStatement<Event>(
    name,
    `SELECT ${COLUMNS} FROM events
    WHERE organization_id = $1 AND sequence > $2 AND ${IN_PLACE} AND sequence <= $6 AND ${visibleProject("project_id", "$8", "$9")}
      AND ${shownTo("$10")} ${condition}
    ORDER BY sequence LIMIT $7`,
  );
const LIST = listWhere("events_list", "");
const LIST_OF_SUBJECT = listWhere("events_list_of_subject", "AND subject_id = $11");

/**
 * Of some subjects, in order. The events of the other subjects than the first count only if they name it, as those of a
 * certificate do. Each subject's are read by the index, no more than a page.
 */
const LIST_OF_SUBJECTS = pagedStatement<Event>(
  "events_list_of_subjects",
  (after, direction) =>
    `SELECT found.* FROM unnest($2::text[]) AS given(id) CROSS JOIN LATERAL (
       SELECT ${COLUMNS} FROM events e
        WHERE e.organization_id = $1 AND e.subject_id = given.id AND e.sequence ${after} $3::bigint
          AND (given.id = ($2::text[])[1] OR e.data -> 'names' @> to_jsonb($4::text))
        ORDER BY e.sequence ${direction} LIMIT $5) found
      ORDER BY found.sequence ${direction} LIMIT $5`,
);

const LIST_NUMBERED = readStatement<Event>(
  "events_list_numbered",
  `SELECT ${COLUMNS} FROM events
    WHERE organization_id = $1 AND sequence = ANY ($2::float8[]::bigint[])
      AND ${visibleProject("project_id", "$3", "$4")} AND ${shownTo("$5")}`,
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

/** The largest `bigint`. */
const LAST_SEQUENCE = "9223372036854775807";

const SEES_ALL: EventReader = { visible: null, userId: null };

type Range = { readonly after: number; readonly through: number; readonly limit: number };

const valuesOf = ({ types, projectId, environmentId }: EventPlace) =>
  [types, projectId, environmentId] as const;

export const events = {
  insert: (tx: Transaction, organizationId: string, rows: OutboxParameters) =>
    tx.send(INSERT, [organizationId, ...rows]),
  /** Some of the organizations that have events to number. */
  listUnnumbered: async (sql: Sql) =>
    (await sql.query(LIST_UNNUMBERED, [NUMBER_BATCH])).map(({ organizationId }) => organizationId),
  /** Locks an organization's head. @returns false when another process numbers its events */
  lockHead: async (tx: Transaction, organizationId: string) => {
    tx.send(ADD_HEAD, [organizationId]);
    return (await tx.query(LOCK_HEAD, [organizationId])).length > 0;
  },
  /** @returns null when there are none */
  number: async (tx: Transaction, organizationId: string) =>
    (await tx.query(NUMBER, [organizationId, NUMBER_BATCH]))[0] ?? null,
  bounds: async (sql: Sql, organizationId: string) =>
    (await sql.query(BOUNDS, [organizationId]))[0] ?? { last: 0, oldest: 1 },
  list: (sql: Sql, organizationId: string, { after, through, limit }: Range, filter: EventFilter) => {
    const { subjectId, reader = SEES_ALL } = filter;
    const place = [organizationId, after, ...valuesOf(filter), through, limit] as const;
    const values = [...place, ...visibleValues(reader.visible), reader.userId];
    return subjectId === null ? sql.query(LIST, values) : sql.query(LIST_OF_SUBJECT, [...values, subjectId]);
  },
  /** @param name of the first subject, which the events of the others must name */
  listOfSubjects: (
    sql: Sql,
    organizationId: string,
    { ids, name }: { readonly ids: readonly string[]; readonly name: string },
    { after, order, limit }: Page,
  ) => {
    const from = after ?? (order === "asc" ? "0" : LAST_SEQUENCE);
    return sql.query(LIST_OF_SUBJECTS[order], [organizationId, ids, from, name, limit + 1]);
  },
  listNumbered: async (
    sql: Sql,
    organizationId: string,
    sequences: readonly number[],
    { visible, userId }: EventReader = SEES_ALL,
  ) =>
    sequences.length === 0
      ? []
      : await sql.query(LIST_NUMBERED, [organizationId, sequences, ...visibleValues(visible), userId]),
  findBefore: async (sql: Sql, organizationId: string, before: number, place: EventPlace) =>
    (await sql.query(FIND_BEFORE, [organizationId, before, ...valuesOf(place)]))[0]?.sequence ?? null,
  count: async (sql: Sql, organizationId: string, range: Range, place: EventPlace) =>
    (await sql.query(COUNT, [organizationId, range.after, ...valuesOf(place), range.through, range.limit]))[0]
      ?.count ?? 0,
  findNumberedAt: async (sql: Sql, organizationId: string, sequence: number) =>
    (await sql.query(FIND_NUMBERED_AT, [organizationId, sequence]))[0]?.numberedAt ?? null,
  prune: async (sql: Sql, before: Date) => mayHaveMore(await sql.query(PRUNE, [before, PRUNE_BATCH])),
};
