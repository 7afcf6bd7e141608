import type { ReconciledKind } from "./jobs.ts";

/**
 * Marks an entity as due now, as a part of another statement. The sweep queues it, a moment later than
 * `poke` would. For statements that only find out as they run whether there is work.
 * @param row a query that selects at most one row: organization, entity, and the connection whose account is used
 */
export function markDue(kind: ReconciledKind, row: string): string {
  return `INSERT INTO reconciliations (organization_id, kind, entity_id, due_at, pokes, is_awaited, aws_account_id)
   SELECT entity.organization_id, '${kind}', entity.id, now(), 1, true, entity.aws_account_id
     FROM (${row}) AS entity(organization_id, id, aws_account_id)
   ON CONFLICT (kind, entity_id) DO UPDATE
      SET due_at = excluded.due_at, attempts = 0, pokes = reconciliations.pokes + 1, is_awaited = true`;
}
