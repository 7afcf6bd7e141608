/**
 * How workers share the rows of `reconciliations`. A worker reads what is ready without a lock. It then claims it in
 * one statement that matches the number of the last claim. If several race for a row, one gets it and none waits.
 * A claim ends with the result of its turn, or when its worker has not extended it for `LEASE_SECONDS`. A result
 * under an older claim has no effect.
 *
 * Ready rows are found by rank and lane: the cloud account, or the organization if the work uses none. The lanes of
 * a rank take turns: each claim continues after the lane where the last one ended, with one index lookup a lane. So a
 * claim costs the same however many rows are ready, and skips a lane without room without reading its rows.
 */
import { type Database, readStatement, writeStatement } from "../db/database.ts";
import { RANK, type ReconciledKind, RECONCILED_KINDS } from "./jobs.ts";
import type { Room } from "./shares.ts";

/** A worker that has not extended its claims for this long counts as dead. Another then has its work within 15 s. */
export const LEASE_SECONDS = 10;
export const EXTEND_MS = 3_000;

export type Claim = {
  readonly organizationId: string;
  readonly kind: ReconciledKind;
  readonly id: string;
  /** Whose share of the workers it uses; null if it uses no cloud account. */
  readonly accountId: string | null;
  /** The number of this claim among all claims of the entity. */
  readonly number: number;
  /** How often it had been poked when it was claimed. */
  readonly pokes: number;
  /** How often its step has failed in a row. */
  readonly attempts: number;
};

export type MadeReady = {
  readonly made: number;
  /** Also of rows whose notification was lost. */
  readonly isAnyReady: boolean;
  /** Until another row is due, in ms; null if none ever is. */
  readonly nextMs: number | null;
};

/** Makes rows ready that have become due, and those whose worker is gone. */
export async function makeReady(db: Database, limit: number): Promise<MadeReady> {
  const [row] = await db.query(MAKE_READY, [limit]);
  return row ?? { made: 0, isAnyReady: false, nextMs: null };
}

/** Makes all claimed rows ready at once. Only for the start of a process that is the only possible worker. */
export async function takeOverClaims(db: Database): Promise<void> {
  await db.query(TAKE_OVER);
}

/**
 * The pools of a process's workers. Deliveries of webhooks wait for receivers, many at once and for seconds each, so they
 * have slots of their own and take none of the rest.
 */
export type Pool = "work" | "deliveries";

/** Claims what is ready of a pool, lane by lane. It remembers where it ended, so a process has one of it for each pool. */
export function createClaiming(
  db: Database,
  pool: Pool,
): (limit: number, room: Room) => Promise<readonly Claim[]> {
  const { inOrder, inReverse } = FIND[pool];
  const cursors = new Map<number, string>();
  const cursorsOf = (ranks: readonly number[]): string[] => ranks.map((rank) => cursors.get(rank) ?? "");
  let turn = 0;
  const find = async (limit: number, room: Room): Promise<readonly Found[]> => {
    turn += 1;
    const isReverse = turn % REVERSE_EVERY === 0;
    const found = await db.query(isReverse ? inReverse : inOrder, [
      ...cursorsOf(RANKS),
      limit,
      room.laneMax,
      room.lanes,
      room.laneRooms,
      room.organizationMax,
      room.organizations,
      room.organizationRooms,
    ]);
    let left = limit;
    for (const rank of isReverse ? RANKS.toReversed() : RANKS) {
      const lanes = found.filter((row) => row.rank === rank).map(({ lane }) => lane);
      if (left > 0) cursors.set(rank, lanes.length < left ? "" : (lanes.at(-1) ?? ""));
      left -= lanes.length;
    }
    return found;
  };
  return async (limit, room) => {
    const hasPassed = cursorsOf(RANKS).some((cursor) => cursor !== "");
    let found = await find(limit, room);
    // Nothing follows the lane where the last claim ended, so it begins again with the first.
    if (found.length === 0 && hasPassed) found = await find(limit, room);
    if (found.length === 0) return [];
    const taken = await db.query(TAKE, [...keysOf(found), LEASE_SECONDS]);
    return taken.filter(isKnown);
  };
}

