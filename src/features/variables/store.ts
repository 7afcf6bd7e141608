import { STORE_TYPES } from "../../cloud/data-stores.ts";
import { newId } from "../../lib/ids.ts";
import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { type Page, pagedStatement } from "../../db/page.ts";
import { enqueueStatement } from "../../jobs/enqueue.ts";
import {
  type EnvVariable,
  type ListedVariable,
  type PlainVariable,
  type VariableKind,
  type VariableSource,
  type VariableTime,
  type Writer,
} from "./env-variable.ts";
import type { Failure } from "./errors.ts";
import { OUTBOX_BYTES, OUTBOX_BYTES_EACH } from "./emit-variables.ts";

const NEXT_GENERATION = writeStatement<{ generation: number }>(
  "env_variables_next_generation",
  `SELECT nextval('env_variable_generation')::float8 AS generation`,
);

/** Each scope of which the cloud has, or may get, a value of these names. */
const IN_CLOUD = `SELECT DISTINCT ON (m.scope_id) m.organization_id, m.scope_id, m.aws_account_id
  FROM given JOIN env_variable_managed_values m
    ON m.organization_id = $1 AND m.scope_id = given.scope_id AND m.name = given.name
 WHERE $2 = 'api' ORDER BY m.scope_id`;

/** The element of an array parameter that belongs to the write of a variable. */
const write = (parameter: number): string => `($${parameter}::text[])[given.nth]`;

/**
 * Saves the variables of one or more writes in one statement: it saves them unless something newer exists, adds a
 * version of each that changes, ends the older items of the saved names that never reached the cloud, writes events
 * about both for each write (`news`; an event names as many variables as fit), and makes a scope due if there is
 * something in the cloud to remove. A variable that is set to its present value keeps its time, by which changes are
 * recognized. If a scope does not exist or belongs to another organization, a foreign key fails: no environment is
 * found for a missing service, and no environment has an empty id. The environment of a data store is null, which
 * fails too. Scopes and names are sorted, so that two requests lock them in the same order.
 */
