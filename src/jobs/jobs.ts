/**
 * Reconciling is level-triggered. A reconciliation names an entity and nothing else; whoever runs it
 * reads all there is, decides, does one step and says when to look again. Create, retry, crash and
 * timer all take this one path.
 *
 * Two tables carry it. `reconciliations` (ours) has a row for each entity with work ahead of it and
 * says when it is due; millions may wait there at no cost. pg-boss holds only what is due now: it
 * hands a job to one worker, watches its heartbeat, and gives it to another when that worker dies.
 * Keeping the waiting ones in pg-boss too was rejected: each of its fetches looks through all that wait.
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
 * What is next for an entity, once a step is taken:
 *
 * - `done`: nothing is ahead.
 * - `runAfterMs`: the next step is due then; 0 means at once.
 * - `next`: the next step is due at once, and this function takes it with what was just learned, instead of asking the
 *   cloud again. It lives in this process alone. If the process dies, or the entity has had its turn, the next step is
 *   the reconciler's own; that costs a few calls and loses nothing.
 *
 * A step that throws is tried again after a backoff.
 */
export type ReconcileResult =
  | "done"
  | { readonly runAfterMs: number }
  | { readonly next: (signal: AbortSignal) => Promise<ReconcileResult> };

/**
 * Takes the one next step of an entity and says what is next. It is safe to repeat, and to call when there is nothing
 * to do. It never loops: whether the next step follows at once is decided in `take-steps.ts` alone, for all kinds.
 */
export type Reconcile = (ref: EntityRef, signal: AbortSignal) => Promise<ReconcileResult>;

/**
 * The connection whose cloud account an entity's work goes to; null when there is none (any more). It never
 * changes for an entity. Work of a kind that is left out uses no account.
 */
export type AccountOfWork = {
  readonly [K in ReconciledKind]?: (sql: Sql, ref: EntityRef) => Promise<string | null>;
};

export interface Jobs {
  /** Has the entity looked at as soon as the transaction commits. Pokes of one entity merge. */
  poke(tx: Transaction, kind: ReconciledKind, ref: EntityRef): Promise<void>;
}

/** Should a queued job be lost in spite of all, its entity is due again after this. */
export const QUEUED_GRACE_SECONDS = 60;

/**
 * Marks an entity as queued now; a look that is under way will not put it off again (`pokes` has moved).
 * Not as due: the sweep would put a second job behind the one that its writer puts into the queue. As awaited: should
 * the job find no room and be given back, it comes again before what is only looked at again.
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
