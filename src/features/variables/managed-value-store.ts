/** Stores which values are, or may be, in customers' clouds, and calls of unknown outcome about them. */
import type { LeftBy } from "../cloud-accounts/left-in-account.ts";
import { type StartedCall, stragglesUntilMs } from "../../cloud/calls/stragglers.ts";
import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { type ManagedKind, type ManagedValue, scopeIdOf, type VariableScope } from "./env-variable.ts";
import type { Failure } from "./errors.ts";

/**
 * The row exists before the first call that may put a value into the cloud. While it exists, it keeps its place there.
 * What follows the SELECT names no parameter: Citus does not know its type there.
 */
const expectManaged = (name: string, where: string) =>
  writeStatement<{ name: string }>(
    name,
    `INSERT INTO env_variable_managed_values (organization_id, scope_id, name, kind, project_id, aws_account_id,
                                              region, cloud_name, in_previews, generation)
     SELECT $1, $2, name, kind, $3, $4, $5, cloud_name, $10::boolean, $6
       FROM unnest($7::text[], $8::text[], $9::text[]) AS given(name, kind, cloud_name) ORDER BY name COLLATE "C"
     ON CONFLICT (organization_id, scope_id, name, kind) DO UPDATE
       SET generation = greatest(env_variable_managed_values.generation, excluded.generation),
           removed_at = NULL, attempts = 0, next_attempt_at = NULL, last_error_code = NULL, last_error_message = NULL
       ${where}
     RETURNING name`,
  );
const EXPECT_MANAGED = expectManaged("env_variable_managed_values_expect", "");
const EXPECT_IN_SCOPE = expectManaged(
  "env_variable_managed_values_expect_in_scope",
  "WHERE env_variable_managed_values.in_previews = excluded.in_previews",
);

/** Values of some names, of one kind each, that have the other scope. */
const LIST_OTHER_SCOPE = readStatement<{ name: string }>(
  "env_variable_managed_values_list_other_scope",
  `SELECT m.name FROM env_variable_managed_values m
     JOIN unnest($3::text[], $4::text[]) AS given(name, kind) ON given.name = m.name AND given.kind = m.kind
    WHERE m.organization_id = $1 AND m.scope_id = $2 AND m.in_previews <> $5`,
);

/** Records that a put has ended, whichever worker made it and whatever others have done since. */
const END_PUT = writeStatement<{ name: string }>(
  "env_variable_managed_values_end_put",
  `UPDATE env_variable_managed_values SET put_started_at = $6
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4 AND put_started_at = $5 RETURNING name`,
);

const RETRACT_VALUE = writeStatement(
  "env_variable_managed_values_retract",
  `UPDATE env_variable_managed_values SET may_exist = false
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4`,
);

const IS_UNUSED = `NOT EXISTS (SELECT 1 FROM env_variables v
      WHERE v.organization_id = $1 AND v.scope_id = m.scope_id AND v.name = m.name
        AND v.source = 'api' AND v.kind = m.kind)
  AND NOT EXISTS (SELECT 1 FROM env_variable_run_items i
      WHERE i.organization_id = $1 AND i.scope_id = m.scope_id AND i.name = m.name
        AND i.kind = m.kind AND i.state = 'WAITING')`;

/** Those of some names that have something in the cloud, or may have. */
const LIST_NAMES_IN_CLOUD = readStatement<{ name: string }>(
  "env_variable_managed_values_list_names_in_cloud",
  `SELECT DISTINCT name FROM env_variable_managed_values
    WHERE organization_id = $1 AND scope_id = $2 AND name = ANY($3::text[]) AND removed_at IS NULL AND may_exist`,
);

const LIST_PROJECT_SCOPES = readStatement<{ scopeId: string }>(
  "env_variable_managed_values_list_project_scopes",
  `SELECT DISTINCT scope_id AS "scopeId" FROM env_variable_managed_values
    WHERE organization_id = $1 AND project_id = $2 ORDER BY 1`,
);

/** Values that are, or may be, in the cloud, and are not known to be removed. */
const LIST_LEFT = readStatement<{ kind: ManagedKind; region: string; name: string }>(
  "env_variable_managed_values_list_left",
  `SELECT kind, region, cloud_name AS name FROM env_variable_managed_values
    WHERE organization_id = $1 AND (project_id = $2 OR aws_account_id = $3) AND may_exist AND removed_at IS NULL
    ORDER BY 1, 2, 3`,
);
const HAS_OF_PROJECT = readStatement<{ exists: boolean }>(
  "env_variable_managed_values_has_of_project",
  `SELECT EXISTS (SELECT 1 FROM env_variable_managed_values WHERE organization_id = $1 AND project_id = $2) AS exists`,
);
const DELETE_OF_PROJECT = writeStatement(
  "env_variable_managed_values_delete_of_project",
  `DELETE FROM env_variable_managed_values WHERE organization_id = $1 AND project_id = $2`,
);

