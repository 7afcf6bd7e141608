import type { ObservedSnapshot } from "../../cloud/platform.ts";
import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { visibleProject, visibleValues } from "../../db/visible.ts";
import type { Visible } from "../../lib/access.ts";
import { newId } from "../../lib/ids.ts";
import type { Snapshot } from "./snapshot.ts";

const COLUMNS = `organization_id AS "organizationId", id, aws_account_id AS "awsAccountId", region,
  project_id AS "projectId", environment_id AS "environmentId", environment_config_id AS "environmentConfigId",
  service_id AS "serviceId", service_config_id AS "serviceConfigId", type, version, reason,
  requested_by AS "requestedBy", status, failure,
  size_bytes::float8 AS "sizeBytes", created_at AS "createdAt"`;

const INSERT = writeStatement<Snapshot>(
  "snapshots_insert",
  `INSERT INTO snapshots (organization_id, id, aws_account_id, region, project_id, environment_id, environment_config_id,
                          service_id, service_config_id, type, version, reason,
                          requested_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING ${COLUMNS}`,
);
const FIND = readStatement<Snapshot>(
  "snapshots_find",
  `SELECT ${COLUMNS} FROM snapshots WHERE organization_id = $1 AND id = $2`,
);
const LOCK = writeStatement<Snapshot>(
  "snapshots_lock",
  `SELECT ${COLUMNS} FROM snapshots WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);
const FIND_FINAL = readStatement<Snapshot>(
  "snapshots_find_final",
  `SELECT ${COLUMNS} FROM snapshots WHERE organization_id = $1 AND service_id = $2 AND reason = 'final'`,
);
const FIND_LIMITING = readStatement<Pick<Snapshot, "id" | "createdAt">>(
  "snapshots_find_limiting",
  `SELECT id, created_at AS "createdAt" FROM snapshots
    WHERE organization_id = $1 AND service_id = $2 AND reason = 'manual' AND status <> 'DELETING'
    ORDER BY id DESC OFFSET $3 LIMIT 1`,
);
const LIST_OF_SERVICE = pagedStatement<Snapshot>(
  "snapshots_list_of_service",
  (after, direction) => `SELECT ${COLUMNS} FROM snapshots
    WHERE organization_id = $1 AND service_id = $4 AND id ${after} $2 ORDER BY id ${direction} LIMIT $3`,
);
/** Those of deleted projects only with $7. */
const LIST = pagedStatement<Snapshot>(
  "snapshots_list",
  (after, direction) => `SELECT ${COLUMNS} FROM snapshots s
    WHERE organization_id = $1 AND id ${after} $2 AND ($4::text IS NULL OR project_id = $4)
      AND ${visibleProject("project_id", "$5", "$6")}
      AND ($7::boolean OR EXISTS (SELECT 1 FROM projects p WHERE p.organization_id = $1 AND p.id = s.project_id))
    ORDER BY id ${direction} LIMIT $3`,
);
const END = writeStatement<{ id: string }>(
  "snapshots_end",
  `UPDATE snapshots SET status = $3, failure = $4::jsonb, size_bytes = $5, version = coalesce($6, version)
    WHERE organization_id = $1 AND id = $2 AND status = 'CREATING' RETURNING id`,
);
/** A last snapshot is taken by the removal of its data store, which is forgotten. */
const END_FINAL_OF_PROJECT = writeStatement<{ id: string }>(
  "snapshots_end_final_of_project",
  `UPDATE snapshots SET status = 'FAILED', failure = $3::jsonb
    WHERE organization_id = $1 AND project_id = $2 AND reason = 'final' AND status = 'CREATING' RETURNING id`,
);
const REQUEST_DELETION = writeStatement<Snapshot>(
  "snapshots_request_deletion",
  `UPDATE snapshots SET status = 'DELETING', failure = NULL WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);
/** Why the cloud last refused to delete it, or the data store whose last one it is. */
const RECORD_REFUSED = writeStatement<{ id: string }>(
  "snapshots_record_refused",
  `UPDATE snapshots SET failure = $3::jsonb
    WHERE organization_id = $1 AND id = $2 AND status IN ('CREATING', 'DELETING')
      AND failure IS DISTINCT FROM $3::jsonb RETURNING id`,
);
const DELETE = writeStatement<{ id: string }>(
  "snapshots_delete",
  `DELETE FROM snapshots WHERE organization_id = $1 AND id = $2 AND status = 'DELETING' RETURNING id`,
);
const DELETE_OF_ACCOUNT = writeStatement(
  "snapshots_delete_of_account",
  `DELETE FROM snapshots WHERE organization_id = $1 AND aws_account_id = $2`,
);

