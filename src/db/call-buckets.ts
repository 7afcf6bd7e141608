/**
 * Token buckets that all processes share. A bucket is stored as one instant: when it will be full again. Each token
 * that is taken moves this instant on by the time that a token takes to come back. So the turns of all processes follow
 * one another, and one statement both asks and takes (the generic cell rate algorithm, ITU-T I.371).
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { TokenBuckets } from "../lib/pace/token-bucket.ts";
import { type Database, writeStatement } from "./database.ts";

/**
 * `$2`: seconds that bring one token; `$3`: seconds that fill a bucket; `$4`: the longest wait. No row means that the
 * wait would be longer.
 */
const TAKE = writeStatement<{ waitSeconds: number }>(
  "call_buckets_take",
  `INSERT INTO call_buckets AS b (key, full_at) VALUES ($1, now() + $2::float8 * interval '1 second')
   ON CONFLICT (key) DO UPDATE SET full_at = greatest(b.full_at, now()) + $2::float8 * interval '1 second'
    WHERE b.full_at <= now() + ($3::float8 - $2::float8 + $4::float8) * interval '1 second'
   RETURNING (extract(epoch FROM full_at - now()) - $3::float8)::float8 AS "waitSeconds"`,
);

const EMPTY = writeStatement(
  "call_buckets_empty",
  `INSERT INTO call_buckets AS b (key, full_at) VALUES ($1, now() + $2::float8 * interval '1 second')
   ON CONFLICT (key) DO UPDATE SET full_at = greatest(b.full_at, excluded.full_at)`,
);

/** A full bucket means the same as a missing one. */
const PRUNE = writeStatement("call_buckets_prune", `DELETE FROM call_buckets WHERE full_at < now()`);

export function createCallBuckets(db: Database): TokenBuckets {
  return {
    async take(key, { perSecond, burst }, maxWaitMs) {
      const values = [key, 1 / perSecond, burst / perSecond, maxWaitMs / 1_000];
      const [taken] = await db.query(TAKE, values);
      if (taken === undefined) return false;
      if (taken.waitSeconds > 0) await sleep(taken.waitSeconds * 1_000);
      return true;
    },
    async empty(key, { perSecond, burst }) {
      await db.query(EMPTY, [key, burst / perSecond]);
    },
  };
}

/** @returns whether there may be more to remove */
export async function pruneCallBuckets(db: Database): Promise<boolean> {
  await db.query(PRUNE);
  return false;
}
