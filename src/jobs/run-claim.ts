/**
 * Takes the steps of one entity, one after the other, and records when the next is due. Only this file continues from
 * step to step: steps that are due at once run in a row, because each would otherwise cost a claim of its own. After
 * `LIMITS` an entity makes room for others.
 *
 * If a cloud is unreachable, everything fails, and each entity would only come back after its own backoff, up to
 * five minutes after the cloud. So at least one entity of each account is tried every few seconds. The first
 * success after several failures makes all other entities of that account due at once. All of this is recorded
 * in rows: any worker may find out, and waiting entities cost nothing, however many there are.
 */
import { type Database, writeStatement } from "../db/database.ts";
import type { Logger } from "../lib/log.ts";
import { backoffMs } from "./backoff.ts";
import type { Claim } from "./claims.ts";
import { createClaimEnds } from "./complete-claims.ts";
import { RANK, type Reconcile, type ReconcileResult } from "./jobs.ts";

/** By the kind of the entity. */
export type Reconcilers = Readonly<Record<string, Reconcile>>;

export type StepOutcome = "done" | "again" | "failed";

/** Takes steps of an entity while the next one is due at once, up to `LIMITS`. Then it ends the claim. */
export type RunClaim = (claim: Claim, signal: AbortSignal) => Promise<void>;

/** How long one entity may use a worker. Few need as much, but a large scope of variables may. */
const LIMITS = { steps: 50, ms: 30_000 };
/** An entity that is due again this soon is in progress; the rest are routine checks. */
const UNDER_WAY_MS = 60_000;
/** At least one entity of an unreachable account is tried in this time. */
const PROBE_SECONDS = 10;
/** A success after this many failures in a row means that the account is back. Isolated lost calls rarely reach it. */
const FAILURES_OF_ABSENCE = 4;

export function createRunClaim(options: {
  db: Database;
  reconcilers: Reconcilers;
  log: Logger;
  onStep: (kind: string, outcome: StepOutcome) => void;
  /** Whether a failure means that the cloud or the account is unreachable for now. */
  isAbsence: (error: unknown) => boolean;
  random: () => number;
}): RunClaim {
  const { db, reconcilers, log, onStep, isAbsence, random } = options;
  const endClaim = createClaimEnds(db);
  return async (claim, signal) => {
    const { kind, organizationId, id, accountId } = claim;
    const key = [organizationId, kind, id, claim.number, claim.pokes];
    const endMs = performance.now() + LIMITS.ms;
    const reconcile = reconcilers[kind];
    if (reconcile === undefined) throw new Error(`Nothing reconciles a ${kind}.`);
    const begin: Step = (stepSignal) => reconcile({ organizationId, id }, stepSignal);
    let { attempts } = claim;
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
        await db.query(PUT_OFF_FAILED, [...key, attempts, delayMs / 1_000, mayProbe, PROBE_SECONDS]);
        return;
      }
      onStep(kind, result === "done" ? "done" : "again");
      if (accountId !== null && attempts >= FAILURES_OF_ABSENCE) {
        await db.query(HASTEN_ACCOUNT, [organizationId, accountId, FAILURES_OF_ABSENCE]);
      }
      attempts = 0;
      if (result === "done") {
        await endClaim({ claim, pokes: claim.pokes, restSeconds: null, rank: RANK.routine });
        return;
      }
      const mayContinue = step < LIMITS.steps && performance.now() < endMs && !signal.aborted;
      const following = mayContinue ? stepDueAtOnce(result, begin) : null;
      if (following === null) {
        const { runAfterMs, pokes = null, rank } = "next" in result ? { runAfterMs: 0 } : result;
        const usual = runAfterMs < UNDER_WAY_MS ? RANK.underWay : RANK.routine;
        const restSeconds = runAfterMs / 1_000;
        await endClaim({ claim, pokes: pokes ?? claim.pokes, restSeconds, rank: rank ?? usual });
        return;
      }
      // Nothing is written between two steps: if this process dies, its claim ends and another worker begins again.
      take = following;
    }
  };
}

type Step = (signal: AbortSignal) => Promise<ReconcileResult>;

function stepDueAtOnce(result: Exclude<ReconcileResult, "done">, begin: Step): Step | null {
  if ("next" in result) return result.next;
  return result.runAfterMs === 0 ? begin : null;
}

/**
 * Sooner than its backoff ($7) if no other entity that failed in this account is due in that time ($9). A claimed one
 * does not count: its step is running and may fail too, and then each of the two would wait for the other. $1 to $5: the
 * row, the claim, and how often it was enqueued by then.
 */
const PUT_OFF_FAILED = writeStatement(
  "reconciliations_put_off_failed",
  `UPDATE reconciliations r
      SET state = CASE WHEN r.pokes = $5 THEN 'waiting' ELSE 'ready' END,
          attempts = CASE WHEN r.pokes = $5 THEN $6 ELSE 0 END,
          due_at = now() + interval '1 second' * CASE
            WHEN r.pokes <> $5 THEN 0
            WHEN NOT $8::boolean OR r.aws_account_id IS NULL OR EXISTS (
              SELECT 1 FROM reconciliations o
               WHERE o.organization_id = $1 AND o.aws_account_id = r.aws_account_id AND o.attempts > 0
                 AND o.state <> 'claimed' AND o.due_at <= now() + $9::float8 * interval '1 second'
                 AND (o.kind, o.entity_id) <> (r.kind, r.entity_id))
            THEN $7::float8 ELSE least($7::float8, $9::float8) END
    WHERE organization_id = $1 AND kind = $2 AND entity_id = $3 AND claim = $4 AND state = 'claimed'`,
);

/** Failures are still counted: should one fail again, it waits as long as it did. */
const HASTEN_ACCOUNT = writeStatement(
  "reconciliations_hasten_account",
  `UPDATE reconciliations SET due_at = now()
    WHERE organization_id = $1 AND aws_account_id = $2 AND attempts >= $3 AND state = 'waiting' AND due_at > now()`,
);
