import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { createPrune } from "../../db/prune.ts";
import type { Announced, Topic } from "./decide-notification.ts";

const COLUMNS = `key, announced, pending, sequence::float8 AS sequence, type, group_key AS "group",
  pending_since AS "pendingSince", pending_at AS "pendingAt"`;

const LIST = readStatement<Topic>(
  "notification_topics_list",
  `SELECT ${COLUMNS} FROM notification_topics
    WHERE organization_id = $1 AND channel_id = $2 AND key = ANY ($3::text[])`,
);

const LIST_PENDING = readStatement<Topic>(
  "notification_topics_list_pending",
  `SELECT ${COLUMNS} FROM notification_topics
    WHERE organization_id = $1 AND channel_id = $2 AND pending IS NOT NULL ORDER BY sequence LIMIT $3`,
);

const PUT = writeStatement(
  "notification_topics_put",
  `INSERT INTO notification_topics (organization_id, channel_id, key, announced, pending, sequence, type, group_key,
                                    pending_since, pending_at)
   SELECT $1, $2, t.key, t.announced, t.pending, t.sequence, t.type, t."group", t."pendingSince", t."pendingAt"
     FROM jsonb_to_recordset($3::jsonb) AS t(key text, announced text, pending text, sequence bigint, type text,
          "group" text, "pendingSince" timestamptz, "pendingAt" timestamptz)
   ON CONFLICT (organization_id, channel_id, key) DO UPDATE
     SET announced = excluded.announced, pending = excluded.pending, sequence = excluded.sequence,
         type = excluded.type, group_key = excluded.group_key, pending_since = excluded.pending_since,
         pending_at = excluded.pending_at, changed_at = excluded.changed_at`,
);

const DELETE = writeStatement(
  "notification_topics_delete",
  `DELETE FROM notification_topics WHERE organization_id = $1 AND channel_id = $2 AND key = ANY ($3::text[])`,
);

const DELETE_ALL = writeStatement(
  "notification_topics_delete_all",
  `DELETE FROM notification_topics WHERE organization_id = $1 AND channel_id = $2`,
);

const DELETE_GROUPS = writeStatement(
  "notification_groups_delete_all",
  `DELETE FROM notification_groups WHERE organization_id = $1 AND channel_id = $2`,
);

const LIST_GROUPS = readStatement<Announced & { group: string }>(
  "notification_groups_list",
  `SELECT group_key AS "group", announced_at AS "announcedAt", repeats FROM notification_groups
    WHERE organization_id = $1 AND channel_id = $2 AND announced_at > $3`,
);

const PUT_GROUPS = writeStatement(
  "notification_groups_put",
  `INSERT INTO notification_groups (organization_id, channel_id, group_key, announced_at, repeats)
   SELECT $1, $2, g.key, $5, g.repeats FROM unnest($3::text[], $4::integer[]) AS g(key, repeats)
   ON CONFLICT (organization_id, channel_id, group_key) DO UPDATE
     SET announced_at = excluded.announced_at, repeats = excluded.repeats`,
);

type Owner = { readonly organizationId: string; readonly id: string };

export const topics = {
  list: (sql: Sql, { organizationId, id }: Owner, keys: readonly string[]) =>
    sql.query(LIST, [organizationId, id, keys]),
  /** Those whose state the channel is not informed of, the oldest first. */
  listPending: (sql: Sql, { organizationId, id }: Owner, limit: number) =>
    sql.query(LIST_PENDING, [organizationId, id, limit]),
  put: (tx: Transaction, { organizationId, id }: Owner, all: readonly Topic[]) =>
    tx.send(PUT, [organizationId, id, JSON.stringify(all)]),
  delete: (tx: Transaction, { organizationId, id }: Owner, keys: readonly string[]) =>
    tx.send(DELETE, [organizationId, id, keys]),
  /** All of a channel, and its groups. */
  deleteAll: (tx: Transaction, { organizationId, id }: Owner) => {
    tx.send(DELETE_ALL, [organizationId, id]);
    tx.send(DELETE_GROUPS, [organizationId, id]);
  },
  /** The groups with a message after an instant. */
  listGroups: async (sql: Sql, { organizationId, id }: Owner, after: Date) =>
    new Map((await sql.query(LIST_GROUPS, [organizationId, id, after])).map((row) => [row.group, row])),
  putGroups: (
    tx: Transaction,
    { organizationId, id }: Owner,
    groups: readonly { readonly group: string; readonly repeats: number }[],
    at: Date,
  ) => {
    const [keys, repeats] = [groups.map(({ group }) => group), groups.map((one) => one.repeats)];
    tx.send(PUT_GROUPS, [organizationId, id, keys, repeats, at]);
  },
  prune: createPrune<[before: Date]>(
    "notification_topics_prune",
    "notification_topics",
    "organization_id, channel_id, key",
    "changed_at < $1 ORDER BY changed_at",
  ),
  pruneGroups: createPrune<[before: Date]>(
    "notification_groups_prune",
    "notification_groups",
    "organization_id, channel_id, group_key",
    "announced_at < $1 ORDER BY announced_at",
  ),
};
