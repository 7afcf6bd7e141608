/** The runs of deployments in environments, the services that they release, and the approvals that they wait for. */
import { type Sql, type Transaction, readStatement, writeStatement } from "../../db/database.ts";
import { REPLACING } from "./later-releases.ts";
import {
  type Approval,
  type ApprovalStatus,
  type DeployedService,
  type DeploymentError,
  type DeploymentStatus,
  hasEnded,
  type KeptService,
  type PostDeploy,
  type Run,
  type RunPlan,
  type ServiceStatus,
} from "./deployment.ts";

const RUN = `organization_id AS "organizationId", deployment_id AS "deploymentId", environment_id AS "environmentId",
  config_id AS "configId", change, status, status_reason AS "statusReason", error, plan,
  started_at AS "startedAt", ended_at AS "endedAt"`;

/** Whether a row belongs to a restart. */
const IS_RESTART = (table: string): string =>
  `EXISTS (SELECT 1 FROM deployments d WHERE d.organization_id = $1 AND d.id = ${table}.deployment_id
              AND d.restarted_service_id IS NOT NULL)`;

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
/**
 * A run that was refused supersedes no other run: the user who started it must not decide what runs there. Neither does
 * a restart, which deploys no commit.
 */
const HAS_NEWER_RUN = readStatement<{ exists: boolean }>(
  "deployment_runs_has_newer",
  `SELECT EXISTS (SELECT 1 FROM deployment_runs
     WHERE organization_id = $1 AND environment_id = $2 AND deployment_id > $3
       AND (error ->> 'code') IS DISTINCT FROM 'ENVIRONMENT_PROTECTED' AND NOT ${IS_RESTART("deployment_runs")}) AS exists`,
);
/** The newest deployment whose configuration was applied to an environment. */
const FIND_APPLIED = readStatement<{ deploymentId: string }>(
  "deployment_runs_find_applied",
  `SELECT deployment_id AS "deploymentId" FROM deployment_runs
    WHERE organization_id = $1 AND environment_id = $2 AND plan IS NOT NULL ORDER BY deployment_id DESC LIMIT 1`,
);
/** What the newest run with a configuration left as it was, and the commit that it deployed. */
const FIND_KEPT = readStatement<{ commitHash: string; kept: readonly KeptService[] | null }>(
  "deployment_runs_find_kept",
  `SELECT d.commit_hash AS "commitHash", r.plan -> 'kept' AS kept
     FROM deployment_runs r JOIN deployments d ON d.organization_id = $1 AND d.id = r.deployment_id
    WHERE r.organization_id = $1 AND r.environment_id = $2 AND r.plan IS NOT NULL
    ORDER BY r.deployment_id DESC LIMIT 1`,
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

const SERVICE = `organization_id AS "organizationId", deployment_id AS "deploymentId", environment_id AS "environmentId",
  service_id AS "serviceId", config_id AS "configId", name, type, workload, depends_on AS "dependsOn", status, error,
  artifact, url, post_deploy AS "postDeploy", build_started_at AS "buildStartedAt", build_ended_at AS "buildEndedAt",
  release_started_at AS "releaseStartedAt", ended_at AS "endedAt"`;

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
/** The newest release that went live. */
const FIND_LIVE = readStatement<DeployedService>(
  "deployment_services_find_live",
  `SELECT ${SERVICE} FROM deployment_services
    WHERE organization_id = $1 AND service_id = $2 AND status = 'SUCCESS' ORDER BY deployment_id DESC LIMIT 1`,
);
/** The commit of each service's newest release, if any. One lookup for each service, however long its history is. */
const LIST_LIVE_COMMITS = readStatement<{ serviceId: string; commitHash: string }>(
  "deployment_services_list_live_commits",
  `SELECT live.* FROM unnest($2::text[]) AS wanted(id) CROSS JOIN LATERAL (
     SELECT s.service_id AS "serviceId", d.commit_hash AS "commitHash"
       FROM deployment_services s
       JOIN deployments d ON d.organization_id = $1 AND d.id = s.deployment_id
      WHERE s.organization_id = $1 AND s.service_id = wanted.id AND s.status = 'SUCCESS'
      ORDER BY s.deployment_id DESC LIMIT 1) live`,
);
const SET_SERVICE_STATUS = writeStatement<{ serviceId: string }>(
  "deployment_services_set_status",
  `UPDATE deployment_services
      SET status = $5, error = $6::jsonb, artifact = coalesce($7, artifact), url = coalesce($8, url),
          build_started_at = CASE WHEN $5 = 'BUILDING' THEN (SELECT now()) ELSE build_started_at END,
          build_ended_at = CASE WHEN $4 = 'BUILDING' THEN (SELECT now()) ELSE build_ended_at END,
          release_started_at = CASE WHEN $5 = 'DEPLOYING' THEN (SELECT now()) ELSE release_started_at END,
          ended_at = CASE WHEN $9 THEN (SELECT now()) END
    WHERE organization_id = $1 AND deployment_id = $2 AND service_id = $3 AND status = $4
   RETURNING service_id AS "serviceId"`,
);

const SET_POST_DEPLOY = writeStatement(
  "deployment_services_set_post_deploy",
  `UPDATE deployment_services SET post_deploy = $4::jsonb
    WHERE organization_id = $1 AND deployment_id = $2 AND service_id = $3`,
);

const APPROVAL = `organization_id AS "organizationId", deployment_id AS "deploymentId",
  environment_id AS "environmentId", config_id AS "configId", approvers, status, requested_at AS "requestedAt",
  expires_at AS "expiresAt", decided_by AS "decidedBy", decided_at AS "decidedAt", comment, is_bypass AS "isBypass"`;

const INSERT_APPROVAL = writeStatement(
  "deployment_approvals_insert",
  `INSERT INTO deployment_approvals (organization_id, deployment_id, environment_id, config_id, approvers, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);
const LIST_APPROVALS = readStatement<Approval>(
  "deployment_approvals_list",
  `SELECT ${APPROVAL} FROM deployment_approvals
    WHERE organization_id = $1 AND deployment_id = $2 ORDER BY environment_id`,
);
/** Only approvals that wait: a newer deployment whose approval was decided has a run, which `runs.hasNewer` finds. */
const HAS_NEWER_WAITING_APPROVAL = readStatement<{ exists: boolean }>(
  "deployment_approvals_has_newer_waiting",
  `SELECT EXISTS (SELECT 1 FROM deployment_approvals
     WHERE organization_id = $1 AND environment_id = $2 AND deployment_id > $3 AND status = 'WAITING'
       AND NOT ${IS_RESTART("deployment_approvals")}) AS exists`,
);
const LIST_WAITING_APPROVALS_BEFORE = readStatement<Approval>(
  "deployment_approvals_list_waiting_before",
  `SELECT ${APPROVAL} FROM deployment_approvals
    WHERE organization_id = $1 AND environment_id = $2 AND deployment_id < $3 AND status = 'WAITING'`,
);
const DECIDE_APPROVAL = writeStatement<Approval>(
  "deployment_approvals_decide",
  `UPDATE deployment_approvals
      SET status = $4, decided_by = $5, comment = $6, is_bypass = $7, decided_at = (SELECT now())
    WHERE organization_id = $1 AND deployment_id = $2 AND environment_id = $3 AND status = 'WAITING'
   RETURNING ${APPROVAL}`,
);

/** A status to record, with its details. */
export type Outcome = {
  readonly status: DeploymentStatus;
  readonly statusReason: string | null;
  readonly error: DeploymentError | null;
};

export const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

export type RunKey = Pick<Run, "organizationId" | "deploymentId" | "environmentId">;

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
  /** The deployment whose configuration an environment has now; null before the first. */
  findApplied: async (sql: Sql, organizationId: string, environmentId: string) =>
    (await sql.query(FIND_APPLIED, [organizationId, environmentId]))[0]?.deploymentId ?? null,
  /** The ids of services that run no other code than the newest deployed commit has; null before the first run. */
  findKept: async (sql: Sql, organizationId: string, environmentId: string) => {
    const [found] = await sql.query(FIND_KEPT, [organizationId, environmentId]);
    if (found === undefined) return null;
    const serviceIds = (found.kept ?? []).map(({ serviceId }) => serviceId);
    return { commitHash: found.commitHash, serviceIds };
  },
  isReplaced: async (sql: Sql, run: RunKey) => (await sql.query(IS_REPLACED, keyOf(run)))[0]?.exists === true,
  start: async (sql: Sql, run: RunKey, plan: RunPlan | null) =>
    void (await sql.query(START_RUN, [...keyOf(run), json(plan)])),
  /** False if another worker was faster, or nothing changes. */
  setStatus: async (
    sql: Sql,
    run: RunKey & Pick<Run, "status">,
    { status, statusReason, error }: Outcome,
  ) => {
    const values = [run.status, status, statusReason, json(error), hasEnded(status)];
    return (await sql.query(SET_RUN_STATUS, [...keyOf(run), ...values])).length > 0;
  },
};

export const deployedServices = {
  insert: async (
    sql: Sql,
    service: Omit<
      DeployedService,
      "error" | "url" | "postDeploy" | "endedAt" | `${"build" | "release"}${string}At`
    >,
  ) => {
    const { serviceId, configId, name, type, workload, dependsOn, status, artifact } = service;
    const values = [serviceId, configId, name, type, json(workload), dependsOn, status, artifact];
    await sql.query(INSERT_SERVICE, [...keyOf(service), ...values]);
  },
  /** The services of one environment, or of all. */
  list: (sql: Sql, organizationId: string, deploymentId: string, environmentId: string | null) =>
    sql.query(LIST_SERVICES, [organizationId, deploymentId, environmentId]),
  /** What runs as a service; null before its first release. */
  findLive: async (sql: Sql, organizationId: string, serviceId: string) =>
    (await sql.query(FIND_LIVE, [organizationId, serviceId]))[0] ?? null,
  /** The hash of the commit that runs as each of some services, by the service's id; none before its first release. */
  listLiveCommits: async (
    sql: Sql,
    organizationId: string,
    serviceIds: readonly string[],
  ): Promise<ReadonlyMap<string, string>> => {
    if (serviceIds.length === 0) return new Map();
    const rows = await sql.query(LIST_LIVE_COMMITS, [organizationId, serviceIds]);
    return new Map(rows.map(({ serviceId, commitHash }) => [serviceId, commitHash]));
  },
  /** False if another worker was faster. */
  setStatus: async (
    sql: Sql,
    { organizationId, deploymentId, serviceId, status: before }: DeployedService,
    outcome: {
      readonly status: ServiceStatus;
      readonly error?: DeploymentError;
      readonly artifact?: string;
      readonly url?: string | null;
    },
  ) => {
    const { status, error = null, artifact = null, url = null } = outcome;
    const values = [organizationId, deploymentId, serviceId, before, status, json(error), artifact, url];
    return (await sql.query(SET_SERVICE_STATUS, [...values, hasEnded(status)])).length > 0;
  },
  setPostDeploy: async (
    tx: Transaction,
    {
      organizationId,
      deploymentId,
      serviceId,
    }: Pick<DeployedService, "organizationId" | "deploymentId" | "serviceId">,
    postDeploy: PostDeploy,
  ): Promise<void> =>
    void (await tx.query(SET_POST_DEPLOY, [organizationId, deploymentId, serviceId, json(postDeploy)])),
};

/** What becomes of an approval. */
export type Decided = {
  readonly status: Exclude<ApprovalStatus, "WAITING">;
  readonly decidedBy?: string;
  readonly comment?: string | null;
  readonly isBypass?: boolean;
};

export const approvals = {
  insert: async (
    tx: Transaction,
    {
      configId,
      approvers,
      expiresAt,
      ...run
    }: RunKey & Pick<Approval, "configId" | "approvers" | "expiresAt">,
  ): Promise<void> => void (await tx.query(INSERT_APPROVAL, [...keyOf(run), configId, approvers, expiresAt])),
  list: (sql: Sql, organizationId: string, deploymentId: string) =>
    sql.query(LIST_APPROVALS, [organizationId, deploymentId]),
  /** Whether a newer deployment waits for an approval of the same environment. */
  hasNewerWaiting: async (sql: Sql, { organizationId, environmentId, deploymentId }: RunKey) =>
    (await sql.query(HAS_NEWER_WAITING_APPROVAL, [organizationId, environmentId, deploymentId]))[0]
      ?.exists === true,
  /** Of older deployments, in the same environment. */
  listWaitingBefore: (sql: Sql, { organizationId, environmentId, deploymentId }: RunKey) =>
    sql.query(LIST_WAITING_APPROVALS_BEFORE, [organizationId, environmentId, deploymentId]),
  /** Null if it no longer waits. */
  decide: async (tx: Transaction, run: RunKey, decided: Decided) => {
    const { status, decidedBy = null, comment = null, isBypass = false } = decided;
    const values = [...keyOf(run), status, decidedBy, comment, isBypass];
    return (await tx.query(DECIDE_APPROVAL, values))[0] ?? null;
  },
};