/** @returns the claims that were lost */
export async function extendClaims(db: Database, claims: readonly Claim[]): Promise<readonly Claim[]> {
  const kept = await db.query(EXTEND, [...keysOf(claims), LEASE_SECONDS]);
  return claims.filter(
    (claim) =>
      !kept.some(({ kind, id, number }) => kind === claim.kind && id === claim.id && number === claim.number),
  );
}

/** Returns what was claimed and not begun. */
export async function releaseClaims(db: Database, claims: readonly Claim[]): Promise<void> {
  if (claims.length > 0) await db.query(RELEASE, keysOf(claims));
}

/** The claims as a list for each column. */
export function keysOf(
  claims: readonly Pick<Found, "organizationId" | "kind" | "id" | "number">[],
): (string[] | number[])[] {
  return [
    claims.map(({ organizationId }) => organizationId),
    claims.map(({ kind }) => kind),
    claims.map(({ id }) => id),
    claims.map(({ number }) => number),
  ];
}

function isKnown(claim: Omit<Claim, "kind"> & { readonly kind: string }): claim is Claim {
  return RECONCILED_KINDS.some((known) => known === claim.kind);
}

const RANKS: readonly number[] = Object.values(RANK);
/** Every such claim takes the ranks in reverse, so that routine checks are never starved. */
const REVERSE_EVERY = 8;

/**
 * Statements on rows of several entities skip rows that are locked. A process that stands still in a transaction holds
 * a row for up to eight seconds, and only that entity may wait for it.
 */
export const SKIP_HELD = "FOR UPDATE OF r SKIP LOCKED";

/** As the indexes have it. */
const IN_POOL: Readonly<Record<Pool, string>> = {
  work: "r.kind <> 'webhook-endpoint'",
  deliveries: "r.kind = 'webhook-endpoint'",
};

const MAKE_READY = writeStatement<MadeReady>(
  "reconciliations_make_ready",
  `WITH due AS MATERIALIZED (
     SELECT r.kind, r.entity_id FROM reconciliations r
      WHERE r.state <> 'ready' AND r.due_at <= now() ORDER BY r.due_at LIMIT $1 ${SKIP_HELD}
   ), made AS (
     UPDATE reconciliations r
        SET state = 'ready', rank = CASE r.state WHEN 'claimed' THEN ${RANK.underWay} ELSE r.rank END
       FROM due WHERE r.kind = due.kind AND r.entity_id = due.entity_id
     RETURNING 1
   )
   SELECT (SELECT count(*) FROM made)::int AS made,
          EXISTS (SELECT 1 FROM made) OR EXISTS (SELECT 1 FROM reconciliations r WHERE r.state = 'ready' AND ${IN_POOL.work})
            OR EXISTS (SELECT 1 FROM reconciliations r WHERE r.state = 'ready' AND ${IN_POOL.deliveries}) AS "isAnyReady",
          (SELECT extract(epoch FROM min(due_at) - now()) * 1000 FROM reconciliations
            WHERE state <> 'ready' AND due_at > now())::float8 AS "nextMs"`,
);

const TAKE_OVER = writeStatement(
  "reconciliations_take_over",
  "UPDATE reconciliations SET state = 'ready', due_at = now() WHERE state = 'claimed'",
);

/** As the indexes have it. */
const LANE = `(coalesce(r.aws_account_id, r.organization_id) COLLATE "C")`;

/** The lanes of a rank that have ready rows, from the one after `cursor`; one index lookup each. */
const lanesOf = (pool: Pool, rank: number, cursor: string): string => `lanes_${rank} AS (
     (SELECT ${LANE} AS lane, r.organization_id FROM reconciliations r
       WHERE r.state = 'ready' AND ${IN_POOL[pool]} AND r.rank = ${rank} AND ${LANE} > ${cursor} ORDER BY ${LANE} LIMIT 1)
     UNION ALL
     SELECT following.lane, following.organization_id
       FROM lanes_${rank} l CROSS JOIN LATERAL (
         SELECT ${LANE} AS lane, r.organization_id FROM reconciliations r
          WHERE r.state = 'ready' AND ${IN_POOL[pool]} AND r.rank = ${rank} AND ${LANE} > l.lane ORDER BY ${LANE} LIMIT 1) following
   )`;

