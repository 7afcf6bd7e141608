import type { LeftBy } from "../cloud-accounts/left-in-account.ts";
import type { Origin } from "../../cloud/cloud.ts";
import type { Routes } from "../../cloud/routing.ts";
import type { StartedCall } from "../../cloud/calls/stragglers.ts";
import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { CONNECTED_DISTRIBUTION, DISTRIBUTION } from "./columns.ts";
import type { Distribution, Refusal, ServedDistribution } from "./distribution.ts";

const INSERT = writeStatement(
  "distributions_insert",
  `INSERT INTO distributions (organization_id, id, service_id, aws_account_id, is_default, origin)
   VALUES ($1, $2, $3, $4, $5, $6::jsonb)`,
);
const FIND = readStatement<Distribution>(
  "distributions_find",
  `SELECT ${DISTRIBUTION} FROM distributions WHERE organization_id = $1 AND id = $2`,
);
const LIST = readStatement<ServedDistribution>(
  "distributions_list",
  `SELECT found.* FROM unnest($2::text[]) AS wanted(id) CROSS JOIN LATERAL (
     SELECT ${CONNECTED_DISTRIBUTION}, CASE WHEN origin ->> 'kind' = 'previews' THEN origin ->> 'environmentId'
            ELSE (SELECT e.template_id FROM services s
                    JOIN environments e ON e.organization_id = $1 AND e.id = s.environment_id
                   WHERE s.organization_id = $1 AND s.id = distributions.service_id) END AS "templateId"
       FROM distributions WHERE organization_id = $1 AND id = wanted.id LIMIT 1) found`,
);
const FIND_DEFAULT = readStatement<Distribution>(
  "distributions_find_default",
  `SELECT ${DISTRIBUTION} FROM distributions
    WHERE organization_id = $1 AND service_id = $2 AND is_default AND is_wanted`,
);
const COUNT_OF_ACCOUNT = readStatement<{ count: number }>(
  "distributions_count_of_account",
  `SELECT count(*)::int AS count FROM distributions WHERE organization_id = $1 AND aws_account_id = $2`,
);
const MARK_REQUESTED = writeStatement<{ startedBefore: Date | null }>(
  "distributions_mark_requested",
  `UPDATE distributions d SET requested_at = coalesce(d.requested_at, $3), create_started_at = $3
     FROM distributions b
    WHERE d.organization_id = $1 AND d.id = $2 AND b.organization_id = $1 AND b.id = $2
   RETURNING b.create_started_at AS "startedBefore"`,
);
/** The caller knows that its creation failed, whatever others have done since. */
const END_CREATION = writeStatement(
  "distributions_end_creation",
  `UPDATE distributions SET create_started_at = $4
    WHERE organization_id = $1 AND id = $2 AND create_started_at = $3`,
);
/**
 * If the row was removed during the call, it comes back as unwanted. A worker may stand still for so long that others
 * create, use and remove the distribution in the meantime; what its late call created is then removed as usual. Nothing
 * comes back if the row has another provider id by then.
 */
