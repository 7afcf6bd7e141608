/**
 * Token buckets that all processes share. A bucket is one instant: when it will be full again. Whoever takes
 * a token moves it on by what a token takes to come back, so that turns follow one another whoever asks, and
 * one statement both asks and takes (the generic cell rate algorithm, ITU-T I.371).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, writeStatement } from "./database.ts";

type Pace = { readonly perSecond: number; readonly burst: number };

export type CallBuckets = {
  /** Resolves when the call may be made; false at once when that would take longer than `maxWaitMs`. */
  take(key: string, pace: Pace, maxWaitMs: number): Promise<boolean>;
  /** The provider throttled: what was thought to be left is not. */
  empty(key: string, pace: Pace): Promise<void>;
};

/** `$2` seconds bring one token, `$3` a whole bucket; `$4` is the longest wait. No row: it would be longer. */
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

/** A full bucket says nothing that a missing one does not. */
const PRUNE = writeStatement("call_buckets_prune", `DELETE FROM call_buckets WHERE full_at < now()`);

export function createCallBuckets(db: Database): CallBuckets {
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

/** @returns false: nothing is left for at once */
export async function pruneCallBuckets(db: Database): Promise<boolean> {
  await db.query(PRUNE);
  return false;
}
