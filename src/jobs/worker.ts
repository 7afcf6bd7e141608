import type { Job, PgBoss } from "pg-boss";
import { type Database, writeStatement } from "../db/database.ts";
import type { Logger } from "../lib/log.ts";
import { pause } from "../lib/pace/pause.ts";
import { backoffMs } from "./backoff.ts";
import { enqueue, RECONCILE_QUEUE, type ReconcileJob } from "./boss.ts";
import { QUEUED_GRACE_SECONDS, type ReconciledKind, RECONCILED_KINDS } from "./jobs.ts";
import { createShares } from "./shares.ts";
import { createTakeSteps, type Reconcilers, type StepOutcome } from "./take-steps.ts";

/** A loop beside the queue (the DNS sweep, pruning). Returns how long to rest, in ms. */
export type Sweep = {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<number>;
};

export interface Worker {
  /** Takes no new work, and resolves when running work has ended. */
  drain(): Promise<void>;
}

/** How often entities that have become due are put into the queue. */
const DUE_SWEEP_MS = 250;
const DUE_BATCH = 200;
const DRAIN_TIMEOUT_MS = 25_000;
/** After this time, concurrent fetches have seen each other's jobs. */
const NO_ROOM_SECONDS = 0.1;

export async function startWorker(options: {
  boss: PgBoss;
  db: Database;
  reconcilers: Reconcilers;
  sweeps: readonly Sweep[];
  concurrency: number;
  log: Logger;
  onStep: (kind: ReconciledKind, outcome: StepOutcome) => void;
  /** Whether a failure means that the cloud or the account is unreachable for now. */
  isAbsence: (error: unknown) => boolean;
  random?: () => number;
}): Promise<Worker> {
  const { boss, db } = options;
  const stopping = new AbortController();
  const shares = createShares(options.concurrency);
  const takeSteps = createTakeSteps({ ...options, random: options.random ?? Math.random });

  const handle = async ({ data, signal: jobSignal }: Job<ReconcileJob>): Promise<void> => {
    if (!shares.take(data)) {
      await db.query(GIVE_BACK, [data.organizationId, data.kind, data.id, NO_ROOM_SECONDS]);
      return;
    }
    try {
      const signal = AbortSignal.any([jobSignal, stopping.signal]);
      await takeSteps(data, signal);
    } finally {
      shares.giveBack(data);
    }
  };

  for (let worker = 0; worker < options.concurrency; worker += 1) {
    const id = await boss.work<ReconcileJob>(
      RECONCILE_QUEUE,
      {
        groupConcurrency: shares.limits,
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: 2,
        heartbeatRefreshSeconds: 3,
      },
      async (jobs) => {
        for (const job of jobs) await db.within(job.data.organizationId, () => handle(job));
        // By itself, a worker pauses after each job until it is notified of a new one, even if hundreds wait.
        boss.notifyWorker(id);
      },
    );
  }

  const sweeps: readonly Sweep[] = [
    { name: "due", run: async () => await enqueueDue(boss, db) },
    ...options.sweeps,
  ];
  const loops = sweeps.map((sweep) => runLoop(sweep, stopping.signal, options));

  return {
    async drain() {
      stopping.abort();
      await Promise.all(loops);
      await boss.offWork(RECONCILE_QUEUE, { wait: true });
      await boss.stop({ graceful: true, timeout: DRAIN_TIMEOUT_MS, close: true });
    },
  };
}

async function enqueueDue(boss: PgBoss, db: Database): Promise<number> {
  const count = await db.transaction(async (tx) => {
    const due = await tx.query(TAKE_DUE, [DUE_BATCH, QUEUED_GRACE_SECONDS]);
    for (const { kind, isAwaited, ...entity } of due) {
      if (isReconciledKind(kind)) await enqueue(boss, tx, { kind, ...entity }, isAwaited);
    }
    return due.length;
  });
  return count === DUE_BATCH ? 0 : DUE_SWEEP_MS;
}

function isReconciledKind(kind: string): kind is ReconciledKind {
  return RECONCILED_KINDS.some((known) => known === kind);
}

async function runLoop(
  sweep: Sweep,
  signal: AbortSignal,
  { db, log }: { readonly db: Database; readonly log: Logger },
): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    let restMs: number;
    try {
      restMs = await db.acrossOrganizations(() => sweep.run(signal));
      failures = 0;
    } catch (error) {
      failures += 1;
      restMs = backoffMs(Math.min(failures, 5), Math.random());
      log.warn({ sweep: sweep.name, failures, err: error }, "A sweep failed and will be tried again");
    }
    await pause(restMs, signal);
  }
}

/** Being due sooner does no harm if it was poked or processed in the meantime. */
const GIVE_BACK = writeStatement(
  "reconciliations_give_back",
  `UPDATE reconciliations SET due_at = least(due_at, now() + $4::float8 * interval '1 second')
    WHERE organization_id = $1 AND kind = $2 AND entity_id = $3`,
);

const TAKE_DUE = writeStatement<Omit<ReconcileJob, "kind"> & { kind: string; isAwaited: boolean }>(
  "reconciliations_take_due",
  `UPDATE reconciliations SET due_at = now() + $2::float8 * interval '1 second'
    WHERE (kind, entity_id) IN (
      SELECT kind, entity_id FROM reconciliations
       WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING organization_id AS "organizationId", kind, entity_id AS id, aws_account_id AS "accountId",
     is_awaited AS "isAwaited"`,
);