const RECORD_CREATED = writeStatement<{ isDesired: boolean }>(
  "distributions_record_created",
  `INSERT INTO distributions (organization_id, id, aws_account_id, origin, is_default, is_wanted, requested_at,
                              provider_id, domain_name)
   VALUES ($1, $2, $5, $6::jsonb, false, false, $7, $3, $4)
   ON CONFLICT (organization_id, id) DO UPDATE
     SET provider_id = excluded.provider_id, domain_name = excluded.domain_name, last_error = NULL,
         updated_at = excluded.updated_at, create_started_at = CASE WHEN distributions.create_started_at = $7 THEN $8
                                  ELSE distributions.create_started_at END
     WHERE distributions.provider_id IS NULL OR distributions.provider_id = excluded.provider_id
   RETURNING is_wanted AS "isDesired"`,
);
/** All distributions of a service with another origin. */
const MOVE_ORIGIN = writeStatement<{ id: string }>(
  "distributions_move_origin",
  `UPDATE distributions SET origin = $3::jsonb, origin_moved = true, updated_at = now()
    WHERE organization_id = $1 AND service_id = $2 AND is_wanted AND origin <> $3::jsonb RETURNING id`,
);
/** Only if the origin has not changed since it was sent to the provider. */
const RECORD_MOVED = writeStatement(
  "distributions_record_moved",
  `UPDATE distributions SET origin_moved = false, last_error = NULL, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND origin = $3::jsonb`,
);
const RECORD_REFUSED = writeStatement(
  "distributions_record_refused",
  `UPDATE distributions SET last_error = $3::jsonb, updated_at = now() WHERE organization_id = $1 AND id = $2`,
);
const CLEAR_REFUSED = writeStatement<{ id: string }>(
  "distributions_clear_refused",
  `UPDATE distributions SET last_error = NULL, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND last_error IS NOT NULL RETURNING id`,
);
/** Also distributions that wait without a refusal, because the account did not work. */
const CLEAR_REFUSED_OF_ACCOUNT = writeStatement<{ id: string }>(
  "distributions_clear_refused_of_account",
  `UPDATE distributions SET last_error = NULL, updated_at = now()
    WHERE organization_id = $1 AND aws_account_id = $2
      AND (last_error IS NOT NULL OR provider_id IS NULL OR NOT is_wanted) RETURNING id`,
);
/** Only if the provider id is still the lost one. */
const FORGET_MADE = writeStatement<{ id: string }>(
  "distributions_forget_made",
  `UPDATE distributions SET provider_id = NULL, domain_name = NULL, updated_at = now()
    WHERE organization_id = $1 AND id = $2 AND provider_id = $3 AND is_wanted RETURNING id`,
);
/** Records the project and the environment: a deletion of either waits for this distribution. */
const RELEASE = writeStatement(
  "distributions_release",
  `UPDATE distributions d
      SET is_wanted = false, service_id = NULL, updated_at = now(),
          project_id = coalesce(d.project_id, (
            SELECT s.project_id FROM services s WHERE s.organization_id = $1 AND s.id = d.service_id)),
          environment_id = coalesce(d.environment_id, (
            SELECT s.environment_id FROM services s WHERE s.organization_id = $1 AND s.id = d.service_id))
    WHERE d.organization_id = $1 AND d.id = $2`,
);
const LIST_OF_PROJECT = readStatement<{ id: string }>(
  "distributions_list_of_project",
  `SELECT distributions.id FROM distributions
     JOIN services ON services.organization_id = distributions.organization_id AND services.id = distributions.service_id
    WHERE distributions.organization_id = $1 AND services.project_id = $2`,
);
const LIST_OF_TEMPLATE = readStatement<{ id: string }>(
  "distributions_list_of_template",
  `SELECT d.id FROM environments e
     JOIN services s ON s.organization_id = $1 AND s.environment_id = e.id
     JOIN distributions d ON d.organization_id = $1 AND d.service_id = s.id
    WHERE e.organization_id = $1 AND e.template_id = $2
   UNION
   SELECT id FROM distributions
    WHERE organization_id = $1 AND origin ->> 'kind' = 'previews' AND origin ->> 'environmentId' = $2`,
);
const LIST_DEFAULT_HOSTS = readStatement<{ serviceId: string; domainName: string }>(
  "distributions_list_default_hosts",
  `SELECT s.id AS "serviceId", coalesce(s.preview_host, d.domain_name) AS "domainName" FROM services s
     LEFT JOIN distributions d ON d.organization_id = s.organization_id AND d.service_id = s.id
       AND d.is_default AND d.is_wanted
    WHERE s.organization_id = $1 AND s.id = ANY($2::text[])
      AND coalesce(s.preview_host, d.domain_name) IS NOT NULL`,
);
const LIST_DEFAULTS = readStatement<{ serviceId: string; domainName: string | null }>(
  "distributions_list_defaults",
  `SELECT service_id AS "serviceId", domain_name AS "domainName" FROM distributions
    WHERE organization_id = $1 AND service_id = ANY($2::text[]) AND is_default AND is_wanted`,
);
/** The distribution that the previews of a template share. */
const LIST_OF_PREVIEWS = readStatement<{ id: string }>(
  "distributions_list_of_previews",
  `SELECT id FROM distributions
    WHERE organization_id = $1 AND origin ->> 'kind' = 'previews' AND origin ->> 'environmentId' = $2 AND is_wanted`,
);
/** The services of a template's previews by the first labels of their names. */
const LIST_ROUTES = readStatement<{ label: string; serviceId: string; hostname: string | null }>(
  "distributions_list_routes",
  `SELECT split_part(s.preview_host, '.', 1) AS label, s.id AS "serviceId",
          CASE WHEN s.type = 'external' THEN s.settings ->> 'hostname' END AS hostname
     FROM services s
     JOIN environments e ON e.organization_id = s.organization_id AND e.id = s.environment_id
    WHERE s.organization_id = $1 AND e.template_id = $2 AND s.preview_host IS NOT NULL`,
);
const LIST_OF_SERVICES = readStatement<{ id: string }>(
  "distributions_list_of_services",
  `SELECT id FROM distributions WHERE organization_id = $1 AND service_id = ANY($2::text[])`,
);
const LIST_PROVIDER_IDS_OF_SERVICE = readStatement<{ id: string }>(
  "distributions_list_provider_ids_of_service",
  `SELECT provider_id AS id FROM distributions
    WHERE organization_id = $1 AND service_id = $2 AND provider_id IS NOT NULL
   UNION ALL
   SELECT d.provider_id || '/' || split_part(s.preview_host, '.', 1) FROM services s
     JOIN environments e ON e.organization_id = s.organization_id AND e.id = s.environment_id
     JOIN distributions d ON d.organization_id = s.organization_id
       AND d.origin ->> 'kind' = 'previews' AND d.origin ->> 'environmentId' = e.template_id
    WHERE s.organization_id = $1 AND s.id = $2 AND s.preview_host IS NOT NULL AND d.provider_id IS NOT NULL
    ORDER BY 1`,
);
const OF_PROJECT = `(project_id = $2 OR service_id IN (
      SELECT id FROM services WHERE organization_id = $1 AND project_id = $2))`;
