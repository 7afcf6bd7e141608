/** Runs, which store managed values in the cloud, and their items, which wait sealed. */
import { readStatement, type Sql, writeStatement } from "../../db/database.ts";
import { mayHaveMore, PRUNE_BATCH } from "../../db/prune.ts";
import {
  type ManagedKind,
  type RunItem,
  scopeIdOf,
  type VariableScope,
  type WaitingItem,
  type Writer,
} from "./env-variable.ts";
import type { Failure } from "./errors.ts";

const INSERT_RUN = writeStatement(
  "env_variable_runs_insert",
  `INSERT INTO env_variable_runs (organization_id, id, environment_id, service_id, generation, epoch_id,
                                  wrapped_key, created_at, user_id, api_key_id, request_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);

/** Sealed values travel as base64, because drivers differ in how they send arrays of bytes. */
const INSERT_ITEMS = writeStatement(
  "env_variable_run_items_insert",
  `INSERT INTO env_variable_run_items (organization_id, run_id, scope_id, name, kind, generation, sealed)
   SELECT $1, $2, $3, name, kind, $4, decode(sealed, 'base64')
     FROM unnest($5::text[], $6::text[], $7::text[]) AS given(name, kind, sealed) ORDER BY name COLLATE "C"
   RETURNING name`,
);

/** An item that ended, because a newer write or a deletion was accepted. */
export type EndedItem = Pick<WaitingItem, "runId" | "name" | "kind">;

/**
 * Ends waiting items, which it locks in one order: two writes of the same names would otherwise deadlock.
 * @param which a condition on the items of $1, $2 and the names in $3
 */
const supersede = (which: string): string => `WITH locked AS MATERIALIZED (
     SELECT run_id, name FROM env_variable_run_items
      WHERE organization_id = $1 AND scope_id = $2 AND name = ANY($3::text[]) AND state = 'WAITING'${which}
      ORDER BY name COLLATE "C", run_id COLLATE "C" FOR UPDATE
   )
   UPDATE env_variable_run_items i
      SET state = 'FAILED', sealed = NULL, attempt_open = false, failure_code = $4, failure_message = $5
     FROM locked
    WHERE i.organization_id = $1 AND i.run_id = locked.run_id AND i.name = locked.name
   RETURNING i.run_id AS "runId", i.name, i.kind`;

/** Ends the waiting items of some names that never reached the cloud, because a newer write was accepted. */
const SUPERSEDE_OLDER = writeStatement<EndedItem>(
  "env_variable_run_items_supersede_older",
  supersede(" AND NOT attempt_open AND generation < $6"),
);

/** Ends all waiting items of names, tried or not: the names are deleted, and what reached the cloud is removed. */
const SUPERSEDE_ALL = writeStatement<EndedItem>("env_variable_run_items_supersede_all", supersede(""));

const FIND_RUN_ITEMS = readStatement<RunItem>(
  "env_variable_runs_find_items",
  `SELECT i.name, i.kind, i.state, i.reference, i.failure_code AS "failureCode", i.failure_message AS "failureMessage"
     FROM env_variable_runs r
     JOIN env_variable_run_items i ON i.organization_id = r.organization_id AND i.run_id = r.id
    WHERE r.organization_id = $1 AND r.id = $2 AND r.environment_id = $3 AND r.service_id IS NOT DISTINCT FROM $4
    ORDER BY i.name`,
);

const LIST_WAITING = readStatement<WaitingItem>(
  "env_variable_run_items_list_waiting",
  `SELECT i.run_id AS "runId", i.name, i.kind, i.generation::float8 AS generation, r.epoch_id AS "epochId",
          r.wrapped_key AS "wrappedKey", r.created_at AS "runCreatedAt", i.attempt_open AS "attemptOpen", i.attempts,
          i.next_attempt_at AS "nextAttemptAt", v.generation::float8 AS "variableGeneration",
          r.environment_id AS "environmentId", r.service_id AS "serviceId",
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
  /** When an earlier put of unknown outcome began there. */
  readonly startedBefore: Date | null;
};

