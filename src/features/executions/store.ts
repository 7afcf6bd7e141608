import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { createPrune } from "../../db/prune.ts";
import { newId } from "../../lib/ids.ts";
import type { Execution, ExecutionError, Outcome } from "./execution.ts";

const COLUMNS = `organization_id AS "organizationId", id, project_id AS "projectId", environment_id AS "environmentId",
  service_id AS "serviceId", job_id AS "jobId", trigger, scheduled_for AS "scheduledFor", attempt, command, cpu,
  memory_gb AS "memoryGb", time_limit_seconds AS "timeLimitSeconds", started_by AS "startedBy",
  deployment_id AS "deploymentId", status, exit_code AS "exitCode", error, is_repeated AS "isRepeated",
  cancel_requested_at AS "cancelRequestedAt", started_at AS "startedAt", ended_at AS "endedAt", created_at AS "createdAt"`;

export type NewExecution = Pick<
  Execution,
  | "organizationId"
  | "projectId"
  | "environmentId"
  | "serviceId"
  | "jobId"
  | "trigger"
  | "scheduledFor"
  | "attempt"
  | "command"
  | "cpu"
  | "memoryGb"
  | "timeLimitSeconds"
  | "startedBy"
> & {
  /** The release that it runs in; by default the live one at its start. */
  readonly deploymentId?: string;
};

/** With an error, it never starts. Nothing if the tick has its execution already. */
const INSERT = writeStatement<Execution>(
  "executions_insert",
  `INSERT INTO executions (organization_id, id, project_id, environment_id, service_id, job_id, trigger, scheduled_for,
                           attempt, command, cpu, memory_gb, time_limit_seconds, started_by, status, error, deployment_id,
                           ended_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16::jsonb, $17,
           CASE WHEN $15 <> 'QUEUED' THEN now() END)
   ON CONFLICT (organization_id, service_id, job_id, scheduled_for, attempt) WHERE scheduled_for IS NOT NULL DO NOTHING
   RETURNING ${COLUMNS}`,
);

const FIND = readStatement<Execution>(
  "executions_find",
  `SELECT ${COLUMNS} FROM executions WHERE organization_id = $1 AND id = $2`,
);

