import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import type { EnvironmentPlan } from "../configuration/decide-environment-plan.ts";
import type {
  DeployedService,
  Deployment,
  DeploymentError,
  DeploymentStatus,
  Run,
  ServiceStatus,
} from "./deployment.ts";

const COLUMNS = `organization_id AS "organizationId", id, project_id AS "projectId", environment_id AS "environmentId",
  branch, commit_hash AS "commitHash", trigger, rollback_of AS "rollbackOf", status, status_reason AS "statusReason", error,
  cancel_requested_at AS "cancelRequestedAt", prepared_at AS "preparedAt", started_at AS "startedAt", ended_at AS "endedAt",
  created_at AS "createdAt", updated_at AS "updatedAt"`;
const RUN = `organization_id AS "organizationId", deployment_id AS "deploymentId", environment_id AS "environmentId",
  config_id AS "configId", change, status, status_reason AS "statusReason", error, plan,
  started_at AS "startedAt", ended_at AS "endedAt"`;
const SERVICE = `organization_id AS "organizationId", deployment_id AS "deploymentId", environment_id AS "environmentId",
  service_id AS "serviceId", config_id AS "configId", name, type, workload, depends_on AS "dependsOn", status, error,
  artifact, url, build_started_at AS "buildStartedAt", build_ended_at AS "buildEndedAt",
  release_started_at AS "releaseStartedAt", ended_at AS "endedAt"`;

const INSERT = writeStatement<Deployment>(
  "deployments_insert",
  `INSERT INTO deployments (organization_id, id, project_id, environment_id, branch, commit_hash, status, trigger,
                            rollback_of, config)
   VALUES ($1, $2, $3, $4, $5, $6, 'PENDING', $7, $8,
           (SELECT config FROM deployments WHERE organization_id = $1 AND id = $8)) RETURNING ${COLUMNS}`,
);
const FIND = readStatement<Deployment>(
  "deployments_find",
  `SELECT ${COLUMNS} FROM deployments WHERE organization_id = $1 AND id = $2`,
);
const LOCK = writeStatement<Deployment>(
  "deployments_lock",
  `SELECT ${COLUMNS} FROM deployments WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);
const FIND_CONFIG = readStatement<{ config: unknown }>(
  "deployments_find_config",
  `SELECT config FROM deployments WHERE organization_id = $1 AND id = $2`,
);
const LIST = pagedStatement<Deployment>(
  "deployments_list",
  (after, direction) => `SELECT ${COLUMNS} FROM deployments
    WHERE organization_id = $1 AND id ${after} $2 AND ($4::text IS NULL OR project_id = $4)
      AND ($5::text IS NULL OR branch = $5) AND ($6::text IS NULL OR status = $6)
      AND ($7::text IS NULL OR environment_id = $7 OR id IN (
        SELECT deployment_id FROM deployment_runs WHERE organization_id = $1 AND environment_id = $7))
    ORDER BY id ${direction} LIMIT $3`,
);
/** Of the same project and branch, for all environments that this one is for. */
const HAS_NEWER_PREPARED = readStatement<{ exists: boolean }>(
  "deployments_has_newer_prepared",
  `SELECT EXISTS (SELECT FROM deployments
     WHERE organization_id = $1 AND project_id = $2 AND branch = $3 AND id > $4 AND prepared_at IS NOT NULL
       AND trigger IN ('api', $5)) AS exists`,
);
const FIND_NEWEST = readStatement<Pick<Deployment, "commitHash" | "trigger">>(
  "deployments_find_newest",
  `SELECT commit_hash AS "commitHash", trigger FROM deployments
    WHERE organization_id = $1 AND project_id = $2 AND branch = $3 ORDER BY id DESC LIMIT 1`,
);
const MARK_PREPARED = writeStatement(
  "deployments_mark_prepared",
  `UPDATE deployments SET prepared_at = now(), config = $3::jsonb, status_reason = NULL, updated_at = now()
    WHERE organization_id = $1 AND id = $2`,
);
const REQUEST_CANCEL = writeStatement(
  "deployments_request_cancel",
  `UPDATE deployments SET cancel_requested_at = coalesce(cancel_requested_at, now()), updated_at = now()
    WHERE organization_id = $1 AND id = $2`,
);
const SET_STATUS = writeStatement(
  "deployments_set_status",
  `UPDATE deployments SET status = $3, status_reason = $4, error = $5::jsonb, updated_at = now(),
          started_at = CASE WHEN $6 THEN coalesce(started_at, now()) ELSE started_at END,
          ended_at = CASE WHEN $7 THEN coalesce(ended_at, now()) END
    WHERE organization_id = $1 AND id = $2
      AND (status, status_reason, error) IS DISTINCT FROM ($3, $4, $5::jsonb)`,
);

const DELETE_OF_PROJECT = writeStatement(
  "deployments_delete_of_project",
  `DELETE FROM deployments WHERE organization_id = $1 AND project_id = $2`,
);

const INSERT_RUN = writeStatement(
  "deployment_runs_insert",
  `INSERT INTO deployment_runs (organization_id, deployment_id, environment_id, config_id, change)
   VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
);
const LIST_RUNS = readStatement<Run>(
  "deployment_runs_list",
  `SELECT ${RUN} FROM deployment_runs WHERE organization_id = $1 AND deployment_id = $2 ORDER BY environment_id`,
);
/** The one under way, else the newest of those that wait. */
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
const HAS_NEWER_RUN = readStatement<{ exists: boolean }>(
  "deployment_runs_has_newer",
  `SELECT EXISTS (SELECT FROM deployment_runs
     WHERE organization_id = $1 AND environment_id = $2 AND deployment_id > $3) AS exists`,
);
const START_RUN = writeStatement(
  "deployment_runs_start",
  `UPDATE deployment_runs SET status = 'INPROGRESS', status_reason = NULL, started_at = now(), plan = $4::jsonb
    WHERE organization_id = $1 AND deployment_id = $2 AND environment_id = $3`,
);
const SET_RUN_STATUS = writeStatement<{ environmentId: string }>(
  "deployment_runs_set_status",
  `UPDATE deployment_runs SET status = $5, status_reason = $6, error = $7::jsonb,
          ended_at = CASE WHEN $8 THEN now() END
    WHERE organization_id = $1 AND deployment_id = $2 AND environment_id = $3 AND status = $4
      AND (status, status_reason, error) IS DISTINCT FROM ($5, $6, $7::jsonb)
   RETURNING environment_id AS "environmentId"`,
);

