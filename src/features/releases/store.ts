/** What deleted services and environments have on the platform until it is removed. */
import type { LeftBy } from "../cloud-accounts/left-in-account.ts";
import { STRAGGLER_MS } from "../../cloud/calls/stragglers.ts";
import { readStatement, type Sql, writeStatement } from "../../db/database.ts";
import type { StoreType } from "../../cloud/data-stores.ts";
import type { CloudError } from "../../cloud/cloud.ts";
import type {
  EnvironmentPlace,
  LiveRelease,
  PlatformPart,
  RemovedService,
  StoreDeletion,
} from "./removal.ts";

export type ServiceRemoval = {
  readonly organizationId: string;
  readonly serviceId: string;
  /** Null for removals by a release that did not record it. */
  readonly environmentId: string | null;
  /** Null like `environmentId`. */
  readonly projectId: string | null;
  readonly awsAccountId: string;
  readonly region: string;
  readonly requestedAt: Date;
  /** After this time, no straggler can arrive; null if `environmentId` is. */
  readonly settledAt: Date | null;
  /** Null unless Slipway created it as a data store. */
  readonly storeType: StoreType | null;
  /** Of a data store. */
  readonly configId: string | null;
  /** Why the account last refused the removal; null while it does not. */
  readonly lastError: Refusal | null;
};

/** The code is also that of a data store. */
type Refusal = Pick<CloudError, "kind" | "message"> & { readonly code: string };

type EnvironmentRemoval = Pick<
  EnvironmentPlace,
  "organizationId" | "environmentId" | "awsAccountId" | "region"
>;

type NetworkUse = {
  /** The environment exists: it is a template, which may get previews again. */
  readonly isKept: boolean;
  /** It has previews, or some are being removed. */
  readonly isUsed: boolean;
};

/** For services that were ever on the platform. Stragglers may arrive until $6 seconds after a service's last work. */
const INSERT_SERVICES = writeStatement<{ serviceId: string }>(
  "service_removals_insert",
  `INSERT INTO service_removals (organization_id, environment_id, aws_account_id, region, project_id, service_id, settled_at)
   SELECT $1, $2, $3, $4, $5, s.service_id, max(coalesce(s.ended_at, now())) + $6::float8 * interval '1 second'
     FROM deployment_services s
    WHERE s.organization_id = $1 AND s.environment_id = $2 AND s.service_id = ANY($7::text[]) AND s.workload IS NOT NULL
    GROUP BY s.service_id
   ON CONFLICT DO NOTHING RETURNING service_id AS "serviceId"`,
);
/** For data stores that Slipway created, whose rows go with it. */
const INSERT_STORES = writeStatement<{ serviceId: string }>(
  "service_removals_insert_stores",
  `WITH removed AS (
     DELETE FROM data_stores WHERE organization_id = $1 AND environment_id = $2 AND service_id = ANY ($3::text[])
     RETURNING organization_id, environment_id, aws_account_id, region, project_id, service_id, type)
   INSERT INTO service_removals (organization_id, environment_id, aws_account_id, region, project_id, service_id,
                                 settled_at, store_type, config_id, environment_config_id)
   SELECT organization_id, environment_id, aws_account_id, region, project_id, service_id,
          now() + $4::float8 * interval '1 second', type, ($5::text[])[array_position($3::text[], service_id)], $6
     FROM removed
   ON CONFLICT DO NOTHING RETURNING service_id AS "serviceId"`,
);
const FIND_SERVICE = readStatement<ServiceRemoval>(
  "service_removals_find",
  `SELECT organization_id AS "organizationId", service_id AS "serviceId", environment_id AS "environmentId",
          project_id AS "projectId", aws_account_id AS "awsAccountId", region, requested_at AS "requestedAt",
          settled_at AS "settledAt", store_type AS "storeType", config_id AS "configId", last_error AS "lastError"
     FROM service_removals WHERE organization_id = $1 AND service_id = $2`,
);
const LIST_STORES = readStatement<StoreDeletion>(
  "service_removals_list_stores",
  `SELECT service_id AS "serviceId", config_id AS "configId", environment_id AS "environmentId",
          environment_config_id AS "environmentConfigId", store_type AS "storeType", requested_at AS "requestedAt",
          CASE WHEN last_error IS NOT NULL THEN json_build_object('code', last_error->>'code',
            'message', coalesce(last_error->>'message', last_error->>'code')) END AS failure
     FROM service_removals WHERE organization_id = $1 AND project_id = $2 AND store_type IS NOT NULL
    ORDER BY service_id LIMIT $3`,
);
const DELETE_SERVICE = writeStatement<{ serviceId: string }>(
  "service_removals_delete",
  `DELETE FROM service_removals WHERE organization_id = $1 AND service_id = $2 RETURNING service_id AS "serviceId"`,
);
const RECORD_SERVICE_REFUSED = writeStatement<{ serviceId: string }>(
  "service_removals_record_refused",
  `UPDATE service_removals SET last_error = $3::jsonb
    WHERE organization_id = $1 AND service_id = $2 AND last_error IS DISTINCT FROM $3::jsonb
    RETURNING service_id AS "serviceId"`,
);
const HAS_SERVICES = readStatement<{ exists: boolean }>(
  "service_removals_has_of_environment",
  `SELECT EXISTS (SELECT 1 FROM service_removals WHERE organization_id = $1 AND environment_id = $2) AS exists`,
);