/**
 * Records that a call is about to be made, only if the item still waits and nothing newer was accepted
 * (unless the call settles an earlier attempt). The last check before the value is sent.
 */
const CLAIM = writeStatement<ClaimedItem>(
  "env_variable_run_items_claim",
  `WITH claimed AS (
     UPDATE env_variable_run_items i SET attempt_open = true
      WHERE i.organization_id = $1 AND i.run_id = $2 AND i.name = $3 AND i.state = 'WAITING'
        AND ($5 OR (
          NOT EXISTS (SELECT 1 FROM env_variables v
                       WHERE v.organization_id = $1 AND v.scope_id = i.scope_id AND v.name = i.name
                         AND v.source = 'api' AND v.generation > i.generation)
          AND NOT EXISTS (SELECT 1 FROM env_variable_run_items n
                           WHERE n.organization_id = $1 AND n.scope_id = i.scope_id AND n.name = i.name
                             AND n.state = 'WAITING' AND n.generation > i.generation)))
     RETURNING i.scope_id, i.name, i.kind, i.sealed
   )
   UPDATE env_variable_managed_values m SET may_exist = true, put_started_at = $4
     FROM claimed c JOIN env_variable_managed_values b
       ON b.organization_id = $1 AND b.scope_id = c.scope_id AND b.name = c.name AND b.kind = c.kind
    WHERE m.organization_id = $1 AND m.scope_id = c.scope_id AND m.name = c.name AND m.kind = c.kind
   RETURNING c.sealed, b.may_exist AS "didExist", b.put_started_at AS "startedBefore"`,
);

const LOCK_ITEM = writeStatement<{ name: string }>(
  "env_variable_run_items_lock",
  `SELECT name FROM env_variable_run_items WHERE organization_id = $1 AND run_id = $2 AND name = $3 FOR UPDATE`,
);

/** The attempt is known to have changed nothing: the item is as before the attempt. */
const RETRACT_ITEM = writeStatement<{ name: string }>(
  "env_variable_run_items_retract",
  `UPDATE env_variable_run_items SET attempt_open = $4
    WHERE organization_id = $1 AND run_id = $2 AND name = $3 AND state = 'WAITING' RETURNING name`,
);

const POSTPONE_ITEM = writeStatement(
  "env_variable_run_items_postpone",
  `UPDATE env_variable_run_items SET attempts = $4, next_attempt_at = $5
    WHERE organization_id = $1 AND run_id = $2 AND name = $3 AND state = 'WAITING'`,
);

/**
 * Puts a stored value into effect unless a newer one is, adds its version, ends its item and deletes the sealed value,
 * in one statement. Does nothing if the item has already ended. Locks the variable before the item, as a deletion does.
 */