/** A distribution whose creation was never answered is listed with our caller reference. */
const LIST_MADE_OF_PROJECT = readStatement<{ id: string }>(
  "distributions_list_made_of_project",
  `SELECT coalesce(provider_id, id) AS id FROM distributions
    WHERE organization_id = $1 AND ${OF_PROJECT} AND requested_at IS NOT NULL ORDER BY 1`,
);
const LIST_MADE_OF_ACCOUNT = readStatement<{ id: string }>(
  "distributions_list_made_of_account",
  `SELECT coalesce(provider_id, id) AS id FROM distributions
    WHERE organization_id = $1 AND aws_account_id = $2 AND NOT is_wanted AND requested_at IS NOT NULL ORDER BY 1`,
);
const HAS_RELEASED = readStatement<{ exists: boolean }>(
  "distributions_has_released_of_project",
  `SELECT EXISTS (SELECT 1 FROM distributions WHERE organization_id = $1 AND project_id = $2) AS exists`,
);
const DELETE_OF_PROJECT = writeStatement(
  "distributions_delete_of_project",
  `DELETE FROM distributions WHERE organization_id = $1 AND ${OF_PROJECT}`,
);
const DELETE = writeStatement(
  "distributions_delete",
  `DELETE FROM distributions WHERE organization_id = $1 AND id = $2`,
);
const DELETE_RELEASED = writeStatement(
  "distributions_delete_released",
  `DELETE FROM distributions WHERE organization_id = $1 AND aws_account_id = $2 AND NOT is_wanted`,
);