const SAVE = writeStatement<{ endedRunId: string }>(
  "env_variables_save",
  `WITH drawn AS MATERIALIZED (
     SELECT coalesce($3::bigint, nextval('env_variable_generation')) AS generation, now() AS at
   ), given AS MATERIALIZED (
     SELECT given.*, ${write(13)} AS service_id,
            nullif(coalesce(${write(12)}, (SELECT CASE WHEN s.type = ANY ($22::text[]) THEN 'store' ELSE s.environment_id END
                                             FROM services s WHERE s.organization_id = $1 AND s.id = ${write(13)}), ''),
                   'store') AS environment_id,
            coalesce(${write(13)}, ${write(12)}) AS scope_id
       FROM unnest($6::int[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $21::text[])
         AS given(nth, name, kind, plain_value, reference, linked_service_id, linked_property)
   ), saved AS (
     INSERT INTO env_variables (organization_id, environment_id, service_id, name, source, kind, plain_value,
                                reference, linked_service_id, linked_property, generation, updated_at)
     SELECT $1, environment_id, service_id, name, $2, kind, plain_value, reference, linked_service_id, linked_property,
            drawn.generation, drawn.at
       FROM drawn, given ORDER BY scope_id COLLATE "C", name COLLATE "C"
     ON CONFLICT (organization_id, scope_id, name, source) DO UPDATE
       SET kind = excluded.kind, plain_value = excluded.plain_value, reference = excluded.reference,
           linked_service_id = excluded.linked_service_id, linked_property = excluded.linked_property,
           generation = excluded.generation,
           updated_at = CASE
             WHEN (env_variables.kind, env_variables.plain_value, env_variables.reference,
                   env_variables.linked_service_id, env_variables.linked_property)
               IS NOT DISTINCT FROM (excluded.kind, excluded.plain_value, excluded.reference,
                                     excluded.linked_service_id, excluded.linked_property)
             THEN env_variables.updated_at ELSE excluded.updated_at END
     WHERE env_variables.generation < excluded.generation
     RETURNING scope_id, name, updated_at
   ), changed AS (
     SELECT given.* FROM saved JOIN given ON given.scope_id = saved.scope_id AND given.name = saved.name
      WHERE $2 = 'api' AND saved.updated_at = (SELECT at FROM drawn)
   ), recorded AS (
     INSERT INTO env_variable_versions (organization_id, scope_id, name, generation, version, user_id, api_key_id,
                                        request_id, kind, plain_value, reference, linked_service_id, linked_property)
     SELECT $1, scope_id, name, drawn.generation, ${write(14)}, ${write(15)}, ${write(16)}, ${write(17)}, kind,
            plain_value, reference, linked_service_id, linked_property
       FROM drawn, changed AS given
     RETURNING name
   ), ended AS (
     UPDATE env_variable_run_items i
        SET state = 'FAILED', sealed = NULL, failure_code = $4, failure_message = $5
       FROM saved, drawn
      WHERE $2 = 'api' AND i.organization_id = $1 AND i.scope_id = saved.scope_id AND i.name = saved.name
        AND i.state = 'WAITING' AND NOT i.attempt_open AND i.generation < drawn.generation
     RETURNING i.run_id, i.scope_id, i.name, i.kind
   ), news AS (
     SELECT given.nth, 1 AS part, ended.name, ended.kind, ended.run_id
       FROM ended JOIN given ON given.scope_id = ended.scope_id AND given.name = ended.name
     UNION ALL
     SELECT nth, 2, name, kind, NULL FROM changed
   ), fitting AS (
     SELECT *, sum(length(name) + ${OUTBOX_BYTES_EACH}) OVER (
              PARTITION BY nth, part ORDER BY name COLLATE "C", run_id) <= ${OUTBOX_BYTES} AS fits FROM news
   ), emitted AS (
     INSERT INTO event_outbox (organization_id, id, type, subject_type, subject_id, project_id, environment_id,
                               service_id, actor_kind, actor_id, request_id, data)
     SELECT $1, CASE WHEN part = 1 THEN ${write(19)} ELSE ${write(20)} END,
            CASE WHEN part = 1 THEN 'env_variables.failed' ELSE 'env_variables.stored' END, 'env_variables',
            scope.scope_id, (SELECT v.project_id FROM environments v
                              WHERE v.organization_id = $1 AND v.id = scope.environment_id),
            scope.environment_id, scope.service_id, ${write(18)}, ${write(15)}, ${write(17)}, given.data
       FROM (SELECT nth, part, jsonb_build_object('source', 'api', 'namesOmitted', count(*) FILTER (WHERE NOT fits),
                      'variables', coalesce(jsonb_agg(jsonb_build_object('name', name, 'kind', kind, 'runId', run_id)
                                                      ORDER BY name COLLATE "C") FILTER (WHERE fits), '[]'))
                      || CASE WHEN part = 1 THEN jsonb_build_object('error', jsonb_build_object('code', $4, 'message', $5))
                                   ELSE '{}' END AS data
               FROM fitting GROUP BY nth, part) given
       JOIN (SELECT DISTINCT ON (nth) nth, scope_id, environment_id, service_id FROM given ORDER BY nth) scope
         ON scope.nth = given.nth
      ORDER BY given.nth, given.part
     RETURNING id
   ), due AS (${enqueueStatement("variable-scope", IN_CLOUD)})
   SELECT DISTINCT run_id AS "endedRunId" FROM ended`,
);

/**
 * The variables that one write saves. One of the scope's two ids is enough. `writer` is null for the configuration: its
 * variables have no history here, and the code that applies it emits their events.
 */
export type SavedWrite = {
  readonly environmentId: string | null;
  readonly serviceId: string | null;
  readonly variables: readonly PlainVariable[];
  readonly writer: Writer | null;
};