export type NewSnapshot = Omit<Snapshot, "id" | "status" | "failure" | "sizeBytes" | "createdAt">;

export type SnapshotFilter = {
  readonly projectId?: string;
  readonly visible: Visible;
  /** Whether those of deleted projects are shown. */
  readonly showsDeleted: boolean;
};

/** What the platform says of a snapshot. */
export type SnapshotEnd = Omit<ObservedSnapshot, "token">;

type Failure = Snapshot["failure"];
const json = (failure: Failure) => (failure === null ? null : JSON.stringify(failure));

export const snapshots = {
  insert: async (tx: Transaction, of: NewSnapshot): Promise<Snapshot> => {
    const { organizationId, awsAccountId, region, projectId, environmentId, environmentConfigId } = of;
    const { serviceId, serviceConfigId, type, version, reason, requestedBy } = of;
    const place = [organizationId, newId("snap"), awsAccountId, region, projectId, environmentId];
    const rest = [environmentConfigId, serviceId, serviceConfigId, type, version, reason, requestedBy];
    const [row] = await tx.query(INSERT, [...place, ...rest]);
    if (row === undefined) throw new Error("An INSERT returned no row.");
    return row;
  },
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  lock: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(LOCK, [organizationId, id]))[0] ?? null,
  /** The last snapshot of a data store, which is taken before its deletion. */
  findFinal: async (sql: Sql, organizationId: string, serviceId: string) =>
    (await sql.query(FIND_FINAL, [organizationId, serviceId]))[0] ?? null,
  /** Of a data store with this number of snapshots that users asked for: one of the oldest. Null if it has fewer. */
  findLimiting: async (sql: Sql, organizationId: string, serviceId: string, max: number) =>
    (await sql.query(FIND_LIMITING, [organizationId, serviceId, max - 1]))[0] ?? null,
  /** One page, and one more. */
  listOfService: (sql: Sql, organizationId: string, serviceId: string, page: Page) =>
    sql.query(LIST_OF_SERVICE[page.order], [organizationId, idBefore(page), page.limit + 1, serviceId]),
  /** One page, and one more. */
  list: (
    sql: Sql,
    organizationId: string,
    page: Page,
    { projectId, visible, showsDeleted }: SnapshotFilter,
  ) =>
    sql.query(LIST[page.order], [
      organizationId,
      idBefore(page),
      page.limit + 1,
      projectId ?? null,
      ...visibleValues(visible),
      showsDeleted,
    ]),
  /** @returns whether it was still being taken */
  end: async (
    tx: Transaction,
    { organizationId, id }: Snapshot,
    { status, failure, sizeBytes }: SnapshotEnd,
    version: string | null,
  ) => (await tx.query(END, [organizationId, id, status, json(failure), sizeBytes, version])).length > 0,
  endFinalOfProject: async (sql: Sql, organizationId: string, projectId: string, failure: Failure) =>
    void (await sql.query(END_FINAL_OF_PROJECT, [organizationId, projectId, json(failure)])),
  requestDeletion: async (tx: Transaction, { organizationId, id }: Snapshot) => {
    const [row] = await tx.query(REQUEST_DELETION, [organizationId, id]);
    if (row === undefined) throw new Error("A locked row was not updated.");
    return row;
  },
  /** @returns whether that is new */
  recordRefused: async (tx: Transaction, { organizationId, id }: Snapshot, failure: Failure) =>
    (await tx.query(RECORD_REFUSED, [organizationId, id, json(failure)])).length > 0,
  delete: async (tx: Transaction, { organizationId, id }: Snapshot) =>
    void (await tx.query(DELETE, [organizationId, id])),
  deleteOfAccount: async (tx: Transaction, organizationId: string, awsAccountId: string) =>
    void (await tx.query(DELETE_OF_ACCOUNT, [organizationId, awsAccountId])),
};
