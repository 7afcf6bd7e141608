/** The sealed values of all organizations' webhook endpoints, for re-sealing after a key rotation. */
import { readAsOwner, type Sql, type Transaction, writeStatement } from "../../db/database.ts";

/** One value of an endpoint. `key` orders them. */
export type SealedRow = {
  readonly key: string;
  readonly organizationId: string;
  readonly id: string;
  readonly kind: "headers" | "previous" | "secret";
  readonly sealed: Uint8Array;
};

/** The values of an endpoint, one in each row. */
const VALUES = `LATERAL (VALUES ('secret', e.sealed_secret), ('previous', e.sealed_previous_secret),
       ('headers', e.sealed_headers)) AS v(kind, sealed)`;

const LIST_OTHERS = readAsOwner<SealedRow>(
  "webhook_endpoints_list_sealed_otherwise",
  `SELECT e.organization_id || '/' || e.id || '/' || v.kind AS key, e.organization_id AS "organizationId", e.id, v.kind,
          v.sealed
     FROM webhook_endpoints e, ${VALUES}
    WHERE substring(v.sealed FROM 1 FOR length($1::bytea)) <> $1
      AND (e.organization_id || '/' || e.id || '/' || v.kind) COLLATE "C" > $2
    ORDER BY (e.organization_id || '/' || e.id || '/' || v.kind) COLLATE "C" LIMIT $3`,
);

const COUNT_OTHERS = readAsOwner<{ count: number }>(
  "webhook_endpoints_count_sealed_otherwise",
  `SELECT count(*)::int AS count FROM webhook_endpoints e, ${VALUES} WHERE substring(v.sealed FROM 1 FOR length($1::bytea)) <> $1`,
);

const HAS_SEALED = readAsOwner<{ exists: boolean }>(
  "webhook_endpoints_has_sealed",
  `SELECT EXISTS (SELECT 1 FROM webhook_endpoints e, ${VALUES} WHERE substring(v.sealed FROM 1 FOR length($1::bytea)) = $1) AS "exists"`,
);

const REPLACE = writeStatement(
  "webhook_endpoints_replace_sealed",
  `UPDATE webhook_endpoints
      SET sealed_secret = CASE WHEN $3 = 'secret' AND sealed_secret = $4 THEN $5 ELSE sealed_secret END,
          sealed_previous_secret =
            CASE WHEN $3 = 'previous' AND sealed_previous_secret = $4 THEN $5 ELSE sealed_previous_secret END,
          sealed_headers = CASE WHEN $3 = 'headers' AND sealed_headers = $4 THEN $5 ELSE sealed_headers END
    WHERE organization_id = $1 AND id = $2`,
);

export const sealedRows = {
  listOthers: (sql: Sql, prefix: Uint8Array, after: string, limit: number) =>
    sql.query(LIST_OTHERS, [prefix, after, limit]),
  countOthers: async (sql: Sql, prefix: Uint8Array) =>
    (await sql.query(COUNT_OTHERS, [prefix]))[0]?.count ?? 0,
  hasAny: async (sql: Sql, prefix: Uint8Array) => (await sql.query(HAS_SEALED, [prefix]))[0]?.exists === true,
  /** Only if the value has not changed since it was read. */
  replace: (tx: Transaction, { organizationId, id, kind, sealed: before }: SealedRow, sealed: Uint8Array) =>
    tx.send(REPLACE, [organizationId, id, kind, before, sealed]),
};
