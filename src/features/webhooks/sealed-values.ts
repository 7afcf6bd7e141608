import type { Database } from "../../db/database.ts";
import type { SealedValue, SealedValues } from "../../sealing/reseal.ts";
import { type SealedRow, sealedRows } from "./sealed-store.ts";
import { headersIdentity, secretIdentity } from "./webhook-endpoint.ts";

/** The secrets and additional headers of all endpoints, for re-sealing after a key rotation. */
export function sealedValuesOfWebhooks(db: Database): SealedValues<SealedValue & SealedRow> {
  return {
    async listOthers(prefix, after, limit) {
      const rows = await sealedRows.listOthers(db, prefix, after, limit);
      return rows.map((row) => ({
        ...row,
        associated: row.kind === "headers" ? headersIdentity(row) : secretIdentity(row),
      }));
    },
    countOthers: (prefix) => sealedRows.countOthers(db, prefix),
    hasAny: (prefix) => sealedRows.hasAny(db, prefix),
    async replace(values) {
      await db.transaction(async (tx) => {
        for (const { value, sealed } of values) sealedRows.replace(tx, value, sealed);
      });
    },
  };
}
