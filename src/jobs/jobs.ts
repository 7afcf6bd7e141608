/**
 * Reconciling is level-triggered. A job only names an entity. The reconciler reads the current state, decides,
 * takes one step and says when to check again. Creations, retries, crashes and timers
 * all take this one path.
 *
 * Two tables are involved. `reconciliations` (ours) has a row for each entity with work ahead, which says
 * when it is due; millions may wait there at no cost. pg-boss only holds what is due now: it
 * gives a job to one worker, watches its heartbeat, and gives it to another if that worker dies.
 * Keeping waiting entities in pg-boss too was rejected: each of its fetches scans all waiting jobs.
 */
import { type Sql, type Transaction, writeStatement } from "../db/database.ts";

export const RECONCILED_KINDS = [
  "aws-account",
  "deployment",
  "distribution",
  "domain-certificate-group",
  "environment-deployments",
  "environment-removal",
  "project-removal",
  "service-removal",
  "variable-scope",
] as const;
export type ReconciledKind = (typeof RECONCILED_KINDS)[number];

export type EntityRef = { readonly organizationId: string; readonly id: string };

/**
 * What comes next for an entity after a step:
 *
 * - `done`: nothing.
 * - `runAfterMs`: the next step is due then; 0 means at once.
 * - `next`: the next step is due at once. This function takes it with what was just learned, without asking the
 *   cloud again. It exists only in this process. If the process dies, or the entity's turn is over, the next step is
 *   the reconciler's own, which costs a few calls and loses nothing.
 *
 * A step that throws is retried after a backoff.
 */
export type ReconcileResult =
  | "done"
  | { readonly runAfterMs: number }
  | { readonly next: (signal: AbortSignal) => Promise<ReconcileResult> };

/**
 * Takes one step of an entity and says what comes next. It is safe to repeat, and to call when there is nothing
 * to do. It never loops: only `take-steps.ts` decides whether the next step follows at once, for all kinds.
 */
export type Reconcile = (ref: EntityRef, signal: AbortSignal) => Promise<ReconcileResult>;

/**
 * The connection whose cloud account an entity's work uses; null if there is none (any longer). It never
 * changes for an entity. Kinds that are not listed use no account.
 */
export type AccountOfWork = {
  readonly [K in ReconciledKind]?: (sql: Sql, ref: EntityRef) => Promise<string | null>;
};

export interface Jobs {
  /** Makes the entity due when the transaction commits. Several pokes of one entity count as one. */
  poke(tx: Transaction, kind: ReconciledKind, ref: EntityRef): Promise<void>;
}

/** If a queued job is lost in spite of everything, its entity is due again after this time. */
export const QUEUED_GRACE_SECONDS = 60;

/**
 * Marks an entity as queued now. A running step cannot postpone it, because `pokes` has changed.
 * It is not marked as due: the sweep would queue a second job behind the writer's own. It is marked as awaited: if
 * there is no room for the job and it is returned to the queue, it comes before routine checks.
 */
export const MARK_QUEUED = writeStatement<{ accountId: string | null }>(
  "reconciliations_mark_queued",
  `INSERT INTO reconciliations (organization_id, kind, entity_id, due_at, pokes, is_awaited)
   VALUES ($1, $2, $3, now() + $4::float8 * interval '1 second', 1, true)
   ON CONFLICT (kind, entity_id) DO UPDATE
      SET due_at = excluded.due_at, attempts = 0, pokes = reconciliations.pokes + 1, is_awaited = true
   RETURNING aws_account_id AS "accountId"`,
);

export const SET_ACCOUNT = writeStatement(
  "reconciliations_set_account",
  `UPDATE reconciliations SET aws_account_id = $4 WHERE organization_id = $1 AND kind = $2 AND entity_id = $3`,
);
