import type { FastifyRequest } from "fastify";
import { statement, type Database, type Sql, type Transaction } from "../db/database.ts";
import { mayHaveMore, PRUNE_BATCH } from "../db/prune.ts";
import { AppError } from "../errors.ts";
import type { AtRestSealing } from "../sealing/at-rest.ts";
import type { Fingerprint } from "../sealing/fingerprint.ts";
import { Secret } from "../sealing/secret.ts";
import type { Actor } from "../actor.ts";

/** An answer as it goes over the wire and into an idempotency record. */
export type Answer = {
  readonly status: number;
  readonly location: string | null;
  readonly body: string | null;
};

export type IdempotencySealing = { readonly atRest: AtRestSealing; readonly fingerprint: Fingerprint };

/** One request that carries an Idempotency-Key. */
export interface Once {
  /** The first answer, if there is one. @throws AppError `IDEMPOTENCY_KEY_REUSED` */
  find(sql: Sql): Promise<Answer | null>;
  /** Holds the key until the transaction ends. @throws AppError `IDEMPOTENCY_KEY_IN_PROGRESS` */
  lock(tx: Transaction): Promise<void>;
  save(tx: Transaction, answer: Answer): Promise<void>;
}

/** For how long a first answer is kept. */
const KEPT_HOURS = 24;

/**
 * Idempotency keys. The answer is saved in the transaction of its effect, so neither exists without
 * the other; refusals change nothing and are not saved. Answers rest sealed, for one may hold a new
 * API key, and bodies only as a keyed fingerprint.
 */
export function createIdempotency(sealing: IdempotencySealing): {
  forRequest(request: FastifyRequest, actor: Actor): Once | null;
} {
  return {
    forRequest(request, { organizationId }) {
      const key = request.headers["idempotency-key"];
      if (typeof key !== "string") return null;
      const body = request.rawBody?.toString("base64") ?? "";
      const fingerprint = sealing.fingerprint([organizationId, request.method, request.url, body]);
      const associated = ["idempotency", organizationId, key];
      return {
        async find(sql) {
          const [row] = await sql.query(FIND, [organizationId, key, KEPT_HOURS]);
          if (row === undefined) return null;
          if (row.fingerprint !== fingerprint) {
            throw new AppError(
              "IDEMPOTENCY_KEY_REUSED",
              "This Idempotency-Key was used with another request. Use a new key for a new request.",
            );
          }
          return JSON.parse((await sealing.atRest.open(associated, row.answer)).reveal()) as Answer;
        },
        async lock(tx) {
          const [row] = await tx.query(TRY_LOCK, [`${organizationId}/${key}`]);
          if (row?.isLocked === true) return;
          throw new AppError(
            "IDEMPOTENCY_KEY_IN_PROGRESS",
            "The first request with this Idempotency-Key is still running. Repeat it in a moment.",
            { retryAfterSeconds: 1 },
          );
        },
        async save(tx, answer) {
          const sealed = await sealing.atRest.seal(associated, new Secret(JSON.stringify(answer)));
          tx.send(SAVE, [organizationId, key, fingerprint, sealed]);
        },
      };
    },
  };
}

/** Drops answers that are kept no longer. @returns whether there may be more */
export async function pruneIdempotencyKeys(db: Database): Promise<boolean> {
  return mayHaveMore(await db.query(PRUNE, [KEPT_HOURS, PRUNE_BATCH]));
}

const FIND = statement<{ fingerprint: string; answer: Uint8Array }>(
  "idempotency_find",
  `SELECT fingerprint, answer FROM idempotency_keys
    WHERE organization_id = $1 AND key = $2 AND created_at > now() - $3::float8 * interval '1 hour'`,
);
const TRY_LOCK = statement<{ isLocked: boolean }>(
  "idempotency_lock",
  `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "isLocked"`,
);
const SAVE = statement(
  "idempotency_save",
  `INSERT INTO idempotency_keys (organization_id, key, fingerprint, answer) VALUES ($1, $2, $3, $4)
   ON CONFLICT (organization_id, key)
   DO UPDATE SET fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = now()`,
);
const PRUNE = statement<{ count: number }>(
  "idempotency_prune",
  `WITH pruned AS (
     DELETE FROM idempotency_keys WHERE (organization_id, key) IN (
       SELECT organization_id, key FROM idempotency_keys
        WHERE created_at < now() - $1::float8 * interval '1 hour' LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING key)
   SELECT count(key)::int AS count FROM pruned`,
);