export const distributions = {
  insert: (
    tx: Transaction,
    row: Pick<Distribution, "organizationId" | "id" | "awsAccountId" | "isDefault"> & {
      serviceId: string;
      origin: Origin;
    },
  ) =>
    tx.send(INSERT, [
      row.organizationId,
      row.id,
      row.serviceId,
      row.awsAccountId,
      row.isDefault,
      JSON.stringify(row.origin),
    ]),
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  countOfAccount: async (sql: Sql, organizationId: string, awsAccountId: string) =>
    (await sql.query(COUNT_OF_ACCOUNT, [organizationId, awsAccountId]))[0]?.count ?? 0,
  list: (sql: Sql, organizationId: string, ids: readonly string[]) => sql.query(LIST, [organizationId, ids]),
  findDefault: async (sql: Sql, organizationId: string, serviceId: string) =>
    (await sql.query(FIND_DEFAULT, [organizationId, serviceId]))[0] ?? null,
  /**
   * Call it before a creation: from now on the provider may have the distribution.
   * @returns when an earlier creation with unknown outcome began
   */
  markRequested: async (sql: Sql, { organizationId, id }: Distribution, at: Date): Promise<Date | null> =>
    (await sql.query(MARK_REQUESTED, [organizationId, id, at]))[0]?.startedBefore ?? null,
  endCreation: async (
    sql: Sql,
    { organizationId, id }: Distribution,
    { startedAt, startedBefore }: StartedCall,
  ) => void (await sql.query(END_CREATION, [organizationId, id, startedAt, startedBefore])),
  /**
   * Also records the end of the creation. @returns whether it is still wanted; null if the row has another provider id
   */
  recordCreated: async (
    sql: Sql,
    {
      organizationId,
      id,
      awsAccountId,
      origin,
    }: Pick<Distribution, "organizationId" | "id" | "awsAccountId" | "origin">,
    made: { readonly id: string; readonly domainName: string },
    { startedAt, startedBefore }: StartedCall,
  ): Promise<boolean | null> => {
    const ids = [organizationId, id, made.id, made.domainName, awsAccountId];
    const values = [...ids, JSON.stringify(origin), startedAt, startedBefore];
    return (await sql.query(RECORD_CREATED, values))[0]?.isDesired ?? null;
  },
  moveOrigin: (sql: Sql, organizationId: string, serviceId: string, origin: Origin) =>
    sql.query(MOVE_ORIGIN, [organizationId, serviceId, JSON.stringify(origin)]),
  recordMoved: async (sql: Sql, { organizationId, id, origin }: Distribution) =>
    void (await sql.query(RECORD_MOVED, [organizationId, id, JSON.stringify(origin)])),
  recordRefused: async (sql: Sql, organizationId: string, id: string, { kind, code }: Refusal) =>
    void (await sql.query(RECORD_REFUSED, [organizationId, id, JSON.stringify({ kind, code })])),
  clearRefused: (sql: Sql, organizationId: string, id: string) =>
    sql.query(CLEAR_REFUSED, [organizationId, id]),
  clearRefusedOfAccount: (sql: Sql, organizationId: string, awsAccountId: string) =>
    sql.query(CLEAR_REFUSED_OF_ACCOUNT, [organizationId, awsAccountId]),
  forgetMade: (sql: Sql, { organizationId, id, providerId }: Distribution) =>
    sql.query(FORGET_MADE, [organizationId, id, providerId]),
  release: async (sql: Sql, organizationId: string, id: string) =>
    void (await sql.query(RELEASE, [organizationId, id])),
  listOfProject: (sql: Sql, organizationId: string, projectId: string) =>
    sql.query(LIST_OF_PROJECT, [organizationId, projectId]),
  listDefaultHosts: (sql: Sql, organizationId: string, serviceIds: readonly string[]) =>
    sql.query(LIST_DEFAULT_HOSTS, [organizationId, serviceIds]),
  listDefaults: (sql: Sql, organizationId: string, serviceIds: readonly string[]) =>
    sql.query(LIST_DEFAULTS, [organizationId, serviceIds]),
  listOfPreviews: (sql: Sql, organizationId: string, templateId: string) =>
    sql.query(LIST_OF_PREVIEWS, [organizationId, templateId]),
  listRoutes: async (sql: Sql, organizationId: string, templateId: string): Promise<Routes> =>
    Object.fromEntries(
      (await sql.query(LIST_ROUTES, [organizationId, templateId])).map(({ label, serviceId, hostname }) => [
        label,
        hostname === null ? { serviceId } : { hostname },
      ]),
    ),
  listProviderIdsOfService: (sql: Sql, organizationId: string, serviceId: string) =>
    sql.query(LIST_PROVIDER_IDS_OF_SERVICE, [organizationId, serviceId]),
  listOfTemplate: (sql: Sql, organizationId: string, templateId: string) =>
    sql.query(LIST_OF_TEMPLATE, [organizationId, templateId]),
  listOfServices: (sql: Sql, organizationId: string, serviceIds: readonly string[]) =>
    sql.query(LIST_OF_SERVICES, [organizationId, serviceIds]),
  listMade: (sql: Sql, organizationId: string, by: LeftBy) =>
    "projectId" in by
      ? sql.query(LIST_MADE_OF_PROJECT, [organizationId, by.projectId])
      : sql.query(LIST_MADE_OF_ACCOUNT, [organizationId, by.awsAccountId]),
  hasReleased: async (sql: Sql, organizationId: string, projectId: string) =>
    (await sql.query(HAS_RELEASED, [organizationId, projectId]))[0]?.exists === true,
  deleteOfProject: async (sql: Sql, organizationId: string, projectId: string) =>
    void (await sql.query(DELETE_OF_PROJECT, [organizationId, projectId])),
  deleteReleased: async (sql: Sql, organizationId: string, awsAccountId: string) =>
    void (await sql.query(DELETE_RELEASED, [organizationId, awsAccountId])),
  delete: async (sql: Sql, organizationId: string, id: string) =>
    void (await sql.query(DELETE, [organizationId, id])),
};
