/** The sealed values of all organizations' git integrations, for re-sealing after a key rotation. */
import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";

/** One value of an integration. `key` orders them. */
export type SealedRow = {
  readonly key: string;
  readonly organizationId: string;
  readonly id: string;
  readonly kind: "hook" | "token";
  readonly sealed: Uint8Array;
};

/** The values of integrations, one in each row, without values that a given key sealed. */
const LIST_OTHERS = readStatement<SealedRow>(
  "git_integrations_list_sealed_otherwise",
  `SELECT g.organization_id || '/' || g.id || '/' || v.kind AS key, g.organization_id AS "organizationId", g.id, v.kind,
          v.sealed
     FROM git_integrations g, LATERAL (VALUES ('token', g.sealed_token), ('hook', g.sealed_hook_secret)) AS v(kind, sealed)
    WHERE substring(v.sealed FROM 1 FOR length($1::bytea)) <> $1
      AND (g.organization_id || '/' || g.id || '/' || v.kind) COLLATE "C" > $2
    ORDER BY (g.organization_id || '/' || g.id || '/' || v.kind) COLLATE "C" LIMIT $3`,
);

const COUNT_OTHERS = readStatement<{ count: number }>(
  "git_integrations_count_sealed_otherwise",
  `SELECT count(*)::int AS count
     FROM git_integrations g, LATERAL (VALUES ('token', g.sealed_token), ('hook', g.sealed_hook_secret)) AS v(kind, sealed)
    WHERE substring(v.sealed FROM 1 FOR length($1::bytea)) <> $1`,
);

const HAS_SEALED = readStatement<{ exists: boolean }>(
  "git_integrations_has_sealed",
  `SELECT EXISTS (
     SELECT 1 FROM git_integrations g, LATERAL (VALUES ('token', g.sealed_token), ('hook', g.sealed_hook_secret)) AS v(kind, sealed)
      WHERE substring(v.sealed FROM 1 FOR length($1::bytea)) = $1) AS "exists"`,
);

const REPLACE_TOKEN = writeStatement(
  "git_integrations_replace_sealed_token",
  `UPDATE git_integrations SET sealed_token = $4 WHERE organization_id = $1 AND id = $2 AND sealed_token = $3`,
);

const REPLACE_HOOK_SECRET = writeStatement(
  "git_integrations_replace_sealed_hook_secret",
  `UPDATE git_integrations SET sealed_hook_secret = $4
    WHERE organization_id = $1 AND id = $2 AND sealed_hook_secret = $3`,
);

export const sealedRows = {
  listOthers: (sql: Sql, prefix: Uint8Array, after: string, limit: number) =>
    sql.query(LIST_OTHERS, [prefix, after, limit]),
  countOthers: async (sql: Sql, prefix: Uint8Array) =>
    (await sql.query(COUNT_OTHERS, [prefix]))[0]?.count ?? 0,
  hasAny: async (sql: Sql, prefix: Uint8Array) => (await sql.query(HAS_SEALED, [prefix]))[0]?.exists === true,
  /** Only if the value has not changed since it was read. */
  replace: (tx: Transaction, row: SealedRow, sealed: Uint8Array) =>
    tx.send(row.kind === "token" ? REPLACE_TOKEN : REPLACE_HOOK_SECRET, [
      row.organizationId,
      row.id,
      row.sealed,
      sealed,
    ]),
};
