import { type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { createPrune } from "../../db/prune.ts";
import { idAround } from "../../lib/ids.ts";
import type { AuditEntry } from "./audit-entry.ts";

const INSERT = writeStatement(
  "audit_entries_insert",
  `INSERT INTO audit_entries (organization_id, id, user_id, api_key_id, action, resource_id, request_id,
                              source_address, details)
   SELECT $1, given.id, given.user_id, given.api_key_id, given.action, given.resource_id, given.request_id,
          given.source_address, given.details::jsonb
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
       AS given(id, user_id, api_key_id, action, resource_id, request_id, source_address, details)
   RETURNING id`,
);

const COLUMNS = `id, at, user_id AS "userId", api_key_id AS "apiKeyId", action, resource_id AS "resourceId",
  request_id AS "requestId", source_address AS "sourceAddress", details`;

/** Ids grow with time, so a filter by time reads only the ids between $9 and $10. */
const FILTERS = `id >= $9 AND id <= $10
      AND ($4::text IS NULL OR resource_id = $4) AND ($5::text IS NULL OR user_id = $5)
      AND ($6::text IS NULL OR action = $6) AND ($7::timestamptz IS NULL OR at >= $7)
      AND ($8::timestamptz IS NULL OR at < $8)`;
const listBy = (name: string, condition: string) =>
  pagedStatement<AuditEntry>(
    `audit_entries_list${name}`,
    (after, direction) => `SELECT ${COLUMNS} FROM audit_entries
    WHERE organization_id = $1 ${condition} AND id ${after} $2 AND ${FILTERS} ORDER BY id ${direction} LIMIT $3`,
  );

/** The filters by a column with an index have their own statements, so that they read only its matches. */
const LIST = {
  all: listBy("", ""),
  resourceId: listBy("_of_resource", "AND resource_id = $4"),
  userId: listBy("_of_user", "AND user_id = $5"),
  action: listBy("_of_action", "AND action = $6"),
};

/** `from` is the first instant that is meant, `to` the first that is not. */
export type AuditFilter = {
  readonly resourceId?: string | undefined;
  readonly userId?: string | undefined;
  readonly action?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

/** Chooses the filter that leaves the fewest entries. */
function listOf({ resourceId, action, userId }: AuditFilter) {
  if (resourceId !== undefined) return LIST.resourceId;
  if (action !== undefined) return LIST.action;
  return userId === undefined ? LIST.all : LIST.userId;
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
    tx.send(INSERT, [
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
    sql.query(listOf(filter)[page.order], [
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
  prune: createPrune<[before: Date]>(
    "audit_entries_prune",
    "audit_entries",
    "organization_id, id",
    "at < $1",
  ),
};