const INSERT_SERVICE = writeStatement(
  "deployment_services_insert",
  `INSERT INTO deployment_services (organization_id, deployment_id, environment_id, service_id, config_id, name, type,
                                    workload, depends_on, status, artifact, ended_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::text[], $10, $11, CASE WHEN $10 = 'SUCCESS' THEN now() END)`,
);
const LIST_SERVICES = readStatement<DeployedService>(
  "deployment_services_list",
  `SELECT ${SERVICE} FROM deployment_services
    WHERE organization_id = $1 AND deployment_id = $2 AND ($3::text IS NULL OR environment_id = $3) ORDER BY service_id`,
);
const SET_SERVICE_STATUS = writeStatement<{ serviceId: string }>(
  "deployment_services_set_status",
  `UPDATE deployment_services
      SET status = $5, error = $6::jsonb, artifact = coalesce($7, artifact), url = coalesce($8, url),
          build_started_at = CASE WHEN $5 = 'BUILDING' THEN now() ELSE build_started_at END,
          build_ended_at = CASE WHEN $4 = 'BUILDING' THEN now() ELSE build_ended_at END,
          release_started_at = CASE WHEN $5 = 'DEPLOYING' THEN now() ELSE release_started_at END,
          ended_at = CASE WHEN $9 THEN now() END
    WHERE organization_id = $1 AND deployment_id = $2 AND service_id = $3 AND status = $4
   RETURNING service_id AS "serviceId"`,
);
/** The oldest that has not ended. */
const FIND_UNENDED = readStatement<{ id: string; status: DeploymentStatus }>(
  "deployments_find_unended",
  `SELECT id, status FROM deployments
    WHERE organization_id = $1 AND project_id = $2 AND ended_at IS NULL ORDER BY id LIMIT 1`,
);

export type DeploymentFilter = {
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly branch?: string;
  readonly status?: string;
};

/** A status to be recorded, with what is known of it. */
type Outcome = {
  readonly status: DeploymentStatus;
  readonly statusReason: string | null;
  readonly error: DeploymentError | null;
};

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

