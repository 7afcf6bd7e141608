/**
 * How workers share the rows of `reconciliations`. A worker reads what is ready without a lock (`find-ready.ts`). It then
 * claims it in statements that match the number of the last claim. If several race for a row, one gets it and none waits.
 * A claim ends with the result of its last step, or when its worker has not extended it for `LEASE_SECONDS`. A result
 * under an older claim has no effect.
 *
 * Each statement that changes rows has those of one organization. In a distributed database they are on one node, which
 * can lock them; a statement over several nodes cannot skip a row that another transaction holds.
 */
import pLimit from "p-limit";
import { type Database, readAsOwner, writeStatement } from "../db/database.ts";
import { createFindReady, type Found, isAnyReady, type Pool } from "./find-ready.ts";
import { RANK } from "./jobs.ts";
import type { Room } from "./shares.ts";

/** A worker that has not extended its claims for this long counts as dead. Another then has its work within 15 s. */
export const LEASE_SECONDS = 10;
export const EXTEND_MS = 3_000;

export type Claim = {
  readonly organizationId: string;
  readonly kind: string;
  readonly id: string;
  /** Whose share of the workers it uses; null if it uses no cloud account. */
  readonly accountId: string | null;
  /** The number of this claim among all claims of the entity. */
  readonly number: number;
  /** How often it had been enqueued when it was claimed. */
  readonly pokes: number;
  /** How often its step has failed in a row. */
  readonly attempts: number;
  /** The trace that its work belongs to; null if it belongs to none. */
  readonly trace: string | null;
};

export type MadeReady = {
  /** How many were due; another worker may have made some of them ready. */
  readonly found: number;
  /** Also of rows whose notification was lost. */
  readonly isAnyReady: boolean;
  /** Until another row is due, in ms; null if none ever is. */
  readonly nextMs: number | null;
};

/** Makes rows ready that have become due, and rows whose worker counts as dead. */
export async function makeReady(db: Database, limit: number): Promise<MadeReady> {
  const [due, [seen]] = await Promise.all([db.query(FIND_DUE, [limit]), db.query(LOOK)]);
  const made = await forEachOrganization(due, (organizationId, rows) =>
    db.query(MAKE_READY, keysOf(organizationId, rows)),
  );
  return {
    found: due.length,
    isAnyReady: made.length > 0 || seen?.isAnyReady === true,
    nextMs: seen?.nextMs ?? null,
  };
}

/** Makes all claimed rows ready at once. Only for the start of a process that is the only possible worker. */
export async function takeOverClaims(db: Database): Promise<void> {
  await db.query(TAKE_OVER);
}

/** Claims what is ready of a pool. A process has one of it for each pool. */
export function createClaiming(
  db: Database,
  pool: Pool,
): (limit: number, room: Room) => Promise<readonly Claim[]> {
  const findReady = createFindReady(db, pool);
  return async (limit, room) => {
    const ready = await findReady(limit, room);
    return await forEachOrganization(ready, (organizationId, rows) =>
      db.query(TAKE, [...keysOf(organizationId, rows), LEASE_SECONDS]),
    );
  };
}

/** @returns the claims that were lost */
export async function extendClaims(db: Database, claims: readonly Claim[]): Promise<readonly Claim[]> {
  const kept = await forEachOrganization(claims, (organizationId, held) =>
    db.query(EXTEND, [...keysOf(organizationId, held), LEASE_SECONDS]),
  );
  return claims.filter(
    (claim) =>
      !kept.some(({ kind, id, number }) => kind === claim.kind && id === claim.id && number === claim.number),
  );
}

/** Returns what was claimed and not begun. */
export async function releaseClaims(db: Database, claims: readonly Claim[]): Promise<void> {
  await forEachOrganization(claims, (organizationId, held) =>
    db.query(RELEASE, keysOf(organizationId, held)),
  );
}

/** How many organizations' statements of a kind a process runs side by side. */
const AT_ONCE = 4;

