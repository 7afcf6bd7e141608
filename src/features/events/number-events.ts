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
 * @param onNumbered runs in the transaction that numbers, with what those organizations' events end at now
 */
export function numberEvents(
  db: Database,
  onNumbered: (tx: Transaction, heads: readonly Head[]) => Promise<void>,
): Sweep {
  return {
    name: "events without a number",
    isWoken: true,
    async run() {
      if (!(await events.hasUnnumbered(db))) return IDLE_REST_MS;
      const heads = await db.transaction(async (tx) => {
        events.addHeads(tx);
        const locked = await events.lockHeads(tx);
        if (locked.length === 0) return [];
        const numbered = await events.number(tx, locked);
        await onNumbered(tx, numbered);
        return numbered;
      });
      for (const { organizationId } of heads) announceChange(db, eventsOf(organizationId));
      // Nothing: another process has them.
      return heads.length === 0 ? NUMBER_REST_MS : 0;
    },
  };
}

/** While another process numbers, in ms. */
const NUMBER_REST_MS = 250;

const DAY_MS = 24 * 60 * 60_000;
/** How long events are kept. */
export const EVENTS_KEPT_DAYS = 30;

/** Removes what is older. @returns whether there may be more */
export async function pruneEvents(db: Database, now: Date): Promise<boolean> {
  return await events.prune(db, new Date(now.getTime() - EVENTS_KEPT_DAYS * DAY_MS));
}