/** The oldest rows of each lane, as many as there is room for. */
const headsOf = (pool: Pool, rank: number): string => `(SELECT head.*, l.lane, ${rank} AS rank
       FROM lanes_${rank} l CROSS JOIN LATERAL (
         SELECT r.organization_id AS "organizationId", r.kind, r.entity_id AS id, r.claim AS number
           FROM reconciliations r
          WHERE r.state = 'ready' AND ${IN_POOL[pool]} AND r.rank = ${rank} AND ${LANE} = l.lane ORDER BY r.due_at
          LIMIT least(coalesce((SELECT room FROM held_lanes h WHERE h.holder = l.lane), $5),
                      coalesce((SELECT room FROM held_organizations h WHERE h.holder = l.organization_id), $8))) head)`;

type Found = {
  readonly organizationId: string;
  readonly kind: string;
  readonly id: string;
  readonly number: number;
  readonly lane: string;
  readonly rank: number;
};

/** $1, $2, $3: the ranks' cursors; $4: how many at most; from $5: `Room`. */
const readyIn = (pool: Pool): string => `held_lanes AS (
     SELECT * FROM unnest($6::text[], $7::int[]) AS held(holder, room)
   ), held_organizations AS (
     SELECT * FROM unnest($9::text[], $10::int[]) AS held(holder, room)
   ), ${RANKS.map((rank, index) => lanesOf(pool, rank, `$${index + 1}`)).join(", ")}`;
const firstFirst = (pool: Pool): string => RANKS.map((rank) => headsOf(pool, rank)).join(" UNION ALL ");
const lastFirst = (pool: Pool): string =>
  RANKS.toReversed()
    .map((rank) => headsOf(pool, rank))
    .join(" UNION ALL ");

const FIND_READY = readStatement<Found>(
  "reconciliations_find_ready",
  `WITH RECURSIVE ${readyIn("work")} SELECT * FROM (${firstFirst("work")}) found LIMIT $4`,
);
const FIND_READY_REVERSE = readStatement<Found>(
  "reconciliations_find_ready_reverse",
  `WITH RECURSIVE ${readyIn("work")} SELECT * FROM (${lastFirst("work")}) found LIMIT $4`,
);
const FIND_READY_DELIVERIES = readStatement<Found>(
  "reconciliations_find_ready_deliveries",
  `WITH RECURSIVE ${readyIn("deliveries")} SELECT * FROM (${firstFirst("deliveries")}) found LIMIT $4`,
);
const FIND_READY_DELIVERIES_REVERSE = readStatement<Found>(
  "reconciliations_find_ready_deliveries_reverse",
  `WITH RECURSIVE ${readyIn("deliveries")} SELECT * FROM (${lastFirst("deliveries")}) found LIMIT $4`,
);
const FIND = {
  work: { inOrder: FIND_READY, inReverse: FIND_READY_REVERSE },
  deliveries: { inOrder: FIND_READY_DELIVERIES, inReverse: FIND_READY_DELIVERIES_REVERSE },
};

const HELD = `unnest($1::text[], $2::text[], $3::text[], $4::int[]) AS held(organization_id, kind, entity_id, claim)`;
const IS_HELD = `r.organization_id = held.organization_id AND r.kind = held.kind AND r.entity_id = held.entity_id
      AND r.claim = held.claim`;
/** Those of the given claims whose row has the state, and no other transaction. */
const freeIn = (state: string): string => `free AS MATERIALIZED (
     SELECT r.organization_id, r.kind, r.entity_id FROM ${HELD} JOIN reconciliations r ON ${IS_HELD}
      WHERE r.state = '${state}' ${SKIP_HELD}
   )`;
const IS_FREE =
  "r.organization_id = free.organization_id AND r.kind = free.kind AND r.entity_id = free.entity_id";

const TAKE = writeStatement<Omit<Claim, "kind"> & { readonly kind: string }>(
  "reconciliations_take",
  `WITH ${freeIn("ready")}
   UPDATE reconciliations r SET state = 'claimed', claim = r.claim + 1, due_at = now() + $5::float8 * interval '1 second'
     FROM free
    WHERE ${IS_FREE}
   RETURNING r.organization_id AS "organizationId", r.kind, r.entity_id AS id, r.aws_account_id AS "accountId",
             r.claim AS number, r.pokes, r.attempts`,
);

/** Returns those that are not lost. A row that was skipped has time until the third try. */
const EXTEND = writeStatement<{ kind: string; id: string; number: number }>(
  "reconciliations_extend",
  `WITH ${freeIn("claimed")}, extended AS (
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
