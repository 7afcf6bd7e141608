/**
 * What concerns the whole installation and no organization (`installation_facts`). Two facts keep a database from being
 * served by mistake: a copy into it that has not ended, and that the installation has moved away from it.
 */
import { type Database, readAsOwner, type Sql, writeStatement } from "./database.ts";
import { OperatorError } from "../lib/operator-error.ts";

export type Facts = {
  /** Rows are being copied into this database, or were when the copy ended early. */
  readonly unfinished: { readonly from: string; readonly move?: string };
  /** The installation continues in another database. `move` is the id of the move, which both databases have. */
  readonly moved: { readonly to: string; readonly move: string };
  /** Only programs that know this migration may run on the schema. `release` applied the newest migration. */
  readonly oldest: { readonly migration: string; readonly release: string };
  /** The last backup that `slipway backup verify` found whole. */
  readonly "backup-verified": { readonly file: string; readonly madeAt: string; readonly rows: number };
};

/** A database that must not be served. The message says why, and what the operator can do. */
export class UnusableDatabaseError extends OperatorError {
  override readonly name = "UnusableDatabaseError";
}

/** @throws UnusableDatabaseError when a copy into this database has not ended, or the installation moved away from it */
export async function refuseUnusable(db: Database): Promise<void> {
  if (!(await hasFacts(db))) return;
  const unfinished = await findFact(db, "unfinished");
  if (unfinished !== null) {
    throw new UnusableDatabaseError(
      `Rows are being copied into this database from ${unfinished.fact.from}, or a copy ended early (begun at ${unfinished.recordedAt.toISOString()}). Wait for it, or copy again into an empty database.`,
    );
  }
  const moved = await findFact(db, "moved");
  if (moved !== null) {
    throw new UnusableDatabaseError(
      `The installation moved from this database to ${moved.fact.to} at ${moved.recordedAt.toISOString()}. Set DATABASE_URL to the new one. To continue with this one instead, which knows nothing of what has happened since, run: slipway move --undo`,
    );
  }
}

/** Makes the table before the migrations do, for a database that is being filled. */
export async function makeFacts(db: Database): Promise<void> {
  await db.execute(
    `CREATE TABLE IF NOT EXISTS installation_facts (
       name text PRIMARY KEY, fact jsonb NOT NULL, recorded_at timestamptz NOT NULL DEFAULT now())`,
  );
}

/** Whether the database can have facts: one of an earlier release, or without a table, has none. */
export async function hasFacts(sql: Sql): Promise<boolean> {
  return (await sql.query(HAS_FACTS))[0]?.exists === true;
}

export async function findFact<Name extends keyof Facts>(
  sql: Sql,
  name: Name,
): Promise<{ readonly fact: Facts[Name]; readonly recordedAt: Date } | null> {
  const [found] = await sql.query(FIND, [name]);
  return found === undefined ? null : { fact: found.fact as Facts[Name], recordedAt: found.recordedAt };
}

export async function recordFact<Name extends keyof Facts>(
  sql: Sql,
  name: Name,
  fact: Facts[Name],
): Promise<void> {
  await sql.query(RECORD, [name, JSON.stringify(fact)]);
}

export async function removeFact(sql: Sql, name: keyof Facts): Promise<void> {
  await sql.query(REMOVE, [name]);
}

const HAS_FACTS = readAsOwner<{ exists: boolean }>(
  "installation_facts_exist",
  `SELECT to_regclass('installation_facts') IS NOT NULL AS "exists"`,
);
const FIND = readAsOwner<{ fact: unknown; recordedAt: Date }>(
  "installation_facts_find",
  `SELECT fact, recorded_at AS "recordedAt" FROM installation_facts WHERE name = $1`,
);
const RECORD = writeStatement(
  "installation_facts_record",
  `INSERT INTO installation_facts (name, fact, recorded_at) VALUES ($1, $2::jsonb, now())
   ON CONFLICT (name) DO UPDATE SET fact = excluded.fact, recorded_at = excluded.recorded_at`,
);
const REMOVE = writeStatement("installation_facts_remove", "DELETE FROM installation_facts WHERE name = $1");
