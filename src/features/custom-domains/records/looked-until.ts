/**
 * Until when all looks at DNS records were made. Looks that find nothing new are not written; with this and the turn of
 * a record it is known when the last of them was (`lastLookAt`).
 */
import type { Database } from "../../../db/database.ts";
import { lookers } from "./looker-store.ts";

/** Workers report the time every five seconds. */
const KEPT_MS = 1_000;

export type LookedUntil = {
  /** At most a second old. Null if there never was a worker. */
  read(): Promise<Date | null>;
  /** The time that was read last, for transactions, which must not wait for another connection. */
  last(): Date | null;
};

export function createLookedUntil(db: Database): LookedUntil {
  let last: Date | null = null;
  let readAtMs = -Infinity;
  let reading: Promise<Date | null> | null = null;
  return {
    last: () => last,
    async read() {
      if (performance.now() - readAtMs < KEPT_MS) return last;
      reading ??= lookers.findLookedUntil(db).finally(() => {
        reading = null;
      });
      last = await reading;
      readAtMs = performance.now();
      return last;
    },
  };
}
