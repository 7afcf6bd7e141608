import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import {
  type Database,
  readAsOwner,
  readStatement,
  type Sql,
  type Transaction,
  writeStatement,
} from "../../db/database.ts";
import { mayHaveMore, PRUNE_BATCH } from "../../db/prune.ts";
import { AppError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import type { Fingerprint } from "../../sealing/fingerprint.ts";
import { Secret } from "../../sealing/secret.ts";
import type { Actor } from "../../lib/actor.ts";
import type { CookieChange } from "../session-cookie.ts";
import { canonicalJson } from "./canonical-json.ts";

/** An answer as it goes over the wire and into an idempotency record. */
export type Answer = {
  readonly status: number;
  readonly location: string | null;
  readonly body: string | null;
  /** Missing in most answers, and in those of earlier releases. */
  readonly session?: CookieChange;
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

/** How long a first answer is kept. */
export const ANSWERS_KEPT_HOURS = 24;

/**
 * Idempotency keys. The answer is saved in the transaction of its effect, so neither exists without the other. Refusals
 * change nothing and are not saved. Answers are stored sealed, because one may hold a new API key or a session's token. Of bodies, only a
 * keyed fingerprint of their canonical form is stored.
 *
 * A record belongs to one caller: the user of the request's credential, and what the credential is limited to. A user's
 * other key with the same limits, or a session after signing in again, gets the answer; a limited key must not get one
 * that it could not have made. The same key from another caller of the organization is a separate request. The first
 * caller's answer is stored under the key as sent, where processes of the release before look. Those of others are
 * stored under the key and the caller.
 */
export function createIdempotency(sealing: IdempotencySealing): {
  forRequest(request: FastifyRequest, actor: Actor): Once | null;
} {
  return {
    forRequest(request, actor) {
      const { organizationId } = actor;
      const caller = callerOf(actor);
      const key = request.headers["idempotency-key"];
      if (typeof key !== "string") return null;
      const of = [organizationId, request.method, request.url];
      const canonical = sealing.fingerprint([...of, "canonical", canonicalJson(request.body ?? null)]);
      const asSent = sealing.fingerprint([...of, request.rawBody?.toString("base64") ?? ""]);
      // A header cannot hold a line break, so this cannot be another request's key.
      const ownKey = `${key}\n${caller}`;
      const associatedOf = (storedKey: string) => ["idempotency", organizationId, storedKey];
      let storedKey = key;
      return {
        async find(sql) {
          const rows = await sql.query(FIND, [organizationId, [key, ownKey], ANSWERS_KEPT_HOURS]);
          const isTaken = rows.some((row) => row.caller !== null && row.caller !== caller);
          storedKey = isTaken ? ownKey : key;
          const row = rows.find((one) => one.caller === caller) ?? rows.find((one) => one.caller === null);
          if (row === undefined) return null;
          const isSame =
            row.canonicalFingerprint === null
              ? await asSent.matches((one) => one === row.fingerprint)
              : await canonical.matches((one) => one === row.canonicalFingerprint);
          if (!isSame) {
            throw new AppError(
              HTTP_ERRORS.IDEMPOTENCY_KEY_REUSED,
              "This Idempotency-Key was used with another request. Use a new key for a new request.",
            );
          }
          return JSON.parse(
            (await sealing.atRest.open(associatedOf(row.key), row.answer)).reveal(),
          ) as Answer;
        },
        async lock(tx) {
          const [row] = await tx.query(TRY_LOCK, [`${organizationId}/${key}`]);
          if (row?.isLocked === true) return;
          throw new AppError(
            HTTP_ERRORS.IDEMPOTENCY_KEY_IN_PROGRESS,
            "The first request with this Idempotency-Key is still running. Repeat it in a moment.",
            { retryAfterSeconds: 1 },
          );
        },
        async save(tx, answer) {
          const sealed = await sealing.atRest.seal(
            associatedOf(storedKey),
            new Secret(JSON.stringify(answer)),
          );
          tx.send(SAVE, [organizationId, storedKey, asSent.current(), sealed, caller, canonical.current()]);
        },
      };
    },
  };
}

/** The user, as processes of the release before write it, unless the credential is limited. */
function callerOf({ userId, access: { scopes, projectIds } }: Actor): string {
  if (scopes === null && projectIds === null) return userId;
  const limits = [scopes?.toSorted() ?? null, projectIds?.toSorted() ?? null];
  return `${userId} ${createHash("sha256").update(JSON.stringify(limits)).digest("base64url")}`;
}

/** Removes expired answers. @returns whether there may be more */
export async function pruneIdempotencyKeys(db: Database): Promise<boolean> {
  return mayHaveMore(await db.query(PRUNE, [ANSWERS_KEPT_HOURS, PRUNE_BATCH]));
}

/** Whether a kept answer is sealed with the at-rest key of this prefix. */
export async function hasAnswersSealedWith(db: Database, prefix: Uint8Array): Promise<boolean> {
  return (await db.query(HAS_SEALED, [prefix]))[0]?.exists === true;
}

const HAS_SEALED = readAsOwner<{ exists: boolean }>(
  "idempotency_has_sealed",
  `SELECT EXISTS (
     SELECT 1 FROM idempotency_keys WHERE substring(answer FROM 1 FOR length($1::bytea)) = $1) AS "exists"`,
);

type Kept = {
  readonly key: string;
  readonly fingerprint: string;
  readonly answer: Uint8Array;
  /** Whose answer it is, and the fingerprint of the request; null in records of the release before. */
  readonly caller: string | null;
  readonly canonicalFingerprint: string | null;
};

const FIND = readStatement<Kept>(
  "idempotency_find",
  `SELECT key, fingerprint, answer, caller, canonical_fingerprint AS "canonicalFingerprint" FROM idempotency_keys
    WHERE organization_id = $1 AND key = ANY($2::text[]) AND created_at > now() - $3::float8 * interval '1 hour'`,
);
const TRY_LOCK = writeStatement<{ isLocked: boolean }>(
  "idempotency_lock",
  `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "isLocked"`,
);
const SAVE = writeStatement(
  "idempotency_save",
  `INSERT INTO idempotency_keys (organization_id, key, fingerprint, answer, caller, canonical_fingerprint)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (organization_id, key)
   DO UPDATE SET fingerprint = excluded.fingerprint, answer = excluded.answer, caller = excluded.caller,
     canonical_fingerprint = excluded.canonical_fingerprint, created_at = excluded.created_at`,
);
const PRUNE = writeStatement<{ count: number }>(
  "idempotency_prune",
  `WITH pruned AS (
     DELETE FROM idempotency_keys WHERE (organization_id, key) IN (
       SELECT organization_id, key FROM idempotency_keys
        WHERE created_at < now() - $1::float8 * interval '1 hour' LIMIT $2)
        AND created_at < now() - $1::float8 * interval '1 hour'
     RETURNING key)
   SELECT count(key)::int AS count FROM pruned`,
);