/** Runs a statement for the rows of each organization. @returns what all of them returned */
export async function forEachOrganization<Row extends { readonly organizationId: string }, Result>(
  rows: readonly Row[],
  run: (organizationId: string, rows: readonly Row[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const groups = Map.groupBy(rows, ({ organizationId }) => organizationId);
  const results = await pLimit(AT_ONCE).map(groups, ([organizationId, members]) =>
    run(organizationId, members),
  );
  return results.flat();
}

/** The claims of an organization as a list for each column. */
export function keysOf(
  organizationId: string,
  claims: readonly Pick<Found, "kind" | "id" | "number">[],
): (string | string[] | number[])[] {
  return [
    organizationId,
    claims.map(({ kind }) => kind),
    claims.map(({ id }) => id),
    claims.map(({ number }) => number),
  ];
}

/**
 * Statements on rows of several entities skip rows that are locked. A process that stands still in a transaction holds
 * a row for up to eight seconds, and only that entity may wait for it.
 */
export const SKIP_HELD = "FOR UPDATE OF r SKIP LOCKED";

const FIND_DUE = readAsOwner<Pick<Found, "organizationId" | "kind" | "id" | "number">>(
  "reconciliations_find_due",
  `SELECT organization_id AS "organizationId", kind, entity_id AS id, claim AS number FROM reconciliations
    WHERE state <> 'ready' AND due_at <= now() ORDER BY due_at LIMIT $1`,
);

const LOOK = readAsOwner<Pick<MadeReady, "isAnyReady" | "nextMs">>(
  "reconciliations_look",
  `SELECT ${isAnyReady("work")} OR ${isAnyReady("deliveries")} AS "isAnyReady",
          (SELECT extract(epoch FROM min(due_at) - now()) * 1000 FROM reconciliations
            WHERE state <> 'ready' AND due_at > now())::float8 AS "nextMs"`,
);

const TAKE_OVER = writeStatement(
  "reconciliations_take_over",
  "UPDATE reconciliations SET state = 'ready', due_at = now() WHERE state = 'claimed'",
);

const HELD = `unnest($2::text[], $3::text[], $4::int[]) AS held(kind, entity_id, claim)`;
const IS_HELD = `r.organization_id = $1 AND r.kind = held.kind AND r.entity_id = held.entity_id AND r.claim = held.claim`;
/** Those of the given claims whose row is in a state, and not held by another transaction. */
const freeIf = (state: string): string => `free AS MATERIALIZED (
     SELECT r.kind, r.entity_id FROM ${HELD} JOIN reconciliations r ON ${IS_HELD}
      WHERE ${state} ${SKIP_HELD}
   )`;
const IS_FREE = "r.organization_id = $1 AND r.kind = free.kind AND r.entity_id = free.entity_id";

const MAKE_READY = writeStatement<{ id: string }>(
  "reconciliations_make_ready",
  `WITH ${freeIf("r.state <> 'ready' AND r.due_at <= now()")}
   UPDATE reconciliations r
      SET state = 'ready', rank = CASE WHEN r.state = 'claimed' THEN ${RANK.underWay} ELSE r.rank END
     FROM free WHERE ${IS_FREE} RETURNING r.entity_id AS id`,
);

const TAKE = writeStatement<Claim>(
  "reconciliations_take",
  `WITH ${freeIf("r.state = 'ready'")}
   UPDATE reconciliations r SET state = 'claimed', claim = r.claim + 1, due_at = now() + $5::float8 * interval '1 second'
     FROM free
    WHERE ${IS_FREE}
   RETURNING r.organization_id AS "organizationId", r.kind, r.entity_id AS id, r.aws_account_id AS "accountId",
             r.claim AS number, r.pokes, r.attempts, r.trace`,
);

/** Returns the claims that are not lost. A skipped row has time until the third try. */
const EXTEND = writeStatement<{ kind: string; id: string; number: number }>(
  "reconciliations_extend",
  `WITH ${freeIf("r.state = 'claimed'")}, extended AS (
     UPDATE reconciliations r SET due_at = now() + $5::float8 * interval '1 second' FROM free WHERE ${IS_FREE}
   )
   SELECT r.kind, r.entity_id AS id, r.claim AS number
     FROM ${HELD} JOIN reconciliations r ON ${IS_HELD} WHERE r.state = 'claimed'`,
);

const RELEASE = writeStatement(
  "reconciliations_release",
  `UPDATE reconciliations r SET state = 'ready', due_at = now() FROM ${HELD}
    WHERE ${IS_HELD} AND r.state = 'claimed'`,
);