/** The scope of a managed value; null for other kinds. */
const inPreviews = (variable: string, scopeId: string): string =>
  `SELECT p.in_previews FROM env_variable_managed_values p WHERE p.organization_id = $1 AND p.scope_id = ${scopeId}
      AND p.name = ${variable}.name AND p.kind = ${variable}.kind AND ${variable}.source = 'api'`;

const LIST = pagedStatement<ListedVariable>(
  "env_variables_list",
  (after, direction) => `WITH waiting AS (
     SELECT DISTINCT ON (name) name, kind, run_id, generation FROM env_variable_run_items
      WHERE organization_id = $1 AND scope_id = $2 AND state = 'WAITING' ORDER BY name, generation DESC
   ), listed AS (
     SELECT v.name, v.source, v.kind, v.plain_value, v.reference, v.linked_service_id, v.linked_property,
            v.updated_at, 'STORED' AS state, w.kind AS pending_kind, w.run_id AS pending_run_id,
            NULL AS error_code, NULL AS error_message
       FROM env_variables v
       LEFT JOIN waiting w ON v.source = 'api' AND w.name = v.name AND w.generation > v.generation
      WHERE v.organization_id = $1 AND v.scope_id = $2
     UNION ALL
     SELECT w.name, 'api', w.kind, NULL, NULL, NULL, NULL, r.created_at, 'PROCESSING', w.kind, w.run_id, NULL, NULL
       FROM waiting w JOIN env_variable_runs r ON r.organization_id = $1 AND r.id = w.run_id
      WHERE NOT EXISTS (SELECT 1 FROM env_variables v
                         WHERE v.organization_id = $1 AND v.scope_id = $2 AND v.name = w.name AND v.source = 'api')
     UNION ALL
     SELECT name, 'api', kind, NULL, NULL, NULL, NULL, updated_at, 'REMOVING', NULL, NULL,
            last_error_code, last_error_message
       FROM (SELECT DISTINCT ON (name) name, kind, updated_at, last_error_code, last_error_message
               FROM env_variable_managed_values
              WHERE organization_id = $1 AND scope_id = $2 AND may_exist AND removed_at IS NULL
              ORDER BY name, generation DESC) m
      WHERE NOT EXISTS (SELECT 1 FROM waiting w WHERE w.name = m.name)
        AND NOT EXISTS (SELECT 1 FROM env_variables v
                         WHERE v.organization_id = $1 AND v.scope_id = $2 AND v.name = m.name AND v.source = 'api')
   )
   SELECT name, source, kind, plain_value AS "plainValue", reference, linked_service_id AS "linkedServiceId",
          linked_property AS "linkedProperty", updated_at AS "updatedAt", state, pending_kind AS "pendingKind",
          pending_run_id AS "pendingRunId", error_code AS "errorCode", error_message AS "errorMessage",
          (${inPreviews("listed", "$2")}) AS "inPreviews"
     FROM listed
    WHERE ($3::text IS NULL OR (name, source) ${after} ($3::text COLLATE "C", $4::text COLLATE "C"))
      AND ($6::text IS NULL OR (name = $6 AND source = 'api'))
    ORDER BY name COLLATE "C" ${direction}, source COLLATE "C" ${direction} LIMIT $5`,
);

/** One of them, or with $3 null all of them. */
const LOCK = writeStatement<{ name: string }>(
  "env_variables_lock",
  `SELECT name FROM env_variables
    WHERE organization_id = $1 AND scope_id = $2 AND ($3::text IS NULL OR name = $3) AND source = 'api'
    ORDER BY name COLLATE "C" FOR UPDATE`,
);

/** Of several environments and services. */
const LIST_OF_SCOPES = readStatement<EnvVariable>(
  "env_variables_list_of_scopes",
  `SELECT scope_id AS "scopeId", name, source, kind, plain_value AS "plainValue", reference,
          linked_service_id AS "linkedServiceId", linked_property AS "linkedProperty", updated_at AS "updatedAt",
          (${inPreviews("v", "v.scope_id")}) AS "inPreviews"
     FROM env_variables v WHERE organization_id = $1 AND scope_id = ANY($2::text[])`,
);