const LOCK = writeStatement<Execution>(
  "executions_lock",
  `SELECT ${COLUMNS} FROM executions WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);

const LIST = pagedStatement<Execution>(
  "executions_list",
  (after, direction) => `SELECT ${COLUMNS} FROM executions
    WHERE organization_id = $1 AND service_id = $2 AND id ${after} $3 AND ($5::text IS NULL OR job_id = $5)
      AND ($6::text IS NULL OR status = $6) AND ($7::text IS NULL OR trigger = $7)
    ORDER BY id ${direction} LIMIT $4`,
);

/** Of a service, the ones under way. */
const LIST_UNDER_WAY = readStatement<Execution>(
  "executions_list_under_way",
  `SELECT ${COLUMNS} FROM executions WHERE organization_id = $1 AND service_id = $2 AND ended_at IS NULL ORDER BY id`,
);

/** The newest of each job. */
const LIST_LATEST = readStatement<Execution>(
  "executions_list_latest",
  `SELECT latest.* FROM unnest($3::text[]) AS job (id)
    CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM executions WHERE organization_id = $1 AND service_id = $2 AND job_id = job.id
       ORDER BY executions.id DESC LIMIT 1) AS latest`,
);

/** The newest attempt that a schedule started, of each job. */
const LIST_LATEST_ATTEMPTS = readStatement<Execution>(
  "executions_list_latest_attempts",
  `SELECT latest.* FROM unnest($3::text[]) AS job (id)
    CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM executions
       WHERE organization_id = $1 AND service_id = $2 AND job_id = job.id AND scheduled_for IS NOT NULL
         AND status NOT IN ('SKIPPED', 'MISSED')
       ORDER BY scheduled_for DESC, attempt DESC LIMIT 1) AS latest`,
);

const START = writeStatement<{ id: string }>(
  "executions_start",
  `UPDATE executions SET status = 'STARTING', deployment_id = $3
    WHERE organization_id = $1 AND id = $2 AND status = 'QUEUED' AND cancel_requested_at IS NULL RETURNING id`,
);

const RUN = writeStatement<{ id: string }>(
  "executions_run",
  `UPDATE executions SET status = 'RUNNING', started_at = $3
    WHERE organization_id = $1 AND id = $2 AND status = 'STARTING' RETURNING id`,
);

const REQUEST_CANCEL = writeStatement<Execution>(
  "executions_request_cancel",
  `UPDATE executions SET cancel_requested_at = coalesce(cancel_requested_at, (SELECT now()))
    WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL RETURNING ${COLUMNS}`,
);

const END = writeStatement<Execution>(
  "executions_end",
  `UPDATE executions
      SET status = $3, exit_code = $4, error = $5::jsonb, started_at = coalesce($6, started_at), ended_at = coalesce($7, (SELECT now())),
          is_repeated = $8
    WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL RETURNING ${COLUMNS}`,
);

/** The caller reports the failure of the execution that it returns. */
const END_REPEATS = writeStatement<Execution>(
  "executions_end_repeats",
  `UPDATE executions SET is_repeated = false
    WHERE organization_id = $1 AND id = $2 AND is_repeated IS DISTINCT FROM false RETURNING ${COLUMNS}`,
);

export type ExecutionFilter = {
  readonly jobId?: string;
  readonly status?: string;
  readonly trigger?: string;
};

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

export const executions = {
  /** @returns null if the tick has its execution already */
  insert: async (
    tx: Transaction,
    execution: NewExecution,
    status: "QUEUED" | "SKIPPED" | "MISSED",
    error: ExecutionError | null,
  ): Promise<Execution | null> => {
    const { organizationId, projectId, environmentId, serviceId, jobId, trigger, scheduledFor } = execution;
    const { attempt, command, cpu, memoryGb, timeLimitSeconds, startedBy, deploymentId = null } = execution;
    const place = [organizationId, newId("exec"), projectId, environmentId, serviceId];
    const values = [
      jobId,
      trigger,
      scheduledFor,
      attempt,
      command,
      cpu,
      memoryGb,
      timeLimitSeconds,
      startedBy,
    ];
    return (await tx.query(INSERT, [...place, ...values, status, json(error), deploymentId]))[0] ?? null;
  },
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  lock: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(LOCK, [organizationId, id]))[0] ?? null,
  /** One more than the page has, because the next page may be empty. */
  list: async (
    sql: Sql,
    organizationId: string,
    serviceId: string,
    page: Page,
    { jobId, status, trigger }: ExecutionFilter,
  ) =>
    await sql.query(LIST[page.order], [
      organizationId,
      serviceId,
      idBefore(page),
      page.limit + 1,
      jobId ?? null,
      status ?? null,
      trigger ?? null,
    ]),
  listLatest: async (sql: Sql, organizationId: string, serviceId: string, jobIds: readonly string[]) =>
    await sql.query(LIST_LATEST, [organizationId, serviceId, jobIds]),
  listLatestAttempts: async (
    sql: Sql,
    organizationId: string,
    serviceId: string,
    jobIds: readonly string[],
  ) => await sql.query(LIST_LATEST_ATTEMPTS, [organizationId, serviceId, jobIds]),
  listUnderWay: async (sql: Sql, organizationId: string, serviceId: string) =>
    await sql.query(LIST_UNDER_WAY, [organizationId, serviceId]),
  /** @returns whether it was queued, and no client cancels it */
  start: async (tx: Transaction, { organizationId, id }: Execution, deploymentId: string) =>
    (await tx.query(START, [organizationId, id, deploymentId])).length > 0,
  run: async (tx: Transaction, { organizationId, id }: Execution, startedAt: Date) =>
    (await tx.query(RUN, [organizationId, id, startedAt])).length > 0,
  requestCancel: async (tx: Transaction, { organizationId, id }: Execution) =>
    (await tx.query(REQUEST_CANCEL, [organizationId, id]))[0] ?? null,
  /** @returns null if it had ended before */
  end: async (
    tx: Transaction,
    { organizationId, id }: Execution,
    outcome: Outcome,
    isRepeated: boolean | null,
  ) => {
    const { status, exitCode = null, error, startedAt = null, endedAt = null } = outcome;
    const values = [organizationId, id, status, exitCode, json(error), startedAt, endedAt];
    return (await tx.query(END, [...values, isRepeated]))[0] ?? null;
  },
  /** @returns null if its repeats had ended before */
  endRepeats: async (tx: Transaction, { organizationId, id }: Execution) =>
    (await tx.query(END_REPEATS, [organizationId, id]))[0] ?? null,
  prune: createPrune<[days: number]>(
    "executions_prune",
    "executions",
    "organization_id, id",
    "ended_at < now() - $1::int * interval '1 day'",
  ),
};
