import { type Transaction, writeStatement } from "../db/database.ts";
import { announceWork, ENQUEUE_ON_CONFLICT, type EntityRef, RANK } from "./jobs.ts";

const ENQUEUE = writeStatement(
  "reconciliations_enqueue",
  `INSERT INTO reconciliations (organization_id, kind, entity_id, state, rank, due_at, pokes)
   VALUES ($1, $2, $3, 'ready', $4, now(), 1) ${ENQUEUE_ON_CONFLICT}`,
);

/** Like `Jobs.enqueue`, for a kind whose work uses no cloud account. */
export function enqueueWithoutAccount(
  tx: Transaction,
  kind: string,
  { organizationId, id }: EntityRef,
): void {
  announceWork(tx);
  tx.send(ENQUEUE, [organizationId, kind, id, RANK.new]);
}

/**
 * Enqueues an entity as part of another statement that finds out whether there is work. It sends no notification, so the
 * entity may be claimed a second later than after `enqueue`.
 * @param row what selects at most one row: organization, entity and the connection whose account the work goes to
 */
export function enqueueStatement(kind: string, row: string): string {
  return `INSERT INTO reconciliations (organization_id, kind, entity_id, state, rank, due_at, pokes, aws_account_id)
   SELECT entity.organization_id, '${kind}', entity.id, 'ready', ${RANK.new}, now(), 1, entity.aws_account_id
     FROM (${row}) AS entity(organization_id, id, aws_account_id)
   ${ENQUEUE_ON_CONFLICT}`;
}

/**
 * A column for the statement that reads an entity's state: how often it had been enqueued by then. The same snapshot has
 * everything that was committed with these enqueues.
 */
export const pokesOf = (kind: string, organizationId: string, id: string): string =>
  `(SELECT pokes FROM reconciliations p WHERE p.organization_id = ${organizationId} AND p.kind = '${kind}' AND p.entity_id = ${id}) AS pokes`;
