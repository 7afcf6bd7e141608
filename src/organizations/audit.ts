import type { Actor } from "../actor.ts";
import type { Database, Transaction } from "../db/database.ts";
import { newId } from "../ids.ts";
import { auditEntries } from "./store.ts";

export { insertAuditEntry } from "./store.ts";

/** Noun and verb in the past. */
export type AuditAction = `${string}.${string}`;

/** Leaves who did what to which resource, in the transaction that does it; never a value. */
export function recordAudit(tx: Transaction, actor: Actor, action: AuditAction, resourceId: string): void {
  auditEntries.insert(tx, auditValuesOf(actor, action, resourceId));
}

/** The values of an entry, for a statement that leaves it itself (`insertAuditEntry`). */
export function auditValuesOf(actor: Actor, action: AuditAction, resourceId: string): readonly string[] {
  const { organizationId, userId, apiKeyId, requestId } = actor;
  const id = newId("audit");
  return auditEntries.valuesOf(organizationId, { id, userId, apiKeyId, action, resourceId, requestId });
}

const DAY_MS = 24 * 60 * 60_000;

/** Drops entries that are kept no longer. @returns whether there may be more */
export async function pruneAudit(db: Database, keptDays: number, now: Date): Promise<boolean> {
  return await auditEntries.prune(db, new Date(now.getTime() - keptDays * DAY_MS));
}
