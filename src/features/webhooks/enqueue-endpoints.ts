import type { Transaction } from "../../db/database.ts";
import { announceWork } from "../../jobs/jobs.ts";
import { endpoints, type Numbered } from "./endpoint-store.ts";

/** In the transaction that numbers events: enqueues the endpoints that may get one of them, and no others. */
export async function enqueueEndpoints(tx: Transaction, head: Numbered): Promise<void> {
  if ((await endpoints.enqueueMatching(tx, head)) > 0) announceWork(tx);
}
