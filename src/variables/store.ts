import { type Database, type Sql, statement } from "../db/database.ts";
import type { Page } from "../db/page.ts";
import { mayHaveMore, PRUNE_BATCH } from "../db/prune.ts";
import { insertAuditEntry } from "../organizations/audit.ts";
import {
  type EnvVariable,
  type Failure,
  type ListedVariable,
  type ManagedKind,
  type ManagedValue,
  type PlainVariable,
  type RunItem,
  scopeIdOf,
  type VariableScope,
  type VariableSource,
  type WaitingItem,
} from "./env-variable.ts";

const NEXT_GENERATION = statement<{ generation: number }>(
  "env_variables_next_generation",
  `SELECT nextval('env_variable_generation')::float8 AS generation`,
);

const TAKE_NEWER = `
       SET kind = excluded.kind, plain_value = excluded.plain_value, reference = excluded.reference,
           linked_service_id = excluded.linked_service_id, linked_property = excluded.linked_property,
           generation = excluded.generation, updated_at = now()
     WHERE env_variables.generation < excluded.generation`;

/**
 * Saves variables and, of the names that it won, ends the older items that never reached the cloud, in
 * one statement. A write that lost to a newer one while it was on its way is overwritten at once. The
 * names are sorted, so that two requests lock them in one order.
 */
const SAVE = statement<{ endedRunIds: readonly string[] | null; touchesCloud: boolean }>(
  "env_variables_save",
  `WITH drawn AS MATERIALIZED (
     SELECT coalesce($5::bigint, nextval('env_variable_generation')) AS generation
   ), given AS (
     SELECT * FROM unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[])
       AS given(name, kind, plain_value, reference, linked_service_id, linked_property)
   ), saved AS (
     INSERT INTO env_variables (organization_id, environment_id, service_id, name, source, kind, plain_value,
                                reference, linked_service_id, linked_property, generation)
     SELECT $1, $2, $3, name, $4, kind, plain_value, reference, linked_service_id, linked_property, drawn.generation
       FROM drawn, given ORDER BY name COLLATE "C"
     ON CONFLICT (organization_id, scope_id, name, source) DO UPDATE ${TAKE_NEWER}
     RETURNING name, source
   ), ended AS (
     UPDATE env_variable_run_items i
        SET state = 'FAILED', sealed = NULL, failure_code = $12, failure_message = $13
       FROM saved, drawn
      WHERE saved.source = 'api' AND i.organization_id = $1 AND i.scope_id = coalesce($3, $2) AND i.name = saved.name
        AND i.state = 'WAITING' AND NOT i.attempt_open AND i.generation < drawn.generation
     RETURNING i.run_id
   )
   SELECT (SELECT array_agg(DISTINCT run_id) FROM ended) AS "endedRunIds",
          EXISTS (SELECT FROM given JOIN env_variable_managed_values m
                   ON m.organization_id = $1 AND m.scope_id = coalesce($3, $2) AND m.name = given.name) AS "touchesCloud"`,
);

/**
 * The whole of a write whose names have nothing in a cloud, nor have it on its way there, so that no background
 * work follows: the variables and the audit entry, or nothing. What is accepted for the cloud meanwhile has its
 * own work, which sees who won.
 */
const SAVE_ALONE = statement<{ isSaved: boolean }>(
  "env_variables_save_alone",
  `WITH given AS (
     SELECT * FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
       AS given(name, kind, plain_value, reference, linked_service_id, linked_property)
   ), drawn AS MATERIALIZED (
     SELECT nextval('env_variable_generation') AS generation
      WHERE NOT EXISTS (SELECT FROM given JOIN env_variable_managed_values m
                         ON m.organization_id = $1 AND m.scope_id = coalesce($3, $2) AND m.name = given.name)
   ), saved AS (
     INSERT INTO env_variables (organization_id, environment_id, service_id, name, source, kind, plain_value,
                                reference, linked_service_id, linked_property, generation)
     SELECT $1, $2, $3, name, 'api', kind, plain_value, reference, linked_service_id, linked_property, drawn.generation
       FROM drawn, given ORDER BY name COLLATE "C"
     ON CONFLICT (organization_id, scope_id, name, source) DO UPDATE ${TAKE_NEWER}
   ), audited AS (${insertAuditEntry("drawn", 10)})
   SELECT EXISTS (SELECT FROM drawn) AS "isSaved"`,
);

