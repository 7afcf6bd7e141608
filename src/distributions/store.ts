import type { Origin } from "../cloud/cloud.ts";
import { type Sql, statement } from "../db/database.ts";
import type { Distribution } from "./distribution.ts";

const COLUMNS = `organization_id AS "organizationId", id, service_id AS "serviceId", aws_account_id AS "awsAccountId",
  is_default AS "isDefault", is_wanted AS "isWanted", origin, requested_at AS "requestedAt",
  provider_id AS "providerId", domain_name AS "domainName"`;

const INSERT = statement(
  "distributions_insert",
  `INSERT INTO distributions (organization_id, id, service_id, aws_account_id, is_default, origin)
   VALUES ($1, $2, $3, $4, $5, $6::jsonb)`,
);
const FIND = statement<Distribution>(
  "distributions_find",
  `SELECT ${COLUMNS} FROM distributions WHERE organization_id = $1 AND id = $2`,
);
const FIND_DEFAULT = statement<Distribution>(
  "distributions_find_default",
  `SELECT ${COLUMNS} FROM distributions
    WHERE organization_id = $1 AND service_id = $2 AND is_default AND is_wanted`,
);
const MARK_REQUESTED = statement(
  "distributions_mark_requested",
  `UPDATE distributions SET requested_at = coalesce(requested_at, now()) WHERE organization_id = $1 AND id = $2`,
);
const RECORD_CREATED = statement(
  "distributions_record_created",
  `UPDATE distributions SET provider_id = $3, domain_name = $4, updated_at = now()
    WHERE organization_id = $1 AND id = $2`,
);
const RELEASE = statement(
  "distributions_release",
  `UPDATE distributions SET is_wanted = false, service_id = NULL, updated_at = now()
    WHERE organization_id = $1 AND id = $2`,
);
const LIST_OF_PROJECT = statement<{ id: string }>(
  "distributions_list_of_project",
  `SELECT distributions.id FROM distributions
     JOIN services ON services.organization_id = distributions.organization_id AND services.id = distributions.service_id
    WHERE distributions.organization_id = $1 AND services.project_id = $2`,
);
const DELETE = statement(
  "distributions_delete",
  `DELETE FROM distributions WHERE organization_id = $1 AND id = $2`,
);

export const distributions = {
  insert: async (
    sql: Sql,
    row: Pick<Distribution, "organizationId" | "id" | "awsAccountId" | "isDefault"> & {
      serviceId: string;
      origin: Origin;
    },
  ) =>
    void (await sql.query(INSERT, [
      row.organizationId,
      row.id,
      row.serviceId,
      row.awsAccountId,
      row.isDefault,
      JSON.stringify(row.origin),
    ])),
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  findDefault: async (sql: Sql, organizationId: string, serviceId: string) =>
    (await sql.query(FIND_DEFAULT, [organizationId, serviceId]))[0] ?? null,
  markRequested: async (sql: Sql, organizationId: string, id: string) =>
    void (await sql.query(MARK_REQUESTED, [organizationId, id])),
  recordCreated: async (
    sql: Sql,
    organizationId: string,
    id: string,
    providerId: string,
    domainName: string,
  ) => void (await sql.query(RECORD_CREATED, [organizationId, id, providerId, domainName])),
  release: async (sql: Sql, organizationId: string, id: string) =>
    void (await sql.query(RELEASE, [organizationId, id])),
  listOfProject: (sql: Sql, organizationId: string, projectId: string) =>
    sql.query(LIST_OF_PROJECT, [organizationId, projectId]),
  delete: async (sql: Sql, organizationId: string, id: string) =>
    void (await sql.query(DELETE, [organizationId, id])),
};