/** The account of all values of a scope. */
const FIND_ACCOUNT = readStatement<{ accountId: string }>(
  "env_variable_managed_values_find_account",
  `SELECT aws_account_id AS "accountId" FROM env_variable_managed_values
    WHERE organization_id = $1 AND scope_id = $2 LIMIT 1`,
);

const LIST_UNUSED = readStatement<ManagedValue>(
  "env_variable_managed_values_list_unused",
  `SELECT m.organization_id AS "organizationId", m.scope_id AS "scopeId", m.name, m.kind,
          m.aws_account_id AS "awsAccountId", m.region, m.cloud_name AS "cloudName", m.generation::float8 AS generation,
          m.may_exist AS "mayExist", m.put_started_at AS "putStartedAt", m.delete_started_at AS "deleteStartedAt",
          m.attempts, m.next_attempt_at AS "nextAttemptAt"
     FROM env_variable_managed_values m
    WHERE m.organization_id = $1 AND m.scope_id = $2 AND ${IS_UNUSED}`,
);

/** Records that a removal is about to be made, only if nothing uses the value. The last check before the call. */
const CLAIM_REMOVAL = writeStatement<{ deleteStartedBefore: Date | null }>(
  "env_variable_managed_values_claim_removal",
  `UPDATE env_variable_managed_values m SET delete_started_at = $6
     FROM env_variable_managed_values b
    WHERE m.organization_id = $1 AND m.scope_id = $2 AND m.name = $3 AND m.kind = $4 AND m.generation = $5
      AND b.organization_id = $1 AND b.scope_id = $2 AND b.name = $3 AND b.kind = $4 AND ${IS_UNUSED}
   RETURNING b.delete_started_at AS "deleteStartedBefore"`,
);

/** Records that a removal has ended, whichever worker made it and whatever others have done since. */
const END_REMOVAL = writeStatement(
  "env_variable_managed_values_end_removal",
  `UPDATE env_variable_managed_values SET delete_started_at = $6
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4 AND delete_started_at = $5`,
);

/** Only if no write was accepted for it since; a write would have raised the generation. */
const FORGET = writeStatement<{ name: string }>(
  "env_variable_managed_values_forget",
  `DELETE FROM env_variable_managed_values
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4 AND generation = $5 RETURNING name`,
);

/** It is removed again at $7; until then, nothing is put there. */
const RECORD_REMOVED = writeStatement(
  "env_variable_managed_values_record_removed",
  `UPDATE env_variable_managed_values
      SET removed_at = $6, next_attempt_at = $7, attempts = 0, last_error_code = NULL, last_error_message = NULL
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4 AND generation = $5`,
);

/** Also if a write was accepted for it since: that write has to wait. */
const HOLD_PUTS = writeStatement(
  "env_variable_managed_values_hold_puts",
  `UPDATE env_variable_managed_values SET put_not_before = $5
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4`,
);

/** Puts of some names with unknown outcome, in the order in which writes lock them. */
const LIST_OPEN_PUTS = readStatement<{
  name: string;
  kind: ManagedKind;
  startedAt: Date;
  putNotBefore: Date | null;
}>(
  "env_variable_managed_values_list_open_puts",
  `SELECT name, kind, put_started_at AS "startedAt", put_not_before AS "putNotBefore" FROM env_variable_managed_values
    WHERE organization_id = $1 AND scope_id = $2 AND name = ANY($3::text[]) AND put_started_at IS NOT NULL
    ORDER BY name COLLATE "C", kind COLLATE "C"`,
);

const PUT_REMOVAL_OFF = writeStatement(
  "env_variable_managed_values_put_removal_off",
  `UPDATE env_variable_managed_values
      SET removed_at = NULL, attempts = $6, next_attempt_at = $7, last_error_code = $8, last_error_message = $9
    WHERE organization_id = $1 AND scope_id = $2 AND name = $3 AND kind = $4 AND generation = $5`,
);

/** A second removal waits for calls that may still arrive, not for the account. */
const RESUME_REMOVALS = writeStatement(
  "env_variable_managed_values_resume_removals",
  `UPDATE env_variable_managed_values SET next_attempt_at = now()
    WHERE organization_id = $1 AND aws_account_id = $2 AND removed_at IS NULL AND next_attempt_at > now()`,
);

