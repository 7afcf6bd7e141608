/**
 * Takes the steps of one entity, one after the other, and records when the next is due. Only this file continues from
 * step to step: steps that are due at once run in a row, because each would otherwise cost a round trip through the
 * queue. After its turn (a number of steps, or a time) an entity makes room for others.
 *
 * If a cloud is unreachable, everything fails, and each entity would only come back after its own backoff, up to
 * five minutes after the cloud. So at least one entity of each account is tried every few seconds. The first
 * success after several failures makes all other entities of that account due at once. All of this is recorded
 * in rows: any worker may find out, and waiting entities cost nothing, however many there are.
 */
import { type Database, readStatement, writeStatement } from "../db/database.ts";
import type { Logger } from "../lib/log.ts";
import { backoffMs } from "./backoff.ts";
import type { ReconcileJob } from "./boss.ts";
import { QUEUED_GRACE_SECONDS, type Reconcile, type ReconciledKind, type ReconcileResult } from "./jobs.ts";

export type Reconcilers = { readonly [K in ReconciledKind]: Reconcile };

export type StepOutcome = "done" | "again" | "failed";

/** Takes steps of an entity while the next one is due at once and its turn is not over. */
export type TakeSteps = (job: ReconcileJob, signal: AbortSignal) => Promise<void>;

/** How long one entity may use a worker. Few need as much, but a large scope of variables may. */
const TURN = { steps: 50, ms: 30_000 };
/** At least one entity of an unreachable account is tried in this time. */
const PROBE_SECONDS = 10;
/** An entity that is due again this soon is in progress, and somebody waits for it; the rest are routine checks. */
const AWAITED_SECONDS = 60;
/** A success after this many failures in a row means that the account is back. Isolated lost calls rarely reach it. */
const FAILURES_OF_ABSENCE = 4;

export function createTakeSteps(options: {
  db: Database;
  reconcilers: Reconcilers;
  log: Logger;
  onStep: (kind: ReconciledKind, outcome: StepOutcome) => void;
  /** Whether a failure means that the cloud or the account is unreachable for now. */
  isAbsence: (error: unknown) => boolean;
  random: () => number;
}): TakeSteps {
  const { db, reconcilers, log, onStep, isAbsence, random } = options;
  return async ({ kind, organizationId, id }, signal) => {
    const [row] = await db.query(FIND, [organizationId, kind, id]);
    if (row === undefined) return;
    const endMs = performance.now() + TURN.ms;
    const begin: Step = (stepSignal) => reconcilers[kind]({ organizationId, id }, stepSignal);
    let { attempts } = row;
    let take = begin;
    for (let step = 1; ; step += 1) {
      let result: ReconcileResult;
      try {
        result = await take(signal);
      } catch (error) {
        attempts += 1;
        const delayMs = backoffMs(attempts, random());
        log.warn(
          { kind, organizationId, id, attempts, delayMs, err: error },
          "A step failed and will be tried again",
        );
        onStep(kind, "failed");
        const mayProbe = isAbsence(error);
        const parameters = [organizationId, kind, id, row.pokes, attempts, delayMs / 1_000, mayProbe];
        await db.query(PUT_OFF_FAILED, [...parameters, PROBE_SECONDS]);
        return;
      }
      onStep(kind, result === "done" ? "done" : "again");
      const hasTurn = step < TURN.steps && performance.now() < endMs && !signal.aborted;
      const following = hasTurn ? stepDueAtOnce(result, begin) : null;
      if (result === "done") await db.query(FINISH, [organizationId, kind, id, row.pokes]);
      // Between two steps nothing needs to be written: if this process dies, the queue gives the job to another.
      else if (following === null || attempts > 0) {
        const seconds = following === null ? restMs(result) / 1_000 : QUEUED_GRACE_SECONDS;
        const isAwaited = seconds < AWAITED_SECONDS;
        await db.query(PUT_OFF, [organizationId, kind, id, row.pokes, seconds, isAwaited]);
      }
      if (row.accountId !== null && attempts >= FAILURES_OF_ABSENCE) {
        await db.query(HASTEN_ACCOUNT, [organizationId, row.accountId, FAILURES_OF_ABSENCE]);
      }
      if (following === null) return;
      attempts = 0;
      take = following;
    }
  };
}

type Step = (signal: AbortSignal) => Promise<ReconcileResult>;

function stepDueAtOnce(result: ReconcileResult, begin: Step): Step | null {
  if (result === "done") return null;
  if ("next" in result) return result.next;
  return result.runAfterMs === 0 ? begin : null;
}

function restMs(result: Exclude<ReconcileResult, "done">): number {
  return "next" in result ? 0 : result.runAfterMs;
}

const FIND = readStatement<{ pokes: number; attempts: number; accountId: string | null }>(
  "reconciliations_find",
  `SELECT pokes, attempts, aws_account_id AS "accountId" FROM reconciliations
    WHERE organization_id = $1 AND kind = $2 AND entity_id = $3`,
);

/** Only if nobody has poked it since: the poke's own job is in the queue. */
const FINISH = writeStatement(
  "reconciliations_finish",
  `DELETE FROM reconciliations
    WHERE organization_id = $1 AND kind = $2 AND entity_id = $3 AND pokes = $4`,
);

const PUT_OFF = writeStatement(
  "reconciliations_put_off",
  `UPDATE reconciliations SET due_at = now() + $5::float8 * interval '1 second', attempts = 0, is_awaited = $6
    WHERE organization_id = $1 AND kind = $2 AND entity_id = $3 AND pokes = $4`,
);

/** Earlier than its backoff ($6), unless another failed entity of this account is due by then ($8). */
const PUT_OFF_FAILED = writeStatement(
  "reconciliations_put_off_failed",
  `UPDATE reconciliations r
      SET attempts = $5, due_at = now() + interval '1 second' * CASE
            WHEN NOT $7::boolean OR r.aws_account_id IS NULL OR EXISTS (
              SELECT FROM reconciliations o
               WHERE o.organization_id = $1 AND o.aws_account_id = r.aws_account_id AND o.attempts > 0
                 AND o.due_at <= now() + $8::float8 * interval '1 second'
                 AND (o.kind, o.entity_id) <> (r.kind, r.entity_id))
            THEN $6::float8 ELSE least($6::float8, $8::float8) END
    WHERE r.organization_id = $1 AND r.kind = $2 AND r.entity_id = $3 AND r.pokes = $4`,
);

/** Keeps the count of failures: if an entity fails again, it waits as long as before. */
const HASTEN_ACCOUNT = writeStatement(
  "reconciliations_hasten_account",
  `UPDATE reconciliations SET due_at = now()
    WHERE organization_id = $1 AND aws_account_id = $2 AND attempts >= $3 AND due_at > now()`,
);
