import type { Database } from "../../db/database.ts";
import type { SealedValue, SealedValues } from "../../sealing/reseal.ts";
import { hookIdentity, tokenIdentity } from "./git-integration.ts";
import { type SealedRow, sealedRows } from "./store.ts";

/** The tokens and hook secrets of all integrations, for re-sealing after a key rotation. */
export function sealedValuesOfIntegrations(db: Database): SealedValues<SealedValue & SealedRow> {
  return {
    async listOthers(prefix, after, limit) {
      const rows = await sealedRows.listOthers(db, prefix, after, limit);
      return rows.map((row) => ({
        ...row,
        associated: row.kind === "token" ? tokenIdentity(row) : hookIdentity(row),
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
