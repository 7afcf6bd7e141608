import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { createPrune, mayHaveMore, PRUNE_BATCH } from "../../db/prune.ts";
import type { Attempt, Trigger } from "./delivery.ts";

const LIST = readStatement<Attempt>(
  "webhook_attempts_list",
  `SELECT delivery_id AS "deliveryId", number, trigger, url, started_at AS "startedAt", ended_at AS "endedAt", address,
          dns_ms AS "dnsMs", connect_ms AS "connectMs", tls_ms AS "tlsMs", first_byte_ms AS "firstByteMs",
          total_ms AS "totalMs", status, response_headers AS "responseHeaders", response_body AS "responseBody",
          is_cut AS "isCut", error_code AS "errorCode", next_attempt_at AS "nextAttemptAt"
     FROM webhook_attempts WHERE organization_id = $1 AND delivery_id = $2 ORDER BY number DESC LIMIT $3`,
);

const BEGIN = writeStatement(
  "webhook_attempts_begin",
  `INSERT INTO webhook_attempts (organization_id, delivery_id, number, trigger, url, started_at)
   SELECT $1, b.id, b.attempts, b.trigger, $3, $4
     FROM jsonb_to_recordset($2::jsonb) AS b(id text, attempts int, trigger text)
   RETURNING number`,
);

/** The ids are also a parameter of their own, so that PostgreSQL reads no other attempts of the organization. */
const END = writeStatement(
  "webhook_attempts_end",
  `UPDATE webhook_attempts a
      SET started_at = e."startedAt", ended_at = e."endedAt", address = e.address, dns_ms = e."dnsMs",
          connect_ms = e."connectMs", tls_ms = e."tlsMs", first_byte_ms = e."firstByteMs", total_ms = e."totalMs",
          status = e.status, response_headers = e."responseHeaders", response_body = e."responseBody",
          is_cut = e."isCut", error_code = e."errorCode", next_attempt_at = e."nextAttemptAt"
     FROM jsonb_to_recordset($2::jsonb) AS e("deliveryId" text, number int, "startedAt" timestamptz,
          "endedAt" timestamptz, address text, "dnsMs" float8, "connectMs" float8, "tlsMs" float8, "firstByteMs" float8,
          "totalMs" float8, status int, "responseHeaders" jsonb, "responseBody" text, "isCut" boolean, "errorCode" text,
          "nextAttemptAt" timestamptz)
    WHERE a.organization_id = $1 AND a.delivery_id = ANY ($3::text[]) AND a.delivery_id = e."deliveryId"
      AND a.number = e.number`,
);

/** Of attempts that were not made after all. */
const DELETE = writeStatement(
  "webhook_attempts_delete",
  `DELETE FROM webhook_attempts a USING unnest($2::text[], $3::int[]) AS unmade(delivery_id, number)
    WHERE a.organization_id = $1 AND a.delivery_id = ANY ($2::text[]) AND a.delivery_id = unmade.delivery_id AND a.number = unmade.number`,
);

/** A sweep over all organizations. */
const PRUNE_BODIES = writeStatement<{ count: number }>(
  "webhook_attempts_prune_bodies",
  `WITH pruned AS (
     UPDATE webhook_attempts SET response_body = NULL WHERE (organization_id, delivery_id, number) IN (
       SELECT organization_id, delivery_id, number FROM webhook_attempts
        WHERE response_body IS NOT NULL AND started_at < $1 ORDER BY started_at LIMIT $2)
     RETURNING number)
   SELECT count(number)::int AS count FROM pruned`,
);

export const attempts = {
  list: (sql: Sql, organizationId: string, deliveryId: string, limit: number) =>
    sql.query(LIST, [organizationId, deliveryId, limit]),
  /** Written before they are sent. Fails for an attempt that another worker has begun. */
  begin: (
    tx: Transaction,
    organizationId: string,
    all: readonly { readonly id: string; readonly attempts: number; readonly trigger: Trigger }[],
    url: string,
    now: Date,
  ) => tx.send(BEGIN, [organizationId, JSON.stringify(all), url, now]),
  end: (tx: Transaction, organizationId: string, all: readonly Omit<Attempt, "url" | "trigger">[]) =>
    tx.send(END, [organizationId, JSON.stringify(all), all.map(({ deliveryId }) => deliveryId)]),
  delete: (
    tx: Transaction,
    organizationId: string,
    all: readonly { readonly id: string; readonly attempts: number }[],
  ) => tx.send(DELETE, [organizationId, all.map(({ id }) => id), all.map(({ attempts: number }) => number)]),
  prune: createPrune<[before: Date]>(
    "webhook_attempts_prune",
    "webhook_attempts",
    "organization_id, delivery_id, number",
    "started_at < $1 ORDER BY started_at",
  ),
  pruneBodies: async (sql: Sql, before: Date) =>
    mayHaveMore(await sql.query(PRUNE_BODIES, [before, PRUNE_BATCH])),
};
