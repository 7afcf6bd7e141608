/**
 * Up to when all checks of DNS records were made. Checks that find nothing new are not written; this and the slot of a
 * record say when the last of them was (`lastCheckedAt`).
 */
import type { Database, Sql } from "../../../db/database.ts";
import { dnsRecords } from "./dns-record-store.ts";

/** Workers report the time every five seconds. */
const KEPT_MS = 1_000;

export type CheckedThrough = {
  /**
   * At most a second old. Null if there never was a worker. For a transaction, such as of a change with If-Match, the
   * time that was read last.
   */
  read(sql: Sql): Promise<Date | null>;
  /** The time that was read last, for transactions, which must not wait for another connection. */
  last(): Date | null;
};

export function createCheckedThrough(db: Database): CheckedThrough {
  let last: Date | null = null;
  let readAtMs = -Infinity;
  let reading: Promise<Date | null> | null = null;
  return {
    last: () => last,
    async read(sql) {
      if (sql !== db || performance.now() - readAtMs < KEPT_MS) return last;
      reading ??= dnsRecords.findCheckedThrough(db).finally(() => {
        reading = null;
      });
      last = await reading;
      readAtMs = performance.now();
      return last;
    },
  };
}
