import { type Sql, readStatement, writeStatement } from "../../db/database.ts";
import type { DeployedService, DeploymentError, ServiceStatus } from "./deployment.ts";
import { json, keyOf } from "./run-store.ts";

const SERVICE = `organization_id AS "organizationId", deployment_id AS "deploymentId", environment_id AS "environmentId",
  service_id AS "serviceId", config_id AS "configId", name, type, workload, depends_on AS "dependsOn", status, error,
  artifact, url, build_started_at AS "buildStartedAt", build_ended_at AS "buildEndedAt",
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
  /** The services of one environment, or of all. */
  list: (sql: Sql, organizationId: string, deploymentId: string, environmentId: string | null) =>
    sql.query(LIST_SERVICES, [organizationId, deploymentId, environmentId]),
  /** What runs as a service; null before its first release. */
  findLive: async (sql: Sql, organizationId: string, serviceId: string) =>
    (await sql.query(FIND_LIVE, [organizationId, serviceId]))[0] ?? null,
  /** The commits that run as some services. */
  listLiveCommits: (sql: Sql, organizationId: string, serviceIds: readonly string[]) =>
    sql.query(LIST_LIVE_COMMITS, [organizationId, serviceIds]),
  /** False if another worker was faster. */
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
