import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { findOwner, noteOwner } from "../../db/owners.ts";
import { idBefore, type Page, pagedStatement } from "../../db/page.ts";
import { createPrune } from "../../db/prune.ts";
import type { Identity, Role, Workload } from "../../lib/actor.ts";
import type { WorkloadTrust } from "./workload-trust.ts";

const COLUMNS = `organization_id AS "organizationId", id, user_id AS "userId", name, issuer, audience, conditions, scopes,
  project_ids AS "projectIds", created_at AS "createdAt", last_used_at AS "lastUsedAt"`;

const INSERT = writeStatement<WorkloadTrust>(
  "workload_trusts_insert",
  `INSERT INTO workload_trusts (organization_id, id, user_id, name, issuer, audience, conditions, scopes, project_ids)
   VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9) RETURNING ${COLUMNS}`,
);

const FIND = readStatement<WorkloadTrust>(
  "workload_trusts_find",
  `SELECT ${COLUMNS} FROM workload_trusts WHERE organization_id = $1 AND id = $2`,
);

const LIST = pagedStatement<WorkloadTrust>(
  "workload_trusts_list",
  (after, direction) => `SELECT ${COLUMNS} FROM workload_trusts
    WHERE organization_id = $1 AND id ${after} $2 ORDER BY id ${direction} LIMIT $3`,
);

const DELETE = writeStatement<WorkloadTrust>(
  "workload_trusts_delete",
  `DELETE FROM workload_trusts WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

/** Holds the trust until the transaction ends, so that it is not deleted while a token is made. */
const NOTE_USE = writeStatement<{ id: string }>(
  "workload_trusts_note_use",
  `UPDATE workload_trusts SET last_used_at = now() WHERE organization_id = $1 AND id = $2 RETURNING id`,
);

const INSERT_TOKEN = writeStatement<{ expiresAt: Date }>(
  "workload_tokens_insert",
  `INSERT INTO workload_tokens (organization_id, id, trust_id, hash, subject, repository, ref, run_id, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9::float8 * interval '1 second')
   RETURNING expires_at AS "expiresAt"`,
);

/** All but the newest. */
const DELETE_OLDEST = writeStatement(
  "workload_tokens_delete_oldest",
  `DELETE FROM workload_tokens WHERE organization_id = $1 AND id IN (
     SELECT id FROM workload_tokens WHERE organization_id = $1 AND trust_id = $2 ORDER BY id DESC OFFSET $3)`,
);

const FIND_PRINCIPAL = readStatement<PrincipalRow>(
  "workload_tokens_find_principal",
  `SELECT w.id, w.trust_id AS "trustId", t.name, w.subject, w.repository, w.ref, w.run_id AS "runId",
          u.id AS "userId", u.role, t.scopes, t.project_ids AS "projectIds", w.expires_at <= now() AS "isExpired"
     FROM workload_tokens w
     JOIN workload_trusts t ON t.organization_id = w.organization_id AND t.id = w.trust_id
     JOIN users u ON u.organization_id = w.organization_id AND u.id = t.user_id
    WHERE w.organization_id = $1 AND w.hash = $2`,
);
type PrincipalRow = Workload &
  Identity["access"] & {
    readonly id: string;
    readonly userId: string;
    readonly role: Role;
    readonly isExpired: boolean;
  };

export const workloadTrusts = {
  insert: async (tx: Transaction, trust: Omit<WorkloadTrust, "createdAt" | "lastUsedAt">) => {
    noteOwner(tx, trust.organizationId, "workload-trust", trust.id);
    const { organizationId, id, userId, name, issuer, audience, conditions } = trust;
    const values = [organizationId, id, userId, name, issuer, audience, JSON.stringify(conditions)];
    return (await tx.query(INSERT, [...values, trust.scopes, trust.projectIds]))[0];
  },
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  /** The request has only the id, which leads to the organization. */
  findOfAny: async (sql: Sql, id: string) => {
    const organizationId = await findOwner(sql, "workload-trust", id);
    return organizationId === null ? null : await workloadTrusts.find(sql, organizationId, id);
  },
  list: (sql: Sql, organizationId: string, page: Page): Promise<WorkloadTrust[]> =>
    sql.query(LIST[page.order], [organizationId, idBefore(page), page.limit + 1]),
  delete: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(DELETE, [organizationId, id]))[0] ?? null,
  /** @returns whether it is still there */
  noteUse: async (tx: Transaction, organizationId: string, id: string) =>
    (await tx.query(NOTE_USE, [organizationId, id])).length > 0,
};

export const workloadTokens = {
  insert: async (
    tx: Transaction,
    organizationId: string,
    token: Omit<Workload, "name"> & {
      readonly id: string;
      readonly hash: Uint8Array;
      readonly seconds: number;
    },
  ) => {
    const { id, trustId, hash, subject, repository, ref, runId, seconds } = token;
    const values = [organizationId, id, trustId, hash, subject, repository, ref, runId, seconds];
    return (await tx.query(INSERT_TOKEN, values))[0];
  },
  deleteOldest: (tx: Transaction, organizationId: string, trustId: string, kept: number) =>
    tx.send(DELETE_OLDEST, [organizationId, trustId, kept]),
  findPrincipal: async (
    sql: Sql,
    organizationId: string,
    hash: Uint8Array,
  ): Promise<Identity | "expired" | null> => {
    const [row] = await sql.query(FIND_PRINCIPAL, [organizationId, hash]);
    if (row === undefined) return null;
    const { id, userId, role, scopes, projectIds, isExpired, ...workload } = row;
    if (isExpired) return "expired";
    const credential = { kind: "workload", id, workload } as const;
    return { organizationId, userId, role, access: { scopes, projectIds }, credential };
  },
  /** @returns whether there may be more */
  prune: createPrune("workload_tokens_prune", "workload_tokens", "organization_id, id", "expires_at < now()"),
};