const LIST = statement<ListedVariable>(
  "env_variables_list",
  `WITH waiting AS (
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
      WHERE NOT EXISTS (SELECT FROM env_variables v
                         WHERE v.organization_id = $1 AND v.scope_id = $2 AND v.name = w.name AND v.source = 'api')
     UNION ALL
     SELECT name, 'api', kind, NULL, NULL, NULL, NULL, updated_at, 'REMOVING', NULL, NULL,
            last_error_code, last_error_message
       FROM (SELECT DISTINCT ON (name) name, kind, updated_at, last_error_code, last_error_message
               FROM env_variable_managed_values
              WHERE organization_id = $1 AND scope_id = $2 AND may_exist AND removed_at IS NULL
              ORDER BY name, generation DESC) m
      WHERE NOT EXISTS (SELECT FROM waiting w WHERE w.name = m.name)
        AND NOT EXISTS (SELECT FROM env_variables v
                         WHERE v.organization_id = $1 AND v.scope_id = $2 AND v.name = m.name AND v.source = 'api')
   )
   SELECT name, source, kind, plain_value AS "plainValue", reference, linked_service_id AS "linkedServiceId",
          linked_property AS "linkedProperty", updated_at AS "updatedAt", state, pending_kind AS "pendingKind",
          pending_run_id AS "pendingRunId", error_code AS "errorCode", error_message AS "errorMessage"
     FROM listed
    WHERE ($3::text IS NULL OR (name, source) > ($3::text COLLATE "C", $4::text COLLATE "C"))
      AND ($6::text IS NULL OR (name = $6 AND source = 'api'))
    ORDER BY name COLLATE "C", source COLLATE "C" LIMIT $5`,
);

/** Of an environment and of one of its services. */
const LIST_IN_FORCE = statement<EnvVariable>(
  "env_variables_list_in_force",
  `SELECT scope_id AS "scopeId", name, source, kind, plain_value AS "plainValue", reference,
          linked_service_id AS "linkedServiceId", linked_property AS "linkedProperty", updated_at AS "updatedAt"
     FROM env_variables WHERE organization_id = $1 AND scope_id IN ($2, $3)`,
);

const DELETE_VARIABLE = statement<{ name: string }>(
  "env_variables_delete",
  `DELETE FROM env_variables
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND source = 'api' RETURNING name`,
);

const DELETE_CONFIGURED = statement(
  "env_variables_delete_configured",
  `DELETE FROM env_variables WHERE organization_id = $1 AND scope_id = $2 AND source = 'config'`,
);

function arraysOf(variables: readonly PlainVariable[]) {
  return [
    variables.map(({ name }) => name),
    variables.map(({ kind }) => kind),
    variables.map(({ plainValue }) => plainValue),
    variables.map(({ reference }) => reference),
    variables.map(({ linkedServiceId }) => linkedServiceId),
    variables.map(({ linkedProperty }) => linkedProperty),
  ] as const;
}