const RECORD_STORED = writeStatement<{ state: "STORED" | "FAILED" }>(
  "env_variable_run_items_record_stored",
  `WITH variable AS MATERIALIZED (
     SELECT name FROM env_variables
      WHERE organization_id = $1 AND name = $3 AND source = 'api' AND scope_id = (
        SELECT scope_id FROM env_variable_run_items WHERE organization_id = $1 AND run_id = $2 AND name = $3)
        FOR UPDATE
   ), item AS (
     SELECT i.organization_id, i.run_id, i.name, i.kind, i.generation, r.environment_id, r.service_id,
            i.scope_id, r.user_id, r.api_key_id, r.request_id
       FROM env_variable_run_items i
       JOIN env_variable_runs r ON r.organization_id = i.organization_id AND r.id = i.run_id
      WHERE i.organization_id = $1 AND i.run_id = $2 AND i.name = $3 AND i.state = 'WAITING'
        AND (SELECT count(*) FROM variable) >= 0 FOR UPDATE OF i
   ), saved AS (
     INSERT INTO env_variables (organization_id, environment_id, service_id, name, source, kind, reference, generation)
     SELECT organization_id, environment_id, service_id, name, 'api', kind, $4, generation FROM item
     ON CONFLICT (organization_id, scope_id, name, source) DO UPDATE
       SET kind = excluded.kind, plain_value = NULL, reference = excluded.reference, linked_service_id = NULL,
           linked_property = NULL, generation = excluded.generation, updated_at = excluded.updated_at
     WHERE env_variables.generation < excluded.generation
     RETURNING name
   ), recorded AS (
     INSERT INTO env_variable_versions (organization_id, scope_id, name, generation, version, user_id, api_key_id,
                                        request_id, kind, reference)
     SELECT organization_id, scope_id, name, generation, $7, user_id, api_key_id, request_id, kind, $4
       FROM item WHERE EXISTS (SELECT 1 FROM saved)
     RETURNING name
   )
   UPDATE env_variable_run_items i
      SET sealed = NULL, attempt_open = false,
          state = CASE WHEN saved.name IS NULL THEN 'FAILED' ELSE 'STORED' END,
          reference = CASE WHEN saved.name IS NULL THEN NULL ELSE $4 END,
          failure_code = CASE WHEN saved.name IS NULL THEN $5 END,
          failure_message = CASE WHEN saved.name IS NULL THEN $6 END
     FROM item LEFT JOIN saved ON saved.name = item.name
    WHERE i.organization_id = $1 AND i.run_id = $2 AND i.name = item.name
   RETURNING i.state`,
);

const RECORD_FAILED = writeStatement<{ runId: string }>(
  "env_variable_run_items_record_failed",
  `UPDATE env_variable_run_items
      SET state = 'FAILED', sealed = NULL, attempt_open = false, failure_code = $4, failure_message = $5
    WHERE organization_id = $1 AND run_id = $2 AND name = $3 AND state = 'WAITING' RETURNING run_id AS "runId"`,
);

/** Runs that ended long ago and are no longer needed. */
const PRUNE_RUNS = writeStatement<{ count: number }>(
  "env_variable_runs_prune",
  `WITH pruned AS (
     DELETE FROM env_variable_runs WHERE (organization_id, id) IN (
       SELECT r.organization_id, r.id FROM env_variable_runs r
        WHERE r.created_at < $1 AND NOT EXISTS (
          SELECT 1 FROM env_variable_run_items i
           WHERE i.organization_id = r.organization_id AND i.run_id = r.id AND i.state = 'WAITING')
        LIMIT $2)
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
      writer: Omit<Writer, "version">;
      items: readonly { name: string; kind: ManagedKind; sealed: Uint8Array }[];
    },
  ) => {
    const { organizationId, environmentId, serviceId } = scope;
    const { id, generation, epochId, wrappedKey, createdAt, items, writer } = run;
    await sql.query(INSERT_RUN, [
      organizationId,
      id,
      environmentId,
      serviceId,
      generation,
      epochId,
      wrappedKey,
      createdAt,
      writer.userId,
      writer.apiKeyId,
      writer.requestId,
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
    await sql.query(SUPERSEDE_OLDER, [
      scope.organizationId,
      scopeIdOf(scope),
      names,
      code,
      message,
      generation,
    ]),
  supersedeAll: async (
    sql: Sql,
    organizationId: string,
    scopeId: string,
    names: readonly string[],
    { code, message }: Failure,
  ) => await sql.query(SUPERSEDE_ALL, [organizationId, scopeId, names, code, message]),
  /** Empty if the run does not exist, or belongs to another scope: every run has an item. */
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
  /** Makes other changes of the item wait until the transaction ends. */
  lockItem: async (sql: Sql, organizationId: string, { runId, name }: ItemKey): Promise<void> =>
    void (await sql.query(LOCK_ITEM, [organizationId, runId, name])),
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
    version: string,
  ) =>
    (
      await sql.query(RECORD_STORED, [
        organizationId,
        runId,
        name,
        reference,
        superseded.code,
        superseded.message,
        version,
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