/** Only if a service of the environment was ever on the platform. */
const INSERT_ENVIRONMENT = writeStatement<{ environmentId: string }>(
  "environment_removals_insert",
  `INSERT INTO environment_removals (organization_id, environment_id, aws_account_id, region, project_id, template_id)
   SELECT $1, $2, $3, $4, $5, $6 WHERE EXISTS (
     SELECT 1 FROM deployment_services WHERE organization_id = $1 AND environment_id = $2 AND workload IS NOT NULL)
     OR EXISTS (SELECT 1 FROM service_removals WHERE organization_id = $1 AND environment_id = $2)
   ON CONFLICT DO NOTHING RETURNING environment_id AS "environmentId"`,
);
/** The network of a template. Removed when neither the template nor one of its previews is left. */
const INSERT_NETWORK = writeStatement(
  "environment_removals_insert_network",
  `INSERT INTO environment_removals (organization_id, environment_id, aws_account_id, region, project_id)
   VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
);
const FIND_USE = readStatement<NetworkUse>(
  "environment_removals_find_use",
  `SELECT EXISTS (SELECT 1 FROM environments WHERE organization_id = $1 AND id = $2) AS "isKept",
          EXISTS (SELECT 1 FROM environments WHERE organization_id = $1 AND template_id = $2)
          OR EXISTS (SELECT 1 FROM environment_removals WHERE organization_id = $1 AND template_id = $2) AS "isUsed"`,
);
const FIND_ENVIRONMENT = readStatement<EnvironmentRemoval>(
  "environment_removals_find",
  `SELECT organization_id AS "organizationId", environment_id AS "environmentId", aws_account_id AS "awsAccountId", region
     FROM environment_removals WHERE organization_id = $1 AND environment_id = $2`,
);
const DELETE_ENVIRONMENT = writeStatement(
  "environment_removals_delete",
  `DELETE FROM environment_removals WHERE organization_id = $1 AND environment_id = $2`,
);
const RECORD_ENVIRONMENT_REFUSED = writeStatement(
  "environment_removals_record_refused",
  `UPDATE environment_removals SET last_error = $3::jsonb WHERE organization_id = $1 AND environment_id = $2`,
);

const HAS_OF_PROJECT = readStatement<{ exists: boolean }>(
  "removals_has_of_project",
  `SELECT EXISTS (SELECT 1 FROM service_removals WHERE organization_id = $1 AND project_id = $2)
       OR EXISTS (SELECT 1 FROM environment_removals WHERE organization_id = $1 AND project_id = $2) AS exists`,
);
/** What the platform has of existing services and environments, and what is being removed of deleted ones. */
const LIST_OF_PROJECT = readStatement<PlatformPart>(
  "removals_list_of_project",
  `SELECT 'service' AS kind, v.id, e.region FROM services v
     JOIN environments e ON e.organization_id = v.organization_id AND e.id = v.environment_id
    WHERE v.organization_id = $1 AND v.project_id = $2 AND EXISTS (
      SELECT 1 FROM deployment_services s WHERE s.organization_id = $1 AND s.environment_id = v.environment_id
         AND s.service_id = v.id AND s.workload IS NOT NULL)
   UNION
   SELECT 'environment', e.id, e.region FROM environments e
    WHERE e.organization_id = $1 AND e.project_id = $2 AND EXISTS (
      SELECT 1 FROM deployment_services s WHERE s.organization_id = $1 AND s.environment_id = e.id AND s.workload IS NOT NULL)
   UNION
   SELECT 'service', service_id, region FROM data_stores WHERE organization_id = $1 AND project_id = $2
   UNION
   SELECT 'environment', environment_id, region FROM data_stores WHERE organization_id = $1 AND project_id = $2
   UNION
   SELECT 'service', service_id, region FROM service_removals WHERE organization_id = $1 AND project_id = $2
   UNION
   SELECT 'environment', environment_id, region FROM environment_removals WHERE organization_id = $1 AND project_id = $2
   ORDER BY 1, 2`,
);
const LIST_OF_ACCOUNT = readStatement<PlatformPart>(
  "removals_list_of_account",
  `SELECT 'service' AS kind, service_id AS id, region FROM service_removals
    WHERE organization_id = $1 AND aws_account_id = $2
   UNION
   SELECT 'environment', environment_id, region FROM environment_removals
    WHERE organization_id = $1 AND aws_account_id = $2
   ORDER BY 1, 2`,
);
const DELETE_SERVICES_OF_PROJECT = writeStatement(
  "service_removals_delete_of_project",
  `DELETE FROM service_removals WHERE organization_id = $1 AND project_id = $2`,
);
const DELETE_STORES_OF_PROJECT = writeStatement(
  "data_stores_delete_of_project",
  `DELETE FROM data_stores WHERE organization_id = $1 AND project_id = $2`,
);
const DELETE_ENVIRONMENTS_OF_PROJECT = writeStatement(
  "environment_removals_delete_of_project",
  `DELETE FROM environment_removals WHERE organization_id = $1 AND project_id = $2`,
);

/** The address of each service's newest release. Workers and static services have none. */
const LIST_LIVE_URLS = readStatement<{ serviceId: string; url: string | null }>(
  "deployment_services_list_live_urls",
  `SELECT DISTINCT ON (service_id) service_id AS "serviceId", url FROM deployment_services
    WHERE organization_id = $1 AND service_id = ANY($2::text[]) AND status = 'SUCCESS'
    ORDER BY service_id, deployment_id DESC`,
);

/**
 * The newest release of each service that is built or released, and when it was given its variables: files get theirs
 * when they are built, perhaps for an earlier deployment, and everything else when it is released.
 */
const LIST_LIVE = readStatement<LiveRelease>(
  "deployment_services_list_live",
  `SELECT DISTINCT ON (s.service_id) s.service_id AS "serviceId", s.environment_id AS "environmentId",
          CASE WHEN s.type <> 'static' THEN s.release_started_at ELSE coalesce(s.build_started_at, (
            SELECT max(b.build_started_at) FROM deployment_services b
             WHERE b.organization_id = $1 AND b.service_id = s.service_id AND b.status = 'SUCCESS'
               AND b.artifact = s.artifact)) END AS since
     FROM deployment_services s
    WHERE s.organization_id = $1 AND s.service_id = ANY($2::text[]) AND s.status = 'SUCCESS' AND s.workload IS NOT NULL
    ORDER BY s.service_id, s.deployment_id DESC`,
);

const refusalOf = (error: Refusal | null) =>
  error && JSON.stringify({ kind: error.kind, code: error.code, message: error.message });
const placeOf = ({
  organizationId,
  environmentId,
  awsAccountId,
  region,
  projectId,
}: Omit<EnvironmentPlace, "environmentConfigId">) =>
  [organizationId, environmentId, awsAccountId, region, projectId] as const;

export const serviceRemovals = {
  /** @returns the services that the platform may know; only these have to be removed from it */
  insert: async (sql: Sql, place: EnvironmentPlace, services: readonly RemovedService[]) => {
    const { organizationId, environmentId, environmentConfigId } = place;
    const settling = STRAGGLER_MS / 1_000;
    const serviceIds = services.map(({ id }) => id);
    const names = [services.map(({ configId }) => configId), environmentConfigId];
    const released = await sql.query(INSERT_SERVICES, [...placeOf(place), settling, serviceIds]);
    const of = [organizationId, environmentId, serviceIds, settling, ...names];
    const stores = await sql.query(INSERT_STORES, of);
    return [...released, ...stores].map(({ serviceId }) => serviceId);
  },
  find: async (sql: Sql, organizationId: string, serviceId: string) =>
    (await sql.query(FIND_SERVICE, [organizationId, serviceId]))[0] ?? null,
  /** Data stores of a project that are being deleted, at most `limit`. */
  listStores: (sql: Sql, organizationId: string, projectId: string, limit: number) =>
    sql.query(LIST_STORES, [organizationId, projectId, limit]),
  /** @returns whether it was there */
  delete: async (sql: Sql, organizationId: string, serviceId: string) =>
    (await sql.query(DELETE_SERVICE, [organizationId, serviceId])).length > 0,
  /** @returns whether that is new */
  recordRefused: async (sql: Sql, organizationId: string, serviceId: string, error: Refusal | null) =>
    (await sql.query(RECORD_SERVICE_REFUSED, [organizationId, serviceId, refusalOf(error)])).length > 0,
  /** Whether services of an environment are still being removed. */
  hasOfEnvironment: async (sql: Sql, organizationId: string, environmentId: string) =>
    (await sql.query(HAS_SERVICES, [organizationId, environmentId]))[0]?.exists === true,
};

export const environmentRemovals = {
  /** @returns whether the platform may know it */
  insert: async (sql: Sql, place: EnvironmentPlace) =>
    (await sql.query(INSERT_ENVIRONMENT, [...placeOf(place), place.templateId])).length > 0,
  /** Of the template of a preview at this place. */
  insertNetwork: async (sql: Sql, place: EnvironmentPlace, environmentId: string) =>
    void (await sql.query(INSERT_NETWORK, placeOf({ ...place, environmentId }))),
  findUse: async (sql: Sql, organizationId: string, environmentId: string) =>
    (await sql.query(FIND_USE, [organizationId, environmentId]))[0] ?? { isKept: false, isUsed: false },
  find: async (sql: Sql, organizationId: string, environmentId: string) =>
    (await sql.query(FIND_ENVIRONMENT, [organizationId, environmentId]))[0] ?? null,
  recordRefused: async (sql: Sql, organizationId: string, environmentId: string, error: CloudError) =>
    void (await sql.query(RECORD_ENVIRONMENT_REFUSED, [organizationId, environmentId, refusalOf(error)])),
  delete: async (sql: Sql, organizationId: string, environmentId: string) =>
    void (await sql.query(DELETE_ENVIRONMENT, [organizationId, environmentId])),
};

export const removals = {
  /** Whether a project that is being deleted still has something on the platform. */
  hasOfProject: async (sql: Sql, organizationId: string, projectId: string) =>
    (await sql.query(HAS_OF_PROJECT, [organizationId, projectId]))[0]?.exists === true,
  /** What the platform has, or may have, of a project, or of the deleted projects in an account. */
  list: (sql: Sql, organizationId: string, by: LeftBy) =>
    "projectId" in by
      ? sql.query(LIST_OF_PROJECT, [organizationId, by.projectId])
      : sql.query(LIST_OF_ACCOUNT, [organizationId, by.awsAccountId]),
  /** Abandons what cannot be removed from the platform. */
  forgetOfProject: async (sql: Sql, organizationId: string, projectId: string) => {
    await sql.query(DELETE_STORES_OF_PROJECT, [organizationId, projectId]);
    await sql.query(DELETE_SERVICES_OF_PROJECT, [organizationId, projectId]);
    await sql.query(DELETE_ENVIRONMENTS_OF_PROJECT, [organizationId, projectId]);
  },
};

export const releases = {
  /** What runs as some services, if it is known when it was given its variables. */
  listLive: async (
    sql: Sql,
    organizationId: string,
    serviceIds: readonly string[],
  ): Promise<readonly (LiveRelease & { readonly since: Date })[]> => {
    if (serviceIds.length === 0) return [];
    const rows = await sql.query(LIST_LIVE, [organizationId, serviceIds]);
    return rows.flatMap(({ since, ...row }) => (since === null ? [] : [{ ...row, since }]));
  },
  /**
   * Addresses of the newest releases of some services, for other services of the environment. Services without an
   * address are left out.
   */
  findLiveUrls: async (
    sql: Sql,
    organizationId: string,
    serviceIds: readonly string[],
  ): Promise<ReadonlyMap<string, string>> => {
    if (serviceIds.length === 0) return new Map();
    const rows = await sql.query(LIST_LIVE_URLS, [organizationId, serviceIds]);
    return new Map(rows.flatMap(({ serviceId, url }) => (url === null ? [] : [[serviceId, url] as const])));
  },
};