export const managedValues = {
  resumeRemovals: async (sql: Sql, organizationId: string, awsAccountId: string): Promise<void> =>
    void (await sql.query(RESUME_REMOVALS, [organizationId, awsAccountId])),
  /** @returns the names of those whose place is not another one */
  expect: async (
    sql: Sql,
    scope: VariableScope,
    {
      place,
      inPreviews,
      generation,
    }: {
      place: { awsAccountId: string; region: string };
      /** Null: they keep their place. */
      inPreviews: boolean | null;
      generation: number;
    },
    values: readonly { name: string; kind: ManagedKind; cloudName: string }[],
  ) =>
    (
      await sql.query(inPreviews === null ? EXPECT_MANAGED : EXPECT_IN_SCOPE, [
        scope.organizationId,
        scopeIdOf(scope),
        scope.projectId,
        place.awsAccountId,
        place.region,
        generation,
        values.map(({ name }) => name),
        values.map(({ kind }) => kind),
        values.map(({ cloudName }) => cloudName),
        inPreviews ?? false,
      ])
    ).map(({ name }) => name),
  listOtherScope: async (
    sql: Sql,
    { organizationId, ...scope }: VariableScope,
    values: readonly { name: string; kind: ManagedKind }[],
    inPreviews: boolean | null,
  ) =>
    (
      await sql.query(LIST_OTHER_SCOPE, [
        organizationId,
        scopeIdOf(scope),
        values.map(({ name }) => name),
        values.map(({ kind }) => kind),
        inPreviews,
      ])
    ).map(({ name }) => name),
  listNamesInCloud: async (sql: Sql, organizationId: string, scopeId: string, names: readonly string[]) =>
    (await sql.query(LIST_NAMES_IN_CLOUD, [organizationId, scopeId, names])).map(({ name }) => name),
  listProjectScopeIds: async (sql: Sql, organizationId: string, projectId: string) =>
    (await sql.query(LIST_PROJECT_SCOPES, [organizationId, projectId])).map(({ scopeId }) => scopeId),
  listLeft: (sql: Sql, organizationId: string, by: LeftBy) =>
    sql.query(
      LIST_LEFT,
      "projectId" in by ? [organizationId, by.projectId, null] : [organizationId, null, by.awsAccountId],
    ),
  hasOfProject: async (sql: Sql, organizationId: string, projectId: string) =>
    (await sql.query(HAS_OF_PROJECT, [organizationId, projectId]))[0]?.exists === true,
  deleteOfProject: async (sql: Sql, organizationId: string, projectId: string) =>
    void (await sql.query(DELETE_OF_PROJECT, [organizationId, projectId])),
  findAccount: async (sql: Sql, organizationId: string, scopeId: string) =>
    (await sql.query(FIND_ACCOUNT, [organizationId, scopeId]))[0]?.accountId ?? null,
  listUnused: (sql: Sql, organizationId: string, scopeId: string) =>
    sql.query(LIST_UNUSED, [organizationId, scopeId]),
  /** @returns when an earlier removal of unknown outcome began; null if the value is in use */
  claimRemoval: async (sql: Sql, value: ManagedValue, startedAt: Date) =>
    (await sql.query(CLAIM_REMOVAL, [...keyOf(value), startedAt]))[0] ?? null,
  endRemoval: async (sql: Sql, value: ManagedValue, { startedAt, startedBefore }: StartedCall) =>
    void (await sql.query(END_REMOVAL, [...placeOf(value), startedAt, startedBefore])),
  /** @returns false if another worker's put is running there, or was made later */
  endPut: async (
    sql: Sql,
    organizationId: string,
    scopeId: string,
    { name, kind }: Pick<ManagedValue, "name" | "kind">,
    { startedAt, startedBefore }: StartedCall,
  ) => (await sql.query(END_PUT, [organizationId, scopeId, name, kind, startedAt, startedBefore])).length > 0,
  /** Nothing was put there after all. */
  retract: async (
    sql: Sql,
    organizationId: string,
    scopeId: string,
    { name, kind }: Pick<ManagedValue, "name" | "kind">,
  ) => void (await sql.query(RETRACT_VALUE, [organizationId, scopeId, name, kind])),
  /** @returns false if the value is in use again */
  forget: async (sql: Sql, value: ManagedValue) => (await sql.query(FORGET, keyOf(value))).length > 0,
  /**
   * Makes the next put of each name wait for calls that may still arrive. Those calls cannot be repeated, because their
   * values are not kept.
   */
  holdPutsAfterOpenOnes: async (
    tx: Transaction,
    organizationId: string,
    scopeId: string,
    names: readonly string[],
  ) => {
    for (const { name, kind, startedAt, putNotBefore } of await tx.query(LIST_OPEN_PUTS, [
      organizationId,
      scopeId,
      names,
    ])) {
      const safeMs = Math.max(stragglesUntilMs(startedAt), putNotBefore?.getTime() ?? 0);
      await tx.query(HOLD_PUTS, [organizationId, scopeId, name, kind, new Date(safeMs)]);
    }
  },
  /** It was removed. It will be removed once more when earlier calls can no longer arrive. */
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
