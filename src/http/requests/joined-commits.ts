/**
 * Requests that are committed together. Most of what a small write costs the database is the same for one and for
 * twenty: the beginning of its statements, and its commit. So what arrives for an organization while a commit of it is
 * under way goes together in the next one. A lone request waits for nothing.
 */
import { DatabaseError } from "../../db/database.ts";
import { AppError } from "../../lib/errors.ts";

/** How many go together at most: their rows stay locked until the last is written. */
const MOST_TOGETHER = 32;
/** How much they may change together, in keys. A single one may change more. */
const MOST_CHANGES = 500;
/** How long items wait for a running commit, which may itself wait for a lock, before another commit begins, in ms. */
const LONGEST_WAIT_MS = 20;
/** Commits under way at once for an organization; each takes a connection. */
const MOST_UNDER_WAY = 3;

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly changes: readonly string[];
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

type Lane<Item, Result> = {
  waiting: Waiting<Item, Result>[];
  underWay: number;
  /** Runs from the start of the last commit. When it fires, waiting items no longer wait for that commit. */
  patience: NodeJS.Timeout | null;
};

/**
 * @param commit carries out items of one organization in one transaction, and answers each in their order. If it is
 * refused, each item is carried out separately, so that a refused item does not fail the others.
 * @returns a function that commits an item, together with others of its organization that change other things
 */
export function createJoinedCommits<Item, Result>(
  commit: (items: readonly Item[]) => Promise<readonly Result[]>,
): (organizationId: string, changes: readonly string[], item: Item) => Promise<Result> {
  const lanes = new Map<string, Lane<Item, Result>>();

  async function carryOut(all: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await commit(all.map(({ item }) => item));
      for (const [index, { resolve }] of all.entries()) resolve(results[index] as Result);
    } catch (error) {
      // Only what was refused is known to have changed nothing.
      const isRefused = error instanceof AppError || error instanceof DatabaseError;
      if (all.length > 1 && isRefused) for (const one of all) await carryOut([one]);
      else for (const { reject } of all) reject(error);
    }
  }

  async function begin(organizationId: string, lane: Lane<Item, Result>): Promise<void> {
    lane.underWay += 1;
    clearTimeout(lane.patience ?? undefined);
    lane.patience = setTimeout(() => {
      lane.patience = null;
      beginIfLate(organizationId, lane);
    }, LONGEST_WAIT_MS);
    await carryOut(takeTogether(lane));
    lane.underWay -= 1;
    if (lane.waiting.length > 0) void begin(organizationId, lane);
    else if (lane.underWay === 0) {
      clearTimeout(lane.patience ?? undefined);
      lanes.delete(organizationId);
    }
  }

  function beginIfLate(organizationId: string, lane: Lane<Item, Result>): void {
    const hasRoom = lane.underWay > 0 && lane.underWay < MOST_UNDER_WAY;
    if (lane.patience === null && hasRoom && lane.waiting.length > 0) void begin(organizationId, lane);
  }

  return (organizationId, changes, item) =>
    new Promise((resolve, reject) => {
      let lane = lanes.get(organizationId);
      if (lane === undefined) {
        const made: Lane<Item, Result> = { waiting: [], underWay: 0, patience: null };
        lane = made;
        lanes.set(organizationId, made);
        // What arrives in the same turn of the event loop goes along.
        setImmediate(() => void begin(organizationId, made));
      }
      lane.waiting.push({ item, changes, resolve, reject });
      beginIfLate(organizationId, lane);
    });
}

/** Takes the items that go together. If two items change the same thing, the later item and all items after it stay. */
function takeTogether<Item, Result>(lane: Lane<Item, Result>): readonly Waiting<Item, Result>[] {
  const touched = new Set<string>();
  const taken: Waiting<Item, Result>[] = [];
  for (const one of lane.waiting) {
    const isFull = taken.length === MOST_TOGETHER || touched.size + one.changes.length > MOST_CHANGES;
    if (taken.length > 0 && (isFull || one.changes.some((change) => touched.has(change)))) break;
    for (const change of one.changes) touched.add(change);
    taken.push(one);
  }
  lane.waiting = lane.waiting.slice(taken.length);
  return taken;
}
