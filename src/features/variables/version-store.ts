/** Versions of variables: they are written with the variables (`store.ts` above), and read and removed here. */
import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { type Page, pagedStatement } from "../../db/page.ts";
import { mayHaveMore, PRUNE_BATCH } from "../../db/prune.ts";
import type { Deletion, VariableVersion } from "./env-variable.ts";

const COLUMNS = `version, at, user_id AS "userId", api_key_id AS "apiKeyId", request_id AS "requestId", kind,
  plain_value AS "plainValue", reference, linked_service_id AS "linkedServiceId", linked_property AS "linkedProperty"`;

/** In the order in which they took effect. */
const LIST = pagedStatement<VariableVersion>(
  "env_variable_versions_list",
  (after, direction) => `SELECT ${COLUMNS} FROM env_variable_versions
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3
      AND ($4::text IS NULL OR generation ${after} (
        SELECT generation FROM env_variable_versions
         WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND version = $4))
    ORDER BY generation ${direction} LIMIT $5`,
);

const FIND = readStatement<VariableVersion>(
  "env_variable_versions_find",
  `SELECT ${COLUMNS} FROM env_variable_versions
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND version = $4`,
);

/** Of each variable of some environments and services, the last deletion since a time. */
const LIST_DELETIONS = readStatement<Deletion>(
  "env_variable_versions_list_deletions",
  `SELECT DISTINCT ON (d.scope_id, d.name) d.scope_id AS "scopeId", d.name, d.at,
          (SELECT min(s.at) FROM env_variable_versions s
            WHERE s.organization_id = $1 AND s.scope_id = d.scope_id AND s.name = d.name
              AND s.kind IS NOT NULL) AS "firstSetAt"
     FROM env_variable_versions d
    WHERE d.organization_id = $1 AND d.scope_id = ANY($2::text[]) AND d.at > $3 AND d.kind IS NULL
    ORDER BY d.scope_id, d.name, d.generation DESC`,
);

/** Of environments and services that are deleted. */
const DELETE_OF_SCOPES = writeStatement(
  "env_variable_versions_delete_of_scopes",
  `DELETE FROM env_variable_versions WHERE organization_id = $1 AND scope_id = ANY($2::text[])`,
);

/**
 * Versions that were replaced long ago, and then the deletions that ended their variable. So the present value always
 * has its version, and a value that was there for years can be brought back as long as any other.
 */
const PRUNE = writeStatement<{ count: number }>(
  "env_variable_versions_prune",
  `WITH pruned AS (
     DELETE FROM env_variable_versions WHERE (organization_id, scope_id, name, generation) IN (
       SELECT v.organization_id, v.scope_id, v.name, v.generation FROM env_variable_versions v
        WHERE v.at < $1 AND (
          EXISTS (SELECT 1 FROM env_variable_versions n
                   WHERE n.organization_id = v.organization_id AND n.scope_id = v.scope_id AND n.name = v.name
                     AND n.generation > v.generation AND n.at < $1)
          OR (v.kind IS NULL AND NOT EXISTS (
                SELECT 1 FROM env_variable_versions o
                 WHERE o.organization_id = v.organization_id AND o.scope_id = v.scope_id AND o.name = v.name
                   AND o.generation < v.generation)))
        LIMIT $2)
     RETURNING version)
   SELECT count(version)::int AS count FROM pruned`,
);

export const variableVersions = {
  /** `after` of the page is a version. */
  list: (sql: Sql, organizationId: string, scopeId: string, name: string, page: Page) =>
    sql.query(LIST[page.order], [organizationId, scopeId, name, page.after, page.limit + 1]),
  find: async (sql: Sql, organizationId: string, scopeId: string, name: string, version: string) =>
    (await sql.query(FIND, [organizationId, scopeId, name, version]))[0] ?? null,
  listDeletions: (sql: Sql, organizationId: string, scopeIds: readonly string[], since: Date) =>
    sql.query(LIST_DELETIONS, [organizationId, scopeIds, since]),
  deleteOfScopes: async (tx: Transaction, organizationId: string, scopeIds: readonly string[]) =>
    void (await tx.query(DELETE_OF_SCOPES, [organizationId, scopeIds])),
  /** @returns whether there may be more */
  prune: async (sql: Sql, before: Date) => mayHaveMore(await sql.query(PRUNE, [before, PRUNE_BATCH])),
};