/** A variable that was set with the API, and links to a service. */
export type LinkTo = {
  readonly linkedServiceId: string;
  readonly name: string;
  /** Of the service that has it; null for its environment. */
  readonly serviceConfigId: string | null;
};

const LIST_LINKS_TO = readStatement<LinkTo>(
  "env_variables_list_links_to",
  `SELECT v.linked_service_id AS "linkedServiceId", v.name, s.config_id AS "serviceConfigId"
     FROM env_variables v LEFT JOIN services s ON s.organization_id = v.organization_id AND s.id = v.service_id
    WHERE v.organization_id = $1 AND v.linked_service_id = ANY($2::text[]) AND v.source = 'api'
      AND NOT v.scope_id = ANY($3::text[])
    ORDER BY v.name COLLATE "C", v.scope_id COLLATE "C"`,
);

/** When the variables of some environments and services last changed. */
const LIST_TIMES = readStatement<VariableTime>(
  "env_variables_list_times",
  `SELECT scope_id AS "scopeId", name, source, updated_at AS "updatedAt"
     FROM env_variables WHERE organization_id = $1 AND scope_id = ANY($2::text[])`,
);

/** Deletes variables, and adds a version that says so. Locks them by name, as a save does, to avoid a deadlock. */
const DELETE_VARIABLES = writeStatement<{ name: string; kind: VariableKind }>(
  "env_variables_delete",
  `WITH locked AS MATERIALIZED (
     SELECT name FROM env_variables
      WHERE organization_id = $1 AND scope_id = $2 AND name = ANY($3::text[]) AND source = 'api'
      ORDER BY name COLLATE "C" FOR UPDATE
   ), deleted AS (
     DELETE FROM env_variables v USING locked
      WHERE v.organization_id = $1 AND v.scope_id = $2 AND v.name = locked.name AND v.source = 'api'
      RETURNING v.name, v.kind
   ), recorded AS (
     INSERT INTO env_variable_versions (organization_id, scope_id, name, generation, version, user_id, api_key_id,
                                        request_id)
     SELECT $1, $2, name, nextval('env_variable_generation'), $4, $5, $6, $7 FROM deleted
     RETURNING name
   )
   SELECT name, kind FROM deleted`,
);

/** Only replacements wait for each other: locks of rows would be taken in another order than other writes take them. */
const LOCK_REPLACEMENT = writeStatement(
  "env_variables_lock_replacement",
  "SELECT pg_advisory_xact_lock(hashtextextended($1, 34))",
);

/** Differs after each change of the variables of a scope, whatever page of them a client reads. */
const REVISION = readStatement<{ revision: string }>(
  "env_variables_revision",
  `SELECT md5(coalesce(string_agg(item, ',' ORDER BY item), '')) AS revision FROM (
     SELECT name || ' ' || source || ' ' || updated_at AS item FROM env_variables
      WHERE organization_id = $1 AND scope_id = $2
     UNION ALL
     SELECT name || ' ' || run_id FROM env_variable_run_items
      WHERE organization_id = $1 AND scope_id = $2 AND state = 'WAITING') AS items`,
);

/** All but those of these names. */
const DELETE_CONFIGURED = writeStatement(
  "env_variables_delete_configured",
  `DELETE FROM env_variables
    WHERE organization_id = $1 AND scope_id = $2 AND source = 'config' AND name <> ALL($3::text[])`,
);

