/**
 * Reconciling is level-triggered. A claim only names an entity. The reconciler reads the current state, decides, takes
 * one step and says when to check again. Creations, retries, crashes and timers all take this one path.
 *
 * `reconciliations` has a row for each entity with work ahead. A row is `waiting` until it is due, then `ready`, then
 * `claimed` by one worker, which writes what comes next (`claims.ts`). Millions may wait there at no cost, and the cost
 * of a claim does not depend on how many are ready.
 */
import { type Database, type Sql, type Transaction, writeStatement } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";

export type EntityRef = { readonly organizationId: string; readonly id: string };

/**
 * The next step of an entity, as its last step decided:
 *
 * - `done`: nothing.
 * - `runAfterMs`: the next step is due then; 0 means at once. With `pokes` (`pokesOf`), an enqueue that the step has seen
 *   does not make it due at once. With `rank`, it has this rank then; by default, less than a minute ahead is under way,
 *   and the rest routine.
 * - `next`: the next step is due at once. This function takes it with what was just learned, without asking the
 *   cloud again. It exists only in this process. If the process dies, or the entity has used up its time, the next step is the
 *   reconciler's own, which costs a few calls and loses nothing.
 *
 * A step that throws is retried after a backoff.
 */
export type ReconcileResult =
  | "done"
  | { readonly runAfterMs: number; readonly pokes?: number | null; readonly rank?: Rank }
  | { readonly next: (signal: AbortSignal) => Promise<ReconcileResult> };

/**
 * Takes one step of an entity and says what comes next. It is safe to repeat, and to call when there is nothing
 * to do. It never loops: only `run-claim.ts` decides whether the next step follows at once, for all kinds.
 */
export type Reconcile = (ref: EntityRef, signal: AbortSignal) => Promise<ReconcileResult>;

/**
 * For each kind of entities that is reconciled: the connection whose cloud account an entity's work uses, null if there
 * is none (any longer). It never changes for an entity. The work of a kind with null uses no account.
 */
export type AccountOfWork = Readonly<
  Record<string, ((sql: Sql, ref: EntityRef) => Promise<string | null>) | null>
>;

/**
 * The order of claims: work in progress and resources that a client waits for, then new work, then routine checks. So
 * Slipway finishes what is nearly done before it begins more.
 */
export const RANK = { underWay: 0, new: 1, routine: 2 } as const;
export type Rank = (typeof RANK)[keyof typeof RANK];

export interface Jobs {
  /**
   * Makes the entity ready when the transaction commits. Several enqueues of one entity count as one.
   * @param kind one of `AccountOfWork`
   * @param ref with the connection whose cloud account the work uses, if the caller knows it: then nothing is read
   * @param rank by default `RANK.new`
   */
  enqueue(tx: Transaction, kind: string, ref: EnqueuedRef, rank?: Rank): Promise<void>;
}

/** What most reconcilers need. */
export type WorkDeps = { readonly db: Database; readonly jobs: Jobs; readonly clock: Clock };

export type EnqueuedRef = EntityRef & { readonly awsAccountId?: string };

/** Workers listen to this channel. A message only says that there may be work. */
export const WORK_CHANNEL = "slipway_work";

/** Wakes the workers when the transaction commits, for work that they find elsewhere than in `reconciliations`. */
export function announceWork(tx: Transaction): void {
  tx.notify(WORK_CHANNEL, "");
}

/** @param currentTrace the trace of the running work, which what it enqueues continues; null in none */
export function createJobs(
  accountOfWork: AccountOfWork,
  currentTrace: () => string | null = () => null,
): Jobs {
  return {
    async enqueue(tx, kind, { organizationId, id, awsAccountId }, rank = RANK.new) {
      const accountOf = accountOfWork[kind];
      if (accountOf === undefined) throw new Error(`Nothing reconciles a ${kind}.`);
      announceWork(tx);
      if (awsAccountId !== undefined) {
        tx.send(MARK_READY, [organizationId, kind, id, rank, awsAccountId, currentTrace()]);
        return;
      }
      const [row] = await tx.query(MARK_READY, [organizationId, kind, id, rank, null, currentTrace()]);
      if ((row?.accountId ?? null) !== null || accountOf === null) return;
      const accountId = await accountOf(tx, { organizationId, id });
      if (accountId !== null) tx.send(SET_ACCOUNT, [organizationId, kind, id, accountId]);
    },
  };
}

/**
 * How an enqueue changes an existing row. A claimed row stays claimed, and its worker sees from `pokes` at the end that it
 * was enqueued. A ready row keeps its place.
 */
export const ENQUEUE_ON_CONFLICT = `ON CONFLICT ON CONSTRAINT reconciliations_pkey DO UPDATE
      SET due_at = CASE WHEN reconciliations.state = 'claimed' THEN reconciliations.due_at
                        ELSE least(reconciliations.due_at, excluded.due_at) END,
          state = CASE WHEN reconciliations.state = 'claimed' THEN 'claimed' ELSE 'ready' END,
          rank = least(reconciliations.rank, excluded.rank), attempts = 0, pokes = reconciliations.pokes + 1,
          trace = coalesce(excluded.trace, reconciliations.trace)`;

const MARK_READY = writeStatement<{ accountId: string | null }>(
  "reconciliations_mark_ready",
  `INSERT INTO reconciliations (organization_id, kind, entity_id, state, rank, due_at, pokes, aws_account_id, trace)
   VALUES ($1, $2, $3, 'ready', $4, now(), 1, $5, $6)
   ${ENQUEUE_ON_CONFLICT}
   RETURNING aws_account_id AS "accountId"`,
);

const SET_ACCOUNT = writeStatement(
  "reconciliations_set_account",
  `UPDATE reconciliations SET aws_account_id = $4 WHERE organization_id = $1 AND kind = $2 AND entity_id = $3`,
);

/** The upper limit of every wait for an account: for a reconnection as well as for a backoff. */
const LONGEST_WAIT_MINUTES = 6;

/** A claimed one is checked again after its step, which may have begun before the account worked. */
const RESUME = writeStatement(
  "reconciliations_resume_account",
  `UPDATE reconciliations SET due_at = CASE WHEN state = 'claimed' THEN due_at ELSE (SELECT now()) END, attempts = 0, pokes = pokes + 1
    WHERE organization_id = $1 AND aws_account_id = $2 AND entity_id <> $2
      AND due_at BETWEEN now() AND now() + $3::int * interval '1 minute'`,
);

/** Makes all work that waits for a cloud account due now, except for the account's own. */
export async function resumeAccount(
  tx: Transaction,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  await tx.query(RESUME, [organizationId, id, LONGEST_WAIT_MINUTES]);
}
