import type { Database } from "../../db/database.ts";
import { attempts } from "./attempt-store.ts";
import { deliveries } from "./delivery-store.ts";

const DAY_MS = 86_400_000;
/** As long as events. */
export const ATTEMPTS_KEPT_DAYS = 30;
/** A shorter time, because receivers' answers may hold unexpected data. */
export const BODIES_KEPT_DAYS = 7;

/** Removes older attempts, deliveries and bodies. @returns whether there may be more */
export async function pruneWebhooks(db: Database, now: Date): Promise<boolean> {
  const before = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
  const more = [
    await deliveries.prune(db, before(ATTEMPTS_KEPT_DAYS)),
    await attempts.prune(db, before(ATTEMPTS_KEPT_DAYS)),
    await attempts.pruneBodies(db, before(BODIES_KEPT_DAYS)),
  ];
  return more.includes(true);
}
