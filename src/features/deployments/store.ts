import { type Sql, type Transaction, readStatement, writeStatement } from "../../db/database.ts";
import { type Page, idBefore, pagedStatement } from "../../db/page.ts";
import { visibleProject, visibleValues } from "../../db/visible.ts";
import type { Visible } from "../../lib/access.ts";
import type { Commit } from "../../git/commit-texts.ts";
import type { Service } from "../projects/project.ts";
import {
  type Deployment,
  type DeploymentSource,
  type DeploymentStatus,
  hasEnded,
  type PreparedDeployment,
} from "./deployment.ts";
import { type Outcome, json } from "./run-store.ts";

/** While it waits for nothing but an approval, its column has what earlier releases know. */
const STATUS = `CASE WHEN waits_for_approval AND status = 'PENDING' THEN 'PENDING_APPROVAL' ELSE status END`;
/** A restart's column has what earlier releases know. */
const TRIGGER = `CASE WHEN restarted_service_id IS NULL THEN trigger ELSE 'restart' END`;
const COLUMNS = `organization_id AS "organizationId", id, project_id AS "projectId", environment_id AS "environmentId",
  for_one_environment AS "isForOneEnvironment", is_preview AS "isPreview",
  branch, commit_hash AS "commitHash", commit_message AS "commitMessage", commit_author AS "commitAuthor", ${TRIGGER} AS trigger, started_by AS "startedBy", rollback_of AS "rollbackOf",
  restarted_service_id AS "restartedServiceId",
  ${STATUS} AS status, status_reason AS "statusReason", error,
  cancel_requested_at AS "cancelRequestedAt", prepared_at AS "configReadAt", started_at AS "startedAt", ended_at AS "endedAt",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/** A column of the deployment whose commit is released again. Not a join: Citus 13.2 crashes at one without a row. */
const ofEarlier = (column: string): string =>
  `(SELECT old.${column} FROM deployments old WHERE old.organization_id = $1 AND old.id = $13)`;
const INSERT = writeStatement<Deployment>(
  "deployments_insert",
  `INSERT INTO deployments (organization_id, id, project_id, environment_id, branch, commit_hash, status, trigger,
                            rollback_of, config, commit_message, commit_author, started_by, for_one_environment, is_preview,
                            restarted_service_id)
   SELECT $1, $2, $3, $4, $5, $6, 'PENDING', $7, $8, CASE WHEN $12::text IS NULL THEN ${ofEarlier("config")} END,
          ${ofEarlier("commit_message")}, ${ofEarlier("commit_author")}, $9, $10, $11, $12
   RETURNING ${COLUMNS}`,
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
const FILTERS = `($4::text IS NULL OR project_id = $4) AND ($5::text IS NULL OR branch = $5)
      AND ($6::text IS NULL OR (status = $6 AND (waits_for_approval AND status = 'PENDING') = $11)) AND (NOT $12::boolean OR restarted_service_id IS NULL)
      AND ${visibleProject("project_id", "$9", "$10")}`;
/** All statements take the same values; these filter by neither. */
const OF_ANY = `$7::text IS NULL AND $8::text IS NULL`;

/** Each list names one filter that has an index, so that only what it finds is read. */
const listWhere = (name: string, filter: string) =>
  pagedStatement<Deployment>(
    name,
    (after, direction) => `SELECT ${COLUMNS} FROM deployments
      WHERE organization_id = $1 ${filter} AND id ${after} $2 AND ${FILTERS} AND ${OF_ANY} ORDER BY id ${direction} LIMIT $3`,
  );
const LIST = listWhere("deployments_list", "");
const LIST_OF_PROJECT = listWhere("deployments_list_of_project", "AND project_id = $4");
const LIST_OF_BRANCH = listWhere("deployments_list_of_branch", "AND branch = $5");
const LIST_OF_STATUS = listWhere("deployments_list_of_status", "AND status = $6");
/**
 * Deployments whose only target the environment was when they were accepted, deployments with a run in it, and the
 * deployment that waits for an approval in it.
 */
const LIST_OF_ENVIRONMENT = pagedStatement<Deployment>(
  "deployments_list_of_environment",
  (after, direction) => `WITH found AS MATERIALIZED (
      SELECT id FROM deployments WHERE organization_id = $1 AND environment_id = $7 AND id ${after} $2
       UNION
      SELECT deployment_id FROM deployment_runs
       WHERE organization_id = $1 AND environment_id = $7 AND deployment_id ${after} $2
       UNION
      SELECT deployment_id FROM deployment_approvals
       WHERE organization_id = $1 AND environment_id = $7 AND deployment_id ${after} $2 AND status = 'WAITING')
    SELECT ${COLUMNS} FROM deployments WHERE organization_id = $1 AND id IN (SELECT id FROM found) AND ${FILTERS}
       AND $8::text IS NULL
     ORDER BY id ${direction} LIMIT $3`,
);
const LIST_OF_SERVICE = pagedStatement<Deployment>(
  "deployments_list_of_service",
  (after, direction) => `WITH found AS MATERIALIZED (
      SELECT deployment_id AS id FROM deployment_services
       WHERE organization_id = $1 AND service_id = $8 AND deployment_id ${after} $2
         AND ($7::text IS NULL OR environment_id = $7))
    SELECT ${COLUMNS} FROM deployments WHERE organization_id = $1 AND id IN (SELECT id FROM found) AND ${FILTERS}
     ORDER BY id ${direction} LIMIT $3`,
);
/** Of the same project and branch, and for all environments of this one. */
const HAS_NEWER_PREPARED = readStatement<{ exists: boolean }>(
  "deployments_has_newer_prepared",
  `SELECT EXISTS (SELECT 1 FROM deployments
     WHERE organization_id = $1 AND project_id = $2 AND branch = $3 AND id > $4 AND prepared_at IS NOT NULL
       AND trigger IN ('api', $5) AND restarted_service_id IS NULL AND (NOT for_one_environment OR ($6 AND environment_id = $7))
       AND is_preview = $8) AS exists`,
);
const FIND_NEWEST = readStatement<Pick<Deployment, "commitHash" | "trigger" | "status" | "createdAt">>(
  "deployments_find_newest",
  `SELECT commit_hash AS "commitHash", trigger, status, created_at AS "createdAt" FROM deployments
    WHERE organization_id = $1 AND project_id = $2 AND branch = $3 AND NOT is_preview AND restarted_service_id IS NULL
    ORDER BY id DESC LIMIT 1`,
);
const FIND_PREVIOUS_SUCCESS = readStatement<Deployment>(
  "deployments_find_previous_success",
  `SELECT ${COLUMNS} FROM deployments
    WHERE organization_id = $1 AND project_id = $2 AND branch = $3 AND id < $4 AND status = 'SUCCESS'
      AND is_preview = $5 AND (NOT $5 OR environment_id = $6) AND restarted_service_id IS NULL
    ORDER BY id DESC LIMIT 1`,
);
const MARK_PREPARED = writeStatement(
  "deployments_mark_prepared",
  `UPDATE deployments SET prepared_at = now(), config = $3::jsonb, status_reason = NULL, updated_at = now()
    WHERE organization_id = $1 AND id = $2`,
);
const RECORD_COMMIT = writeStatement(
  "deployments_record_commit",
  `UPDATE deployments SET commit_message = $3, commit_author = $4, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND (commit_message, commit_author) IS DISTINCT FROM ($3, $4)`,
);
const REQUEST_CANCEL = writeStatement(
  "deployments_request_cancel",
  `UPDATE deployments SET cancel_requested_at = coalesce(cancel_requested_at, (SELECT now())), updated_at = now()
    WHERE organization_id = $1 AND id = $2`,
);
const SET_STATUS = writeStatement(
  "deployments_set_status",
  `UPDATE deployments SET status = $3, waits_for_approval = $8, status_reason = $4, error = $5::jsonb, updated_at = now(),
          started_at = CASE WHEN $6 THEN coalesce(started_at, (SELECT now())) ELSE started_at END,
          ended_at = CASE WHEN $7 THEN coalesce(ended_at, (SELECT now())) END
    WHERE organization_id = $1 AND id = $2
      AND (status, waits_for_approval, status_reason, error) IS DISTINCT FROM ($3, $8, $4, $5::jsonb)`,
);
/** Returns the deployments that had not ended. */
const DELETE_OF_PROJECT = writeStatement<Deployment>(
  "deployments_delete_of_project",
  `WITH deleted AS (
     DELETE FROM deployments WHERE organization_id = $1 AND project_id = $2 RETURNING *)
   SELECT ${COLUMNS} FROM deleted WHERE ended_at IS NULL ORDER BY id`,
);
/** The oldest deployment that has not ended. */
const FIND_UNENDED = readStatement<{ id: string; status: DeploymentStatus }>(
  "deployments_find_unended",
  `SELECT id, ${STATUS} AS status FROM deployments
    WHERE organization_id = $1 AND project_id = $2 AND ended_at IS NULL ORDER BY id LIMIT 1`,
);

/** A deployment that has to end before a service is restarted: of a commit, or a restart that has not begun. */
const FIND_BEFORE_RESTART = readStatement<Deployment>(
  "deployments_find_before_restart",
  `SELECT ${COLUMNS} FROM deployments d
    WHERE d.organization_id = $1 AND d.project_id = $2 AND d.ended_at IS NULL
      AND CASE WHEN d.restarted_service_id IS NOT NULL THEN d.restarted_service_id = $4 AND d.started_at IS NULL
               WHEN d.prepared_at IS NULL THEN NOT d.for_one_environment OR d.environment_id = $3
               ELSE EXISTS (SELECT 1 FROM deployment_runs r WHERE r.organization_id = $1 AND r.deployment_id = d.id
                               AND r.environment_id = $3 AND r.ended_at IS NULL)
                 OR EXISTS (SELECT 1 FROM deployment_approvals a WHERE a.organization_id = $1 AND a.deployment_id = d.id
                               AND a.environment_id = $3 AND a.status = 'WAITING') END
    ORDER BY d.id LIMIT 1`,
);

const LIST_UNENDED_OF_PREVIEW = readStatement<Deployment>(
  "deployments_list_unended_of_preview",
  `SELECT ${COLUMNS} FROM deployments
    WHERE organization_id = $1 AND environment_id = $2 AND is_preview AND ended_at IS NULL ORDER BY id`,
);

const WAITS: DeploymentStatus = "PENDING_APPROVAL";

function storedStatus(status: string): string {
  return status === WAITS ? "PENDING" : status;
}

export type DeploymentFilter = {
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly serviceId?: string;
  readonly branch?: string;
  readonly status?: string;
  /** Without restarts of services. */
  readonly isOfCommits?: boolean;
};

/** By the filter that leaves the fewest. */
function listBy({ projectId, environmentId, serviceId, branch, status }: DeploymentFilter) {
  if (serviceId !== undefined) return LIST_OF_SERVICE;
  if (environmentId !== undefined) return LIST_OF_ENVIRONMENT;
  if (projectId !== undefined) return LIST_OF_PROJECT;
  if (branch !== undefined) return LIST_OF_BRANCH;
  return status === undefined ? LIST : LIST_OF_STATUS;
}

export const deployments = {
  /** With what it takes over of the deployment that it rolls back to, or that the restarted service runs. */
  insert: async (
    sql: Sql,
    deployment: PreparedDeployment &
      DeploymentSource &
      Pick<Deployment, "organizationId" | "id" | "startedBy">,
  ) => {
    const { organizationId, id, projectId, environmentId, branch, commitHash, trigger } = deployment;
    const { rollbackOf, startedBy, isForOneEnvironment, isPreview, restarts } = deployment;
    const target = [organizationId, id, projectId, environmentId, branch, commitHash];
    const stored = trigger === "restart" ? "api" : trigger;
    const values = [...target, stored, rollbackOf, startedBy, isForOneEnvironment, isPreview];
    values.push(restarts?.serviceId ?? null, restarts?.deploymentId ?? rollbackOf);
    return (await sql.query(INSERT, values))[0] ?? null;
  },
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  lock: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(LOCK, [organizationId, id]))[0] ?? null,
  /** The configuration as it was written; null until it is read. */
  findConfig: async (sql: Sql, organizationId: string, id: string): Promise<unknown> =>
    (await sql.query(FIND_CONFIG, [organizationId, id]))[0]?.config ?? null,
  /** One page of an organization's deployments that match all filters, and one more. */
  list: (sql: Sql, organizationId: string, page: Page, filter: DeploymentFilter, visible: Visible) =>
    sql.query(listBy(filter)[page.order], [
      organizationId,
      idBefore(page),
      page.limit + 1,
      filter.projectId ?? null,
      filter.branch ?? null,
      filter.status === undefined ? null : storedStatus(filter.status),
      filter.environmentId ?? null,
      filter.serviceId ?? null,
      ...visibleValues(visible),
      filter.status === WAITS,
      filter.isOfCommits === true,
    ]),
  recordCommit: async (sql: Sql, { organizationId, id }: Deployment, { message, author }: Commit) =>
    void (await sql.query(RECORD_COMMIT, [organizationId, id, message, author])),
  hasNewerRead: async (sql: Sql, deployment: Deployment) => {
    const { organizationId, projectId, branch, id, trigger } = deployment;
    const { isForOneEnvironment, environmentId, isPreview } = deployment;
    const of = [organizationId, projectId, branch, id, trigger];
    const values = [...of, isForOneEnvironment, environmentId, isPreview];
    return (await sql.query(HAS_NEWER_PREPARED, values))[0]?.exists === true;
  },
  /** The last deployment of a branch, ended or not; null if there is none. */
  findNewest: async (sql: Sql, organizationId: string, projectId: string, branch: string) =>
    (await sql.query(FIND_NEWEST, [organizationId, projectId, branch]))[0] ?? null,
  /** The last deployment of the same branch that succeeded before this one was accepted; null if there is none. */
  findPreviousSuccess: async (sql: Sql, deployment: Deployment) => {
    const { organizationId, projectId, branch, id, isPreview, environmentId } = deployment;
    const values = [organizationId, projectId, branch, id, isPreview, environmentId];
    return (await sql.query(FIND_PREVIOUS_SUCCESS, values))[0] ?? null;
  },
  /** A deployment of a project that has not ended; null if there is none. */
  findUnended: async (sql: Sql, organizationId: string, projectId: string) =>
    (await sql.query(FIND_UNENDED, [organizationId, projectId]))[0] ?? null,
  findBeforeRestart: async (sql: Sql, { organizationId, projectId, environmentId, id }: Service) =>
    (await sql.query(FIND_BEFORE_RESTART, [organizationId, projectId, environmentId, id]))[0] ?? null,
  listUnendedOfPreview: (sql: Sql, organizationId: string, environmentId: string) =>
    sql.query(LIST_UNENDED_OF_PREVIEW, [organizationId, environmentId]),
  recordConfig: async (sql: Sql, { organizationId, id }: Deployment, config: unknown) =>
    void (await sql.query(MARK_PREPARED, [organizationId, id, JSON.stringify(config)])),
  /** Also deletes their runs, so that no more work is done for them. @returns the deployments that had not ended */
  deleteOfProject: (sql: Sql, organizationId: string, projectId: string) =>
    sql.query(DELETE_OF_PROJECT, [organizationId, projectId]),
  requestCancel: async (sql: Sql, organizationId: string, id: string) =>
    void (await sql.query(REQUEST_CANCEL, [organizationId, id])),
  setStatus: async (
    sql: Sql,
    organizationId: string,
    id: string,
    { status, statusReason, error }: Outcome,
    hasStarted: boolean,
  ) => {
    const values = [organizationId, id, storedStatus(status), statusReason, json(error)];
    await sql.query(SET_STATUS, [...values, hasStarted, hasEnded(status), status === WAITS]);
  },
};