export const envVariables = {
  nextGeneration: async (sql: Sql): Promise<number> =>
    (await sql.query(NEXT_GENERATION))[0]?.generation ?? Number.NaN,
  /**
   * Sends the statement that saves the variables of one or more writes of an organization, and what follows from them.
   * No two of them set the same variable. `onEnded` gets the runs whose items it ended. The caller announces the
   * events that it writes.
   */
  save: (
    tx: Transaction,
    organizationId: string,
    source: VariableSource,
    /** Null: assigned when it is saved. */
    generation: number | null,
    writes: readonly SavedWrite[],
    superseded: Failure,
    then: {
      readonly onEnded?: (runIds: readonly string[]) => void;
      readonly onFailure?: (error: unknown) => never;
    } = {},
  ): void => {
    const variables = writes.flatMap((one, index) =>
      one.variables.map((variable) => ({ ...variable, nth: index + 1 })),
    );
    const values = [
      organizationId,
      source,
      generation,
      superseded.code,
      superseded.message,
      variables.map(({ nth }) => nth),
      variables.map(({ name }) => name),
      variables.map(({ kind }) => kind),
      variables.map(({ plainValue }) => plainValue),
      variables.map(({ reference }) => reference),
      variables.map(({ linkedServiceId }) => linkedServiceId),
      writes.map(({ environmentId }) => environmentId),
      writes.map(({ serviceId }) => serviceId),
      writes.map(({ writer }) => writer?.version ?? null),
      writes.map(({ writer }) => writer?.userId ?? null),
      writes.map(({ writer }) => writer?.apiKeyId ?? null),
      writes.map(({ writer }) => writer?.requestId ?? null),
      writes.map(({ writer }) => writer?.kind ?? null),
      writes.map(() => newId("evt")),
      writes.map(() => newId("evt")),
      variables.map(({ linkedProperty }) => linkedProperty),
      STORE_TYPES,
    ];
    tx.send(SAVE, values, {
      onRows: (rows) => then.onEnded?.(rows.map(({ endedRunId }) => endedRunId)),
      onFailure: then.onFailure,
    });
  },
  /** Ordered by name and source; `after` is `name` and `source` joined by a colon. */
  list: (sql: Sql, organizationId: string, scopeId: string, page: Page) => {
    const [name = null, source = null] = page.after?.split(":") ?? [];
    return sql.query(LIST[page.order], [organizationId, scopeId, name, source, page.limit + 1, null]);
  },
  /** A variable that was set with the API, as the list shows it. */
  find: async (sql: Sql, organizationId: string, scopeId: string, name: string) =>
    (await sql.query(LIST.asc, [organizationId, scopeId, null, null, 1, name]))[0] ?? null,
  lock: async (tx: Transaction, organizationId: string, scopeId: string, name: string | null) =>
    void (await tx.query(LOCK, [organizationId, scopeId, name])),
  listOfScopes: (sql: Sql, organizationId: string, scopeIds: readonly string[]) =>
    sql.query(LIST_OF_SCOPES, [organizationId, scopeIds]),
  listLinksTo: (
    sql: Sql,
    organizationId: string,
    serviceIds: readonly string[],
    exceptScopeIds: readonly string[],
  ) => sql.query(LIST_LINKS_TO, [organizationId, serviceIds, exceptScopeIds]),
  /** All that are shown of a scope. */
  listAll: (sql: Sql, organizationId: string, scopeId: string) =>
    sql.query(LIST.asc, [organizationId, scopeId, null, null, null, null]),
  readRevision: async (sql: Sql, organizationId: string, scopeId: string) =>
    (await sql.query(REVISION, [organizationId, scopeId]))[0]?.revision ?? "",
  lockReplacement: async (tx: Transaction, scopeId: string) =>
    void (await tx.query(LOCK_REPLACEMENT, [scopeId])),
  listTimes: (sql: Sql, organizationId: string, scopeIds: readonly string[]) =>
    sql.query(LIST_TIMES, [organizationId, scopeIds]),
  /** @returns the variables that were in effect */
  delete: (sql: Sql, organizationId: string, scopeId: string, names: readonly string[], writer: Writer) =>
    sql.query(DELETE_VARIABLES, [organizationId, scopeId, names, ...valuesOf(writer)]),
  deleteConfigured: async (sql: Sql, organizationId: string, scopeId: string, except: readonly string[]) =>
    void (await sql.query(DELETE_CONFIGURED, [organizationId, scopeId, except])),
};

function valuesOf(writer: Writer | null): readonly (string | null)[] {
  if (writer === null) return [null, null, null, null];
  return [writer.version, writer.userId, writer.apiKeyId, writer.requestId];
}