export const envVariables = {
  nextGeneration: async (sql: Sql): Promise<number> =>
    (await sql.query(NEXT_GENERATION))[0]?.generation ?? Number.NaN,
  save: async (
    sql: Sql,
    scope: Omit<VariableScope, "projectId">,
    source: VariableSource,
    /** Null: drawn now. */
    generation: number | null,
    variables: readonly PlainVariable[],
    superseded: Failure,
  ) => {
    const { organizationId, environmentId, serviceId } = scope;
    const [saved] = await sql.query(SAVE, [
      organizationId,
      environmentId,
      serviceId,
      source,
      generation,
      ...arraysOf(variables),
      superseded.code,
      superseded.message,
    ]);
    return { endedRunIds: saved?.endedRunIds ?? [], touchesCloud: saved?.touchesCloud ?? false };
  },
  /**
   * Commits by itself, with its audit entry. False, and nothing done, when it takes more than this.
   * @param audit `auditValuesOf` the actor
   */
  saveAlone: async (
    db: Database,
    { organizationId, environmentId, serviceId }: Omit<VariableScope, "projectId">,
    variables: readonly PlainVariable[],
    audit: readonly string[],
  ): Promise<boolean> => {
    const values = [organizationId, environmentId, serviceId, ...arraysOf(variables), ...audit];
    const [saved] = await db.query(SAVE_ALONE, values);
    return saved?.isSaved === true;
  },
  /** Ordered by name and source; `after` is `name` and `source` joined by a colon. */
  list: (sql: Sql, organizationId: string, scopeId: string, page: Page) => {
    const [name = null, source = null] = page.after?.split(":") ?? [];
    return sql.query(LIST, [organizationId, scopeId, name, source, page.limit + 1, null]);
  },
  /** What the API set under a name, as the list shows it. */
  find: async (sql: Sql, organizationId: string, scopeId: string, name: string) =>
    (await sql.query(LIST, [organizationId, scopeId, null, null, 1, name]))[0] ?? null,
  listInForce: (sql: Sql, organizationId: string, environmentId: string, serviceId: string) =>
    sql.query(LIST_IN_FORCE, [organizationId, environmentId, serviceId]),
  delete: async (sql: Sql, organizationId: string, scopeId: string, name: string) =>
    (await sql.query(DELETE_VARIABLE, [organizationId, scopeId, name])).length > 0,
  deleteConfigured: async (sql: Sql, organizationId: string, scopeId: string) =>
    void (await sql.query(DELETE_CONFIGURED, [organizationId, scopeId])),
};

