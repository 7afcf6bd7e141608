import pLimit from "p-limit";
import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Sweep } from "../../jobs/sweep.ts";
import { events, type Head } from "./store.ts";

/** So late is an event numbered whose announcement was lost, as when its process dies right after the commit, in ms. */
const IDLE_REST_MS = 5_000;

/** What readers of an organization's events watch. */
export const eventsOf = (organizationId: string): string => `${organizationId}/events`;

/**
 * Numbers committed events. Workers share the work: one at a time numbers the events of an organization.
 * @param onNumbered runs in the transaction that numbers, with what the organization's events end at now
 */
export function sequenceEvents(
  db: Database,
  onNumbered: (tx: Transaction, head: Head) => Promise<void>,
): Sweep {
  return {
    name: "events without a number",
    isWoken: true,
    async run() {
      const waiting = await events.listUnnumbered(db);
      if (waiting.length === 0) return IDLE_REST_MS;
      const limit = pLimit(AT_ONCE);
      const numbered = await limit.map(waiting, (organizationId) => number(db, organizationId, onNumbered));
      // Otherwise another process has them.
      return numbered.some(Boolean) ? 0 : NUMBER_REST_MS;
    },
  };
}

/** Of one organization: in a distributed database, all of it is on one node. */
async function number(
  db: Database,
  organizationId: string,
  onNumbered: (tx: Transaction, head: Head) => Promise<void>,
): Promise<boolean> {
  const head = await db.transaction(async (tx) => {
    if (!(await events.lockHead(tx, organizationId))) return null;
    const found = await events.number(tx, organizationId);
    if (found !== null) await onNumbered(tx, found);
    return found;
  });
  if (head !== null) announceChange(db, eventsOf(organizationId));
  return head !== null;
}

/** How many organizations' events a process numbers side by side. */
const AT_ONCE = 4;
/** While another process numbers, in ms. */
const NUMBER_REST_MS = 250;

const DAY_MS = 24 * 60 * 60_000;
/** How long events are kept. */
export const EVENTS_KEPT_DAYS = 30;

/** Removes what is older. @returns whether there may be more */
export async function pruneEvents(db: Database, now: Date): Promise<boolean> {
  return await events.prune(db, new Date(now.getTime() - EVENTS_KEPT_DAYS * DAY_MS));
}
