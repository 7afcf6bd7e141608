/**
 * Finds the rows that may be claimed, by rank and lane: the cloud account, or the organization if the work uses none.
 * The lanes of a rank are served in rotation: each search continues after the lane where the last one ended. It reads a few rows of
 * an index at a time and passes over the rest of a lane that has no room, so it costs the same however many are ready.
 */
import { type Database, readAsOwner } from "../db/database.ts";
import { RANK } from "./jobs.ts";
import { createRoomLeft, type Room } from "./shares.ts";

export type Found = {
  readonly organizationId: string;
  readonly kind: string;
  readonly id: string;
  /** The number of the last claim. */
  readonly number: number;
  readonly lane: string;
  readonly rank: number;
};

/**
 * The pools of a process's workers. Deliveries of webhooks and messages wait for receivers, many at once and for
 * seconds each, so they have slots of their own and take none of the rest.
 */
export type Pool = "work" | "deliveries";

/** Finds what is ready of a pool, lane by lane. It remembers where it ended, so a process has one of it for each pool. */
export function createFindReady(
  db: Database,
  pool: Pool,
): (limit: number, room: Room) => Promise<readonly Found[]> {
  const { inOrder, inReverse } = FIND[pool];
  /** The lane of each rank where the last search ended. */
  const ended = new Map<number, string>();
  let searches = 0;

  const search = async (limit: number, room: Room, isReverse: boolean): Promise<readonly Found[]> => {
    const ranks = isReverse ? RANKS.toReversed() : RANKS;
    const before = (rank: number): readonly number[] => ranks.slice(0, ranks.indexOf(rank));
    const left = createRoomLeft(room);
    const found: Found[] = [];
    const passed = new Map(ended);
    for (let count = limit + room.laneMax; ; count = Math.min(2 * count, MOST_READ)) {
      const lanes = RANKS.map((rank) => passed.get(rank) ?? "");
      const rows = await db.query(isReverse ? inReverse : inOrder, [...lanes, count]);
      for (const row of rows) {
        if (!left.take(row)) continue;
        found.push(row);
        if (found.length < limit) continue;
        for (const rank of before(row.rank)) ended.delete(rank);
        ended.set(row.rank, row.lane);
        return found;
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < count) {
        ended.clear();
        return found;
      }
      for (const rank of before(last.rank)) passed.set(rank, AFTER_ALL);
      passed.set(last.rank, last.lane);
    }
  };

  return async (limit, room) => {
    searches += 1;
    const isReverse = searches % REVERSE_EVERY === 0;
    const isFromStart = ended.size === 0;
    const found = await search(limit, room, isReverse);
    // Nothing follows the lane where the last search ended, so it begins again with the first.
    return found.length === 0 && !isFromStart ? await search(limit, room, isReverse) : found;
  };
}

const RANKS: readonly number[] = Object.values(RANK);
/** Every such search takes the ranks in reverse, so that routine checks are never starved. */
const REVERSE_EVERY = 8;
/** Rows that one statement reads where an organization without room has many. */
const MOST_READ = 1_000;
/** Follows every id. */
const AFTER_ALL = "~";

/** As the indexes have it. */
const IN_POOL: Readonly<Record<Pool, string>> = {
  work: "r.kind NOT IN ('webhook-endpoint', 'notification-channel')",
  deliveries: "r.kind IN ('webhook-endpoint', 'notification-channel')",
};
/** As the indexes have it. */
const LANE = `(coalesce(r.aws_account_id, r.organization_id) COLLATE "C")`;

/** The rows of a rank from the lane after `$n` on, the oldest of each lane first. */
const rowsOf = (
  pool: Pool,
  rank: number,
): string => `(SELECT r.organization_id AS "organizationId", r.kind, r.entity_id AS id,
            r.claim AS number, ${LANE} AS lane, ${rank} AS rank
       FROM reconciliations r
      WHERE r.state = 'ready' AND ${IN_POOL[pool]} AND r.rank = ${rank} AND ${LANE} > $${RANKS.indexOf(rank) + 1}
      ORDER BY ${LANE}, r.due_at LIMIT $4)`;

/** $1, $2, $3: the lane of each rank to continue after; $4: how many at most. */
const readyOf = (pool: Pool, ranks: readonly number[]): string =>
  `SELECT * FROM (${ranks.map((rank) => rowsOf(pool, rank)).join(" UNION ALL ")}) found LIMIT $4`;

const FIND_READY = readAsOwner<Found>("reconciliations_find_ready", readyOf("work", RANKS));
const FIND_READY_REVERSE = readAsOwner<Found>(
  "reconciliations_find_ready_reverse",
  readyOf("work", RANKS.toReversed()),
);
const FIND_READY_DELIVERIES = readAsOwner<Found>(
  "reconciliations_find_ready_deliveries",
  readyOf("deliveries", RANKS),
);
const FIND_READY_DELIVERIES_REVERSE = readAsOwner<Found>(
  "reconciliations_find_ready_deliveries_reverse",
  readyOf("deliveries", RANKS.toReversed()),
);
const FIND = {
  work: { inOrder: FIND_READY, inReverse: FIND_READY_REVERSE },
  deliveries: { inOrder: FIND_READY_DELIVERIES, inReverse: FIND_READY_DELIVERIES_REVERSE },
};

/** Whether any row of a pool is ready. */
export const isAnyReady = (pool: Pool): string =>
  `EXISTS (SELECT 1 FROM reconciliations r WHERE r.state = 'ready' AND ${IN_POOL[pool]})`;
