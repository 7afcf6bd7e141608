import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { createPrune } from "../../db/prune.ts";
import { newId } from "../../lib/ids.ts";
import type { Invalidation } from "./invalidation.ts";

const COLUMNS = `organization_id AS "organizationId", id, service_id AS "serviceId", paths, status, error, parts,
  created_at AS "createdAt", ended_at AS "endedAt"`;

const INSERT = writeStatement<Invalidation>(
  "invalidations_insert",
  `INSERT INTO invalidations (organization_id, id, service_id, paths, status, ended_at)
   VALUES ($1, $2, $3, $4, $5, CASE WHEN $5 = 'COMPLETED' THEN now() END) RETURNING ${COLUMNS}`,
);

const FIND = readStatement<Invalidation>(
  "invalidations_find",
  `SELECT ${COLUMNS} FROM invalidations WHERE organization_id = $1 AND id = $2`,
);

const START = writeStatement<{ id: string }>(
  "invalidations_start",
  `UPDATE invalidations SET status = 'IN_PROGRESS', parts = $3::jsonb
    WHERE organization_id = $1 AND id = $2 AND status = 'PENDING' RETURNING id`,
);

const END = writeStatement<{ id: string }>(
  "invalidations_end",
  `UPDATE invalidations SET status = $3, error = $4::jsonb, ended_at = now()
    WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL RETURNING id`,
);

export const invalidations = {
  insert: async (
    tx: Transaction,
    {
      organizationId,
      serviceId,
      paths,
      status,
    }: Pick<Invalidation, "organizationId" | "serviceId" | "paths" | "status">,
  ) => {
    const [row] = await tx.query(INSERT, [organizationId, newId("inv"), serviceId, paths, status]);
    if (row === undefined) throw new Error("An INSERT returned no row.");
    return row;
  },
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  /** @returns whether it was still pending */
  start: async (
    tx: Transaction,
    { organizationId, id }: Invalidation,
    parts: NonNullable<Invalidation["parts"]>,
  ) => (await tx.query(START, [organizationId, id, JSON.stringify(parts)])).length > 0,
  /** @returns whether it had not ended before */
  end: async (tx: Transaction, { organizationId, id }: Invalidation, error: Invalidation["error"]) => {
    const status = error === null ? "COMPLETED" : "ERROR";
    const values = [organizationId, id, status, error === null ? null : JSON.stringify(error)];
    return (await tx.query(END, values)).length > 0;
  },
  prune: createPrune<[days: number]>(
    "invalidations_prune",
    "invalidations",
    "organization_id, id",
    "ended_at < now() - $1::int * interval '1 day'",
  ),
};
