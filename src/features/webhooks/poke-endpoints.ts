import type { Transaction } from "../../db/database.ts";
import { announceWork } from "../../jobs/jobs.ts";
import { endpoints, type Numbered } from "./endpoint-store.ts";

/** In the transaction that numbers events: pokes the endpoints that may get one of them, and no others. */
export async function pokeEndpoints(tx: Transaction, heads: readonly Numbered[]): Promise<void> {
  if (heads.length === 0) return;
  if ((await endpoints.pokeMatching(tx, heads)) > 0) announceWork(tx);
}
