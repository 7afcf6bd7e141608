import { type Sql, type Transaction, readStatement, writeStatement } from "../../db/database.ts";
import type { EnvironmentPlan } from "../configuration/decide-environment-plan.ts";
import { REPLACING } from "./later-releases.ts";
import type { DeploymentError, DeploymentStatus, Run } from "./deployment.ts";

const RUN = `organization_id AS "organizationId", deployment_id AS "deploymentId", environment_id AS "environmentId",
  config_id AS "configId", change, status, status_reason AS "statusReason", error, plan,
  started_at AS "startedAt", ended_at AS "endedAt"`;

const INSERT_RUN = writeStatement(
  "deployment_runs_insert",
  `INSERT INTO deployment_runs (organization_id, deployment_id, environment_id, config_id, change)
   VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
);
/** Runs that wait for an approval have no row yet. */
const LIST_RUNS = readStatement<Run>(
  "deployment_runs_list",
  `SELECT ${RUN} FROM deployment_runs WHERE organization_id = $1 AND deployment_id = $2
    UNION ALL
   SELECT organization_id, deployment_id, environment_id, config_id, 'KEPT', 'PENDING_APPROVAL',
          'A second person has to approve it.', NULL::jsonb, NULL::jsonb, NULL::timestamptz, NULL::timestamptz
     FROM deployment_approvals WHERE organization_id = $1 AND deployment_id = $2 AND status = 'WAITING'
    ORDER BY 3`,
);
/** The run in progress, or the newest run that waits. */
const FIND_NEXT_RUN = readStatement<Run>(
  "deployment_runs_find_next",
  `SELECT ${RUN} FROM deployment_runs
    WHERE organization_id = $1 AND environment_id = $2 AND status IN ('PENDING', 'INPROGRESS', 'BUILDING', 'DEPLOYING')
    ORDER BY status = 'PENDING', deployment_id DESC LIMIT 1`,
);
const LOCK_RUN = writeStatement<Run>(
  "deployment_runs_lock",
  `SELECT ${RUN} FROM deployment_runs
    WHERE organization_id = $1 AND deployment_id = $2 AND environment_id = $3 FOR UPDATE`,
);
const LIST_WAITING_BEFORE = readStatement<Run>(
  "deployment_runs_list_waiting_before",
  `SELECT ${RUN} FROM deployment_runs
    WHERE organization_id = $1 AND environment_id = $2 AND status = 'PENDING' AND deployment_id < $3`,
);
/** A run that was refused supersedes no other run: the user who started it must not decide what runs there. */
const HAS_NEWER_RUN = readStatement<{ exists: boolean }>(
  "deployment_runs_has_newer",
  `SELECT EXISTS (SELECT 1 FROM deployment_runs
     WHERE organization_id = $1 AND environment_id = $2 AND deployment_id > $3
       AND (error ->> 'code') IS DISTINCT FROM 'ENVIRONMENT_PROTECTED') AS exists`,
);
/** The newest deployment whose configuration was applied to an environment. */
const FIND_APPLIED = readStatement<{ deploymentId: string }>(
  "deployment_runs_find_applied",
  `SELECT deployment_id AS "deploymentId" FROM deployment_runs
    WHERE organization_id = $1 AND environment_id = $2 AND plan IS NOT NULL ORDER BY deployment_id DESC LIMIT 1`,
);
/** Whether anything of a later deployment went live in the environment. */
const IS_REPLACED = readStatement<{ exists: boolean }>(
  "deployment_runs_is_replaced",
  `SELECT EXISTS (${REPLACING("$1", "$2", "$3")}) AS exists`,
);
const START_RUN = writeStatement(
  "deployment_runs_start",
  `UPDATE deployment_runs SET status = 'INPROGRESS', status_reason = NULL, started_at = now(), plan = $4::jsonb
    WHERE organization_id = $1 AND deployment_id = $2 AND environment_id = $3`,
);
const SET_RUN_STATUS = writeStatement<{ environmentId: string }>(
  "deployment_runs_set_status",
  `UPDATE deployment_runs SET status = $5, status_reason = $6, error = $7::jsonb,
          ended_at = CASE WHEN $8 THEN (SELECT now()) END
    WHERE organization_id = $1 AND deployment_id = $2 AND environment_id = $3 AND status = $4
      AND (status, status_reason, error) IS DISTINCT FROM ($5, $6, $7::jsonb)
   RETURNING environment_id AS "environmentId"`,
);

/** A status to record, with its details. */
export type Outcome = {
  readonly status: DeploymentStatus;
  readonly statusReason: string | null;
  readonly error: DeploymentError | null;
};

export const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

type RunKey = Pick<Run, "organizationId" | "deploymentId" | "environmentId">;

export const keyOf = ({ organizationId, deploymentId, environmentId }: RunKey) => [
  organizationId,
  deploymentId,
  environmentId,
];

export const runs = {
  insert: async (sql: Sql, run: RunKey & Pick<Run, "configId" | "change">) =>
    void (await sql.query(INSERT_RUN, [...keyOf(run), run.configId, run.change])),
  list: (sql: Sql, organizationId: string, deploymentId: string) =>
    sql.query(LIST_RUNS, [organizationId, deploymentId]),
  findNext: async (sql: Sql, organizationId: string, environmentId: string) =>
    (await sql.query(FIND_NEXT_RUN, [organizationId, environmentId]))[0] ?? null,
  lock: async (tx: Transaction, run: RunKey) => (await tx.query(LOCK_RUN, keyOf(run)))[0] ?? null,
  /** Runs of older deployments that wait for the same environment. */
  listWaitingBefore: (sql: Sql, { organizationId, environmentId, deploymentId }: RunKey) =>
    sql.query(LIST_WAITING_BEFORE, [organizationId, environmentId, deploymentId]),
  /** Whether a newer deployment has, or had, a run in the same environment. */
  hasNewer: async (sql: Sql, { organizationId, environmentId, deploymentId }: RunKey) =>
    (await sql.query(HAS_NEWER_RUN, [organizationId, environmentId, deploymentId]))[0]?.exists === true,
  findApplied: async (sql: Sql, organizationId: string, environmentId: string) =>
    (await sql.query(FIND_APPLIED, [organizationId, environmentId]))[0]?.deploymentId ?? null,
  isReplaced: async (sql: Sql, run: RunKey) => (await sql.query(IS_REPLACED, keyOf(run)))[0]?.exists === true,
  start: async (sql: Sql, run: RunKey, plan: EnvironmentPlan) =>
    void (await sql.query(START_RUN, [...keyOf(run), JSON.stringify(plan)])),
  /** False if another worker was faster, or nothing changes. */
  setStatus: async (
    sql: Sql,
    run: RunKey & Pick<Run, "status">,
    { status, statusReason, error }: Outcome,
    isEnd: boolean,
  ) =>
    (await sql.query(SET_RUN_STATUS, [...keyOf(run), run.status, status, statusReason, json(error), isEnd]))
      .length > 0,
};