const INSERT_RUN = statement(
  "env_variable_runs_insert",
  `INSERT INTO env_variable_runs (organization_id, id, environment_id, service_id, generation, epoch_id,
                                  wrapped_key, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

/** Sealed values travel as base64, because drivers differ in how they send arrays of bytes. */
const INSERT_ITEMS = statement(
  "env_variable_run_items_insert",
  `INSERT INTO env_variable_run_items (organization_id, run_id, scope_id, name, kind, generation, sealed)
   SELECT $1, $2, $3, name, kind, $4, decode(sealed, 'base64')
     FROM unnest($5::text[], $6::text[], $7::text[]) AS given(name, kind, sealed) ORDER BY name COLLATE "C"`,
);

/** A row is there before the first call that may put something into the cloud. */
const EXPECT_MANAGED = statement(
  "env_variable_managed_values_expect",
  `INSERT INTO env_variable_managed_values (organization_id, scope_id, name, kind, project_id, aws_account_id,
                                            region, cloud_name, generation)
   SELECT $1, $2, name, kind, $3, $4, $5, cloud_name, $6
     FROM unnest($7::text[], $8::text[], $9::text[]) AS given(name, kind, cloud_name) ORDER BY name COLLATE "C"
   ON CONFLICT (organization_id, scope_id, name, kind) DO UPDATE
     SET generation = greatest(env_variable_managed_values.generation, excluded.generation),
         removed_at = NULL, attempts = 0, next_attempt_at = NULL, last_error_code = NULL, last_error_message = NULL`,
);

/** Ends the waiting items of some names that never reached the cloud, for a newer write was accepted. */
const SUPERSEDE_OLDER = statement<{ runId: string }>(
  "env_variable_run_items_supersede_older",
  `UPDATE env_variable_run_items SET state = 'FAILED', sealed = NULL, failure_code = $5, failure_message = $6
    WHERE organization_id = $1 AND scope_id = $2 AND name = ANY($3::text[]) AND generation < $4
      AND state = 'WAITING' AND NOT attempt_open
   RETURNING run_id AS "runId"`,
);

/** Ends all of a name that waits, whatever was tried: the name is deleted, and what reached the cloud is removed. */
const SUPERSEDE_ALL = statement<{ runId: string }>(
  "env_variable_run_items_supersede_all",
  `UPDATE env_variable_run_items
      SET state = 'FAILED', sealed = NULL, attempt_open = false, failure_code = $4, failure_message = $5
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND state = 'WAITING' RETURNING run_id AS "runId"`,
);

const FIND_RUN_ITEMS = statement<RunItem>(
  "env_variable_runs_find_items",
  `SELECT i.name, i.kind, i.state, i.reference, i.failure_code AS "failureCode", i.failure_message AS "failureMessage"
     FROM env_variable_runs r
     JOIN env_variable_run_items i ON i.organization_id = r.organization_id AND i.run_id = r.id
    WHERE r.organization_id = $1 AND r.id = $2 AND r.environment_id = $3 AND r.service_id IS NOT DISTINCT FROM $4
    ORDER BY i.name`,
);

const LIST_WAITING = statement<WaitingItem>(
  "env_variable_run_items_list_waiting",
  `SELECT i.run_id AS "runId", i.name, i.kind, i.generation::float8 AS generation, r.epoch_id AS "epochId",
          r.wrapped_key AS "wrappedKey", r.created_at AS "runCreatedAt", i.attempt_open AS "attemptOpen", i.attempts,
          i.next_attempt_at AS "nextAttemptAt", v.generation::float8 AS "variableGeneration",
          m.delete_started_at AS "deleteStartedAt", m.put_not_before AS "putNotBefore",
          m.aws_account_id AS "awsAccountId", m.region, m.cloud_name AS "cloudName"
     FROM env_variable_run_items i
     JOIN env_variable_runs r ON r.organization_id = i.organization_id AND r.id = i.run_id
     JOIN env_variable_managed_values m ON m.organization_id = i.organization_id AND m.scope_id = i.scope_id
                                       AND m.name = i.name AND m.kind = i.kind
     LEFT JOIN env_variables v ON v.organization_id = i.organization_id AND v.scope_id = i.scope_id
                              AND v.name = i.name AND v.source = 'api'
    WHERE i.organization_id = $1 AND i.scope_id = $2 AND i.state = 'WAITING'
    ORDER BY i.generation, i.name`,
);

export type ClaimedItem = {
  readonly sealed: Uint8Array;
  /** Whether there was, or may have been, a value in the cloud before this attempt. */
  readonly didExist: boolean;
  /** An earlier put there, of which nobody knows the end, began then. */
  readonly putStartedBefore: Date | null;
};

/**
 * Notes that a call is about to be made, only if the item still waits and nothing newer was accepted
 * (unless it is made to settle an earlier attempt). The last look before the value leaves.
 */
const CLAIM = statement<ClaimedItem>(
  "env_variable_run_items_claim",
  `WITH claimed AS (
     UPDATE env_variable_run_items i SET attempt_open = true
      WHERE i.organization_id = $1 AND i.run_id = $2 AND i.name = $3 AND i.state = 'WAITING'
        AND ($5 OR (
          NOT EXISTS (SELECT FROM env_variables v
                       WHERE v.organization_id = $1 AND v.scope_id = i.scope_id AND v.name = i.name
                         AND v.source = 'api' AND v.generation > i.generation)
          AND NOT EXISTS (SELECT FROM env_variable_run_items n
                           WHERE n.organization_id = $1 AND n.scope_id = i.scope_id AND n.name = i.name
                             AND n.state = 'WAITING' AND n.generation > i.generation)))
     RETURNING i.organization_id, i.scope_id, i.name, i.kind, i.sealed
   )
   UPDATE env_variable_managed_values m SET may_exist = true, put_started_at = $4
     FROM claimed c JOIN env_variable_managed_values b USING (organization_id, scope_id, name, kind)
    WHERE m.organization_id = c.organization_id AND m.scope_id = c.scope_id AND m.name = c.name AND m.kind = c.kind
   RETURNING c.sealed, b.may_exist AS "didExist", b.put_started_at AS "putStartedBefore"`,
);

/** The end of a put is known; by whoever made it, whatever others did meanwhile. */
const END_PUT = statement<{ name: string }>(
  "env_variable_managed_values_end_put",
  `UPDATE env_variable_managed_values SET put_started_at = $6
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4 AND put_started_at = $5 RETURNING name`,
);

/** The outcome is known and it is that nothing happened: things stand as before the attempt. */
const RETRACT_ITEM = statement<{ name: string }>(
  "env_variable_run_items_retract",
  `UPDATE env_variable_run_items SET attempt_open = $4
    WHERE organization_id = $1 AND run_id = $2 AND name = $3 AND state = 'WAITING' RETURNING name`,
);

const RETRACT_VALUE = statement(
  "env_variable_managed_values_retract",
  `UPDATE env_variable_managed_values SET may_exist = false
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4`,
);

const POSTPONE_ITEM = statement(
  "env_variable_run_items_postpone",
  `UPDATE env_variable_run_items SET attempts = $4, next_attempt_at = $5
    WHERE organization_id = $1 AND run_id = $2 AND name = $3 AND state = 'WAITING'`,
);

/**
 * Puts a stored value into force unless something newer is, ends its item and deletes the sealed value,
 * in one statement. Nothing when the item has ended meanwhile.
 */
const RECORD_STORED = statement<{ state: "STORED" | "FAILED" }>(
  "env_variable_run_items_record_stored",
  `WITH item AS (
     SELECT i.organization_id, i.run_id, i.name, i.kind, i.generation, r.environment_id, r.service_id
       FROM env_variable_run_items i
       JOIN env_variable_runs r ON r.organization_id = i.organization_id AND r.id = i.run_id
      WHERE i.organization_id = $1 AND i.run_id = $2 AND i.name = $3 AND i.state = 'WAITING' FOR UPDATE OF i
   ), saved AS (
     INSERT INTO env_variables (organization_id, environment_id, service_id, name, source, kind, reference, generation)
     SELECT organization_id, environment_id, service_id, name, 'api', kind, $4, generation FROM item
     ON CONFLICT (organization_id, scope_id, name, source) DO UPDATE
       SET kind = excluded.kind, plain_value = NULL, reference = excluded.reference, linked_service_id = NULL,
           linked_property = NULL, generation = excluded.generation, updated_at = now()
     WHERE env_variables.generation < excluded.generation
     RETURNING name
   )
   UPDATE env_variable_run_items i
      SET sealed = NULL, attempt_open = false,
          state = CASE WHEN EXISTS (SELECT FROM saved) THEN 'STORED' ELSE 'FAILED' END,
          reference = CASE WHEN EXISTS (SELECT FROM saved) THEN $4 END,
          failure_code = CASE WHEN EXISTS (SELECT FROM saved) THEN NULL ELSE $5 END,
          failure_message = CASE WHEN EXISTS (SELECT FROM saved) THEN NULL ELSE $6 END
     FROM item
    WHERE i.organization_id = item.organization_id AND i.run_id = item.run_id AND i.name = item.name
   RETURNING i.state`,
);

const RECORD_FAILED = statement<{ runId: string }>(
  "env_variable_run_items_record_failed",
  `UPDATE env_variable_run_items
      SET state = 'FAILED', sealed = NULL, attempt_open = false, failure_code = $4, failure_message = $5
    WHERE organization_id = $1 AND run_id = $2 AND name = $3 AND state = 'WAITING' RETURNING run_id AS "runId"`,
);

/** Runs that ended long ago; nobody asks for them any more. */
const PRUNE_RUNS = statement<{ count: number }>(
  "env_variable_runs_prune",
  `WITH pruned AS (
     DELETE FROM env_variable_runs WHERE (organization_id, id) IN (
       SELECT r.organization_id, r.id FROM env_variable_runs r
        WHERE r.created_at < $1 AND NOT EXISTS (
          SELECT FROM env_variable_run_items i
           WHERE i.organization_id = r.organization_id AND i.run_id = r.id AND i.state = 'WAITING')
        LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id)
   SELECT count(id)::int AS count FROM pruned`,
);

type ItemKey = Pick<WaitingItem, "runId" | "name">;

export const variableRuns = {
  insert: async (
    sql: Sql,
    scope: VariableScope,
    run: {
      id: string;
      generation: number;
      epochId: string;
      wrappedKey: Uint8Array;
      createdAt: Date;
      items: readonly { name: string; kind: ManagedKind; sealed: Uint8Array }[];
    },
  ) => {
    const { organizationId, environmentId, serviceId } = scope;
    const { id, generation, epochId, wrappedKey, createdAt, items } = run;
    await sql.query(INSERT_RUN, [
      organizationId,
      id,
      environmentId,
      serviceId,
      generation,
      epochId,
      wrappedKey,
      createdAt,
    ]);
    await sql.query(INSERT_ITEMS, [
      organizationId,
      id,
      scopeIdOf(scope),
      generation,
      items.map(({ name }) => name),
      items.map(({ kind }) => kind),
      items.map(({ sealed }) => Buffer.from(sealed).toString("base64")),
    ]);
  },
  supersedeOlder: async (
    sql: Sql,
    scope: VariableScope,
    names: readonly string[],
    generation: number,
    { code, message }: Failure,
  ) =>
    (
      await sql.query(SUPERSEDE_OLDER, [
        scope.organizationId,
        scopeIdOf(scope),
        names,
        generation,
        code,
        message,
      ])
    ).map(({ runId }) => runId),
  supersedeAll: async (
    sql: Sql,
    organizationId: string,
    scopeId: string,
    name: string,
    { code, message }: Failure,
  ) =>
    (await sql.query(SUPERSEDE_ALL, [organizationId, scopeId, name, code, message])).map(
      ({ runId }) => runId,
    ),
  /** Empty for a run that does not exist, or is not of this scope: every run has an item. */
  findItems: (sql: Sql, scope: Omit<VariableScope, "projectId">, runId: string) =>
    sql.query(FIND_RUN_ITEMS, [scope.organizationId, runId, scope.environmentId, scope.serviceId]),
  listWaiting: (sql: Sql, organizationId: string, scopeId: string) =>
    sql.query(LIST_WAITING, [organizationId, scopeId]),
  claim: async (
    sql: Sql,
    organizationId: string,
    { runId, name }: ItemKey,
    startedAt: Date,
    isSettling: boolean,
  ) => (await sql.query(CLAIM, [organizationId, runId, name, startedAt, isSettling]))[0] ?? null,
  retractItem: async (sql: Sql, organizationId: string, { runId, name }: ItemKey, wasOpen: boolean) =>
    (await sql.query(RETRACT_ITEM, [organizationId, runId, name, wasOpen])).length > 0,
  postpone: async (
    sql: Sql,
    organizationId: string,
    { runId, name }: ItemKey,
    attempts: number,
    until: Date,
  ) => void (await sql.query(POSTPONE_ITEM, [organizationId, runId, name, attempts, until])),
  recordStored: async (
    sql: Sql,
    organizationId: string,
    { runId, name }: ItemKey,
    reference: string,
    superseded: Failure,
  ) =>
    (
      await sql.query(RECORD_STORED, [
        organizationId,
        runId,
        name,
        reference,
        superseded.code,
        superseded.message,
      ])
    )[0]?.state ?? null,
  recordFailed: async (
    sql: Sql,
    organizationId: string,
    { runId, name }: ItemKey,
    { code, message }: Failure,
  ) => (await sql.query(RECORD_FAILED, [organizationId, runId, name, code, message])).length > 0,
  /** @returns whether there may be more */
  prune: async (sql: Sql, before: Date) => mayHaveMore(await sql.query(PRUNE_RUNS, [before, PRUNE_BATCH])),
};

const IS_UNUSED = `NOT EXISTS (SELECT FROM env_variables v
      WHERE v.organization_id = m.organization_id AND v.scope_id = m.scope_id AND v.name = m.name
        AND v.source = 'api' AND v.kind = m.kind)
  AND NOT EXISTS (SELECT FROM env_variable_run_items i
      WHERE i.organization_id = m.organization_id AND i.scope_id = m.scope_id AND i.name = m.name
        AND i.kind = m.kind AND i.state = 'WAITING')`;

const HAS_MANAGED = statement<{ exists: boolean }>(
  "env_variable_managed_values_exists",
  `SELECT EXISTS (SELECT FROM env_variable_managed_values
                   WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND removed_at IS NULL AND may_exist) AS exists`,
);

const LIST_PROJECT_SCOPES = statement<{ scopeId: string }>(
  "env_variable_managed_values_list_project_scopes",
  `SELECT DISTINCT scope_id AS "scopeId" FROM env_variable_managed_values
    WHERE organization_id = $1 AND project_id = $2 ORDER BY 1`,
);

/** The same for all values of a scope. */
const FIND_ACCOUNT = statement<{ accountId: string }>(
  "env_variable_managed_values_find_account",
  `SELECT aws_account_id AS "accountId" FROM env_variable_managed_values
    WHERE organization_id = $1 AND scope_id = $2 LIMIT 1`,
);

const LIST_UNUSED = statement<ManagedValue>(
  "env_variable_managed_values_list_unused",
  `SELECT m.organization_id AS "organizationId", m.scope_id AS "scopeId", m.name, m.kind,
          m.aws_account_id AS "awsAccountId", m.region, m.cloud_name AS "cloudName", m.generation::float8 AS generation,
          m.may_exist AS "mayExist", m.put_started_at AS "putStartedAt", m.delete_started_at AS "deleteStartedAt",
          m.attempts, m.next_attempt_at AS "nextAttemptAt"
     FROM env_variable_managed_values m
    WHERE m.organization_id = $1 AND m.scope_id = $2 AND ${IS_UNUSED}`,
);

/** Notes that a removal is about to be made, only if nothing uses the value. The last look before the call. */
const CLAIM_REMOVAL = statement<{ deleteStartedBefore: Date | null }>(
  "env_variable_managed_values_claim_removal",
  `UPDATE env_variable_managed_values m SET delete_started_at = $6
     FROM env_variable_managed_values b
    WHERE m.organization_id = $1 AND m.scope_id = $2 AND m.name = $3 AND m.kind = $4 AND m.generation = $5
      AND b.organization_id = $1 AND b.scope_id = $2 AND b.name = $3 AND b.kind = $4 AND ${IS_UNUSED}
   RETURNING b.delete_started_at AS "deleteStartedBefore"`,
);

/** The end of a removal is known; by whoever made it, whatever others did meanwhile. */
const END_REMOVAL = statement(
  "env_variable_managed_values_end_removal",
  `UPDATE env_variable_managed_values SET delete_started_at = $6
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4 AND delete_started_at = $5`,
);

/** Only if no write was accepted for it meanwhile, which would have raised the generation. */
const FORGET = statement(
  "env_variable_managed_values_forget",
  `DELETE FROM env_variable_managed_values
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4 AND generation = $5`,
);

/** It is removed again at $7, before which nothing is put there. */
const RECORD_REMOVED = statement(
  "env_variable_managed_values_record_removed",
  `UPDATE env_variable_managed_values
      SET removed_at = $6, next_attempt_at = $7, attempts = 0, last_error_code = NULL, last_error_message = NULL
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4 AND generation = $5`,
);

/** Also where a write was accepted for it meanwhile, which is what has to wait. */
const HOLD_PUTS = statement(
  "env_variable_managed_values_hold_puts",
  `UPDATE env_variable_managed_values SET put_not_before = $5
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4`,
);

const PUT_REMOVAL_OFF = statement(
  "env_variable_managed_values_put_removal_off",
  `UPDATE env_variable_managed_values
      SET removed_at = NULL, attempts = $6, next_attempt_at = $7, last_error_code = $8, last_error_message = $9
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4 AND generation = $5`,
);

/** A second removal waits for calls that may still be on their way, not for the account. */
const RESUME_REMOVALS = statement(
  "env_variable_managed_values_resume_removals",
  `UPDATE env_variable_managed_values SET next_attempt_at = now()
    WHERE organization_id = $1 AND aws_account_id = $2 AND removed_at IS NULL AND next_attempt_at > now()`,
);

export const managedValues = {
  resumeRemovals: async (sql: Sql, organizationId: string, awsAccountId: string): Promise<void> =>
    void (await sql.query(RESUME_REMOVALS, [organizationId, awsAccountId])),
  expect: async (
    sql: Sql,
    scope: VariableScope,
    place: { awsAccountId: string; region: string },
    generation: number,
    values: readonly { name: string; kind: ManagedKind; cloudName: string }[],
  ) =>
    void (await sql.query(EXPECT_MANAGED, [
      scope.organizationId,
      scopeIdOf(scope),
      scope.projectId,
      place.awsAccountId,
      place.region,
      generation,
      values.map(({ name }) => name),
      values.map(({ kind }) => kind),
      values.map(({ cloudName }) => cloudName),
    ])),
  exists: async (sql: Sql, organizationId: string, scopeId: string, name: string) =>
    (await sql.query(HAS_MANAGED, [organizationId, scopeId, name]))[0]?.exists === true,
  listProjectScopeIds: async (sql: Sql, organizationId: string, projectId: string) =>
    (await sql.query(LIST_PROJECT_SCOPES, [organizationId, projectId])).map(({ scopeId }) => scopeId),
  findAccount: async (sql: Sql, organizationId: string, scopeId: string) =>
    (await sql.query(FIND_ACCOUNT, [organizationId, scopeId]))[0]?.accountId ?? null,
  listUnused: (sql: Sql, organizationId: string, scopeId: string) =>
    sql.query(LIST_UNUSED, [organizationId, scopeId]),
  /** @returns when an earlier removal began of which nobody knows the end; null when the value is used */
  claimRemoval: async (sql: Sql, value: ManagedValue, startedAt: Date) =>
    (await sql.query(CLAIM_REMOVAL, [...keyOf(value), startedAt]))[0] ?? null,
  /** @param startedBefore of an earlier one, of which nobody knows the end still */
  endRemoval: async (sql: Sql, value: ManagedValue, startedAt: Date, startedBefore: Date | null) =>
    void (await sql.query(END_REMOVAL, [...placeOf(value), startedAt, startedBefore])),
  /** @returns false while another's put is under way there, or was after it */
  endPut: async (
    sql: Sql,
    organizationId: string,
    scopeId: string,
    { name, kind }: Pick<ManagedValue, "name" | "kind">,
    startedAt: Date,
    startedBefore: Date | null,
  ) => (await sql.query(END_PUT, [organizationId, scopeId, name, kind, startedAt, startedBefore])).length > 0,
  /** Nothing was put there after all. */
  retract: async (
    sql: Sql,
    organizationId: string,
    scopeId: string,
    { name, kind }: Pick<ManagedValue, "name" | "kind">,
  ) => void (await sql.query(RETRACT_VALUE, [organizationId, scopeId, name, kind])),
  forget: async (sql: Sql, value: ManagedValue) => void (await sql.query(FORGET, keyOf(value))),
  /** It was removed, and is once more when what was called before cannot arrive any more. */
  recordRemoved: async (sql: Sql, value: ManagedValue, removedAt: Date, safeAt: Date) => {
    await sql.query(HOLD_PUTS, [...placeOf(value), safeAt]);
    await sql.query(RECORD_REMOVED, [...keyOf(value), removedAt, safeAt]);
  },
  putRemovalOff: async (
    sql: Sql,
    value: ManagedValue,
    { attempts, nextAttemptAt, error }: { attempts: number; nextAttemptAt: Date; error: Failure },
  ) =>
    void (await sql.query(PUT_REMOVAL_OFF, [
      ...keyOf(value),
      attempts,
      nextAttemptAt,
      error.code,
      error.message,
    ])),
};

function placeOf({ organizationId, scopeId, name, kind }: ManagedValue) {
  return [organizationId, scopeId, name, kind] as const;
}

function keyOf(value: ManagedValue) {
  return [...placeOf(value), value.generation] as const;
}