export const deployments = {
  /** With the configuration of the one that it goes back to, if it does. */
  insert: async (
    sql: Sql,
    deployment: Pick<
      Deployment,
      | "organizationId"
      | "id"
      | "projectId"
      | "environmentId"
      | "branch"
      | "commitHash"
      | "trigger"
      | "rollbackOf"
    >,
  ) =>
    (
      await sql.query(INSERT, [
        deployment.organizationId,
        deployment.id,
        deployment.projectId,
        deployment.environmentId,
        deployment.branch,
        deployment.commitHash,
        deployment.trigger,
        deployment.rollbackOf,
      ])
    )[0] ?? null,
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  lock: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(LOCK, [organizationId, id]))[0] ?? null,
  findConfig: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND_CONFIG, [organizationId, id]))[0]?.config ?? null,
  list: (sql: Sql, organizationId: string, page: Page, filter: DeploymentFilter) =>
    sql.query(LIST[page.order], [
      organizationId,
      idBefore(page),
      page.limit + 1,
      filter.projectId ?? null,
      filter.branch ?? null,
      filter.status ?? null,
      filter.environmentId ?? null,
    ]),
  hasNewerPrepared: async (sql: Sql, { organizationId, projectId, branch, id, trigger }: Deployment) =>
    (await sql.query(HAS_NEWER_PREPARED, [organizationId, projectId, branch, id, trigger]))[0]?.exists ===
    true,
  findNewest: async (sql: Sql, organizationId: string, projectId: string, branch: string) =>
    (await sql.query(FIND_NEWEST, [organizationId, projectId, branch]))[0] ?? null,
  findUnended: async (sql: Sql, organizationId: string, projectId: string) =>
    (await sql.query(FIND_UNENDED, [organizationId, projectId]))[0] ?? null,
  markPrepared: async (sql: Sql, { organizationId, id }: Deployment, config: unknown) =>
    void (await sql.query(MARK_PREPARED, [organizationId, id, JSON.stringify(config)])),
  /** With their runs, so that no work on them goes on. */
  deleteOfProject: async (sql: Sql, organizationId: string, projectId: string) =>
    void (await sql.query(DELETE_OF_PROJECT, [organizationId, projectId])),
  requestCancel: async (sql: Sql, organizationId: string, id: string) =>
    void (await sql.query(REQUEST_CANCEL, [organizationId, id])),
  setStatus: async (
    sql: Sql,
    organizationId: string,
    id: string,
    { status, statusReason, error }: Outcome,
    phase: { readonly started: boolean; readonly ended: boolean },
  ) =>
    void (await sql.query(SET_STATUS, [
      organizationId,
      id,
      status,
      statusReason,
      json(error),
      phase.started,
      phase.ended,
    ])),
};

type RunKey = Pick<Run, "organizationId" | "deploymentId" | "environmentId">;
const keyOf = ({ organizationId, deploymentId, environmentId }: RunKey) => [
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
  start: async (sql: Sql, run: RunKey, plan: EnvironmentPlan) =>
    void (await sql.query(START_RUN, [...keyOf(run), JSON.stringify(plan)])),
  /** False when another was faster, or nothing of it is new. */
  setStatus: async (
    sql: Sql,
    run: RunKey & Pick<Run, "status">,
    { status, statusReason, error }: Outcome,
    isEnd: boolean,
  ) =>
    (await sql.query(SET_RUN_STATUS, [...keyOf(run), run.status, status, statusReason, json(error), isEnd]))
      .length > 0,
};

export const deployedServices = {
  insert: async (
    sql: Sql,
    service: Pick<
      DeployedService,
      | "organizationId"
      | "deploymentId"
      | "environmentId"
      | "serviceId"
      | "configId"
      | "name"
      | "type"
      | "workload"
      | "dependsOn"
      | "status"
      | "artifact"
    >,
  ) =>
    void (await sql.query(INSERT_SERVICE, [
      ...keyOf(service),
      service.serviceId,
      service.configId,
      service.name,
      service.type,
      json(service.workload),
      service.dependsOn,
      service.status,
      service.artifact,
    ])),
  /** Those of one environment, or of all. */
  list: (sql: Sql, organizationId: string, deploymentId: string, environmentId: string | null) =>
    sql.query(LIST_SERVICES, [organizationId, deploymentId, environmentId]),
  /** False when another was faster. */
  setStatus: async (
    sql: Sql,
    service: DeployedService,
    outcome: {
      readonly status: ServiceStatus;
      readonly error?: DeploymentError;
      readonly artifact?: string;
      readonly url?: string | null;
      readonly ended: boolean;
    },
  ) =>
    (
      await sql.query(SET_SERVICE_STATUS, [
        service.organizationId,
        service.deploymentId,
        service.serviceId,
        service.status,
        outcome.status,
        json(outcome.error ?? null),
        outcome.artifact ?? null,
        outcome.url ?? null,
        outcome.ended,
      ])
    ).length > 0,
};
