/** Data stores that Slipway creates. Their rows are deleted when the removal of their service begins. */
import type { StoreType } from "../../cloud/data-stores.ts";
import type { ObservedStore } from "../../cloud/platform.ts";
import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import type { CreatedStore } from "./data-stores.ts";

const COLUMNS = `organization_id AS "organizationId", service_id AS "serviceId", project_id AS "projectId",
  environment_id AS "environmentId", aws_account_id AS "awsAccountId", region, snapshot_id AS "snapshotId",
  is_asked AS "isAsked", status, failure,
  waiting_for AS "waitingFor", version, linked_values AS "values", created_at AS "createdAt"`;

/** A failed creation is tried again, from another snapshot if so. A stopped data store stays so until the platform is asked. */
const REQUEST = writeStatement(
  "data_stores_request",
  `INSERT INTO data_stores (organization_id, service_id, project_id, environment_id, aws_account_id, region, type,
                            snapshot_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (organization_id, service_id) DO UPDATE
     SET status = CASE WHEN data_stores.status = 'FAILED' THEN 'CREATING' ELSE data_stores.status END,
         snapshot_id = CASE WHEN data_stores.status = 'FAILED' THEN excluded.snapshot_id ELSE data_stores.snapshot_id END,
         failure = CASE WHEN data_stores.status = 'CHANGING' THEN data_stores.failure END, is_asked = false`,
);
const FIND = readStatement<CreatedStore>(
  "data_stores_find",
  `SELECT ${COLUMNS} FROM data_stores WHERE organization_id = $1 AND service_id = $2`,
);
const LOCK = writeStatement<CreatedStore>(
  "data_stores_lock",
  `SELECT ${COLUMNS} FROM data_stores WHERE organization_id = $1 AND service_id = $2 FOR UPDATE`,
);
const LIST = readStatement<CreatedStore>(
  "data_stores_list",
  `SELECT ${COLUMNS} FROM data_stores WHERE organization_id = $1 AND service_id = ANY ($2::text[])`,
);
/** All that were available once. */
const LIST_MADE = readStatement<MadeStore>(
  "data_stores_list_made",
  `SELECT service_id AS "serviceId", environment_id AS "environmentId", region, type, status, failure FROM data_stores
    WHERE organization_id = $1 AND aws_account_id = $2 AND status IN ('AVAILABLE', 'CHANGING') ORDER BY service_id`,
);
const IS_SOURCE = readStatement<{ exists: boolean }>(
  "data_stores_is_source",
  `SELECT EXISTS (
     SELECT 1 FROM data_stores
      WHERE organization_id = $1 AND snapshot_id = $2 AND status IN ('CREATING', 'FAILED')) AS exists`,
);
const RECORD = writeStatement<{ serviceId: string }>(
  "data_stores_record",
  `UPDATE data_stores SET is_asked = true, status = $3, failure = $4::jsonb, waiting_for = $5, version = $6, linked_values = $7::jsonb
    WHERE organization_id = $1 AND service_id = $2 AND status = $8 AND failure IS NOT DISTINCT FROM $9::jsonb RETURNING service_id AS "serviceId"`,
);

type MadeStore = Pick<CreatedStore, "serviceId" | "environmentId" | "region" | "status" | "failure"> & {
  readonly type: StoreType;
};

type Requested = Pick<
  CreatedStore,
  "organizationId" | "serviceId" | "projectId" | "environmentId" | "awsAccountId" | "region" | "snapshotId"
> & { readonly type: StoreType };

export const dataStores = {
  request: async (tx: Transaction, of: Requested) => {
    const { organizationId, serviceId, projectId, environmentId, awsAccountId, region, type, snapshotId } =
      of;
    const place = [organizationId, serviceId, projectId, environmentId, awsAccountId, region, type];
    await tx.query(REQUEST, [...place, snapshotId]);
  },
  find: async (sql: Sql, organizationId: string, serviceId: string) =>
    (await sql.query(FIND, [organizationId, serviceId]))[0] ?? null,
  lock: async (tx: Transaction, organizationId: string, serviceId: string) =>
    (await tx.query(LOCK, [organizationId, serviceId]))[0] ?? null,
  /** In any order; services without one are left out. */
  list: async (sql: Sql, organizationId: string, serviceIds: readonly string[]) =>
    serviceIds.length === 0 ? [] : await sql.query(LIST, [organizationId, serviceIds]),
  /** Of an account. */
  listMade: (sql: Sql, organizationId: string, awsAccountId: string) =>
    sql.query(LIST_MADE, [organizationId, awsAccountId]),
  /** Whether a data store that is not available yet gets its data from a snapshot. */
  isSource: async (sql: Sql, organizationId: string, snapshotId: string) =>
    (await sql.query(IS_SOURCE, [organizationId, snapshotId]))[0]?.exists === true,
  /** @returns whether its status and failure were still what the caller saw */
  record: async (tx: Transaction, before: CreatedStore, now: ObservedStore) => {
    const { organizationId, serviceId, status } = before;
    const [failure, seen] = [now.failure, before.failure].map((one) => one && JSON.stringify(one));
    const { waitingFor, version, values } = now;
    const key = [organizationId, serviceId, now.status];
    const rest = [failure ?? null, waitingFor, version, JSON.stringify(values), status, seen ?? null];
    return (await tx.query(RECORD, [...key, ...rest])).length > 0;
  },
};
