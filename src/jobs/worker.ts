import type { Job, PgBoss } from "pg-boss";
import { statement, type Database } from "../db/database.ts";
import type { Logger } from "../log.ts";
import { backoffMs } from "./backoff.ts";
import { enqueue, RECONCILE_QUEUE, type ReconcileJob } from "./boss.ts";
import { QUEUED_GRACE_SECONDS, type Reconcile, type ReconciledKind, RECONCILED_KINDS } from "./jobs.ts";

export type Reconcilers = { readonly [K in ReconciledKind]: Reconcile };

/** A loop of its own that runs beside the queue (the DNS sweep, pruning). Returns how long to rest, in ms. */
export type Sweep = {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<number>;
};

export type StepOutcome = "done" | "again" | "failed";

export interface Worker {
  /** Takes no new work and resolves when what was under way has ended. */
  drain(): Promise<void>;
}

/** How often entities that have become due are put into the queue. */
const DUE_SWEEP_MS = 250;
const DUE_BATCH = 200;
const DRAIN_TIMEOUT_MS = 25_000;
/** Then others have their turn. */
const STEPS_AT_A_TIME = 10;

export async function startWorker(options: {
  boss: PgBoss;
  db: Database;
  reconcilers: Reconcilers;
  sweeps: readonly Sweep[];
  concurrency: number;
  log: Logger;
  onStep: (kind: ReconciledKind, outcome: StepOutcome) => void;
  random?: () => number;
}): Promise<Worker> {
  const { boss, db, log, onStep } = options;
  const random = options.random ?? Math.random;
  const stopping = new AbortController();

  /** Takes steps for as long as the next one is due at once: through the queue each would cost a round of it. */
  const handle = async (job: Job<ReconcileJob>): Promise<void> => {
    const signal = AbortSignal.any([job.signal, stopping.signal]);
    for (let step = 1; step <= STEPS_AT_A_TIME; step += 1) {
      if (!(await takeStep(job.data, signal, step < STEPS_AT_A_TIME))) return;
    }
  };

  /** @returns whether the next step is due at once and may be taken by this job */
  const takeStep = async (
    { kind, organizationId, id }: ReconcileJob,
    signal: AbortSignal,
    mayGoOn: boolean,
  ): Promise<boolean> => {
    const [row] = await db.query(FIND, [organizationId, kind, id]);
    if (row === undefined) return false;
    const context = { kind, organizationId, id };
    try {
      const result = await options.reconcilers[kind]({ organizationId, id }, signal);
      if (result === "done") {
        await db.query(FINISH, [organizationId, kind, id, row.pokes]);
        onStep(kind, "done");
        return false;
      }
      const goesOn = mayGoOn && !signal.aborted && result.runAfterMs === 0;
      // Not due for others meanwhile; should this process die, the queue gives the job to another.
      const seconds = goesOn ? QUEUED_GRACE_SECONDS : result.runAfterMs / 1_000;
      await db.query(PUT_OFF, [organizationId, kind, id, row.pokes, seconds, 0]);
      onStep(kind, "again");
      return goesOn;
    } catch (error) {
      const attempts = row.attempts + 1;
      const delayMs = backoffMs(attempts, random());
      log.warn({ ...context, attempts, delayMs, err: error }, "A step failed and will be tried again");
      onStep(kind, "failed");
      await db.query(PUT_OFF, [organizationId, kind, id, row.pokes, delayMs / 1_000, attempts]);
      return false;
    }
  };

  for (let worker = 0; worker < options.concurrency; worker += 1) {
    const id = await boss.work<ReconcileJob>(
      RECONCILE_QUEUE,
      {
        // An organization whose cloud hangs keeps half of the workers at most.
        groupConcurrency: Math.max(1, Math.ceil(options.concurrency / 2)),
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: 2,
        heartbeatRefreshSeconds: 3,
      },
      async (jobs) => {
        for (const job of jobs) await handle(job);
        // Unasked, a worker rests after each job until it is notified of a new one, though hundreds may wait.
        boss.notifyWorker(id);
      },
    );
  }

  const sweeps: readonly Sweep[] = [
    { name: "due", run: async () => await enqueueDue(boss, db) },
    ...options.sweeps,
  ];
  const loops = sweeps.map((sweep) => runLoop(sweep, stopping.signal, log));

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
    for (const { organizationId, kind, id } of due) {
      if (isReconciledKind(kind)) await enqueue(boss, tx, { organizationId, kind, id });
    }
    return due.length;
  });
  return count === DUE_BATCH ? 0 : DUE_SWEEP_MS;
}

function isReconciledKind(kind: string): kind is ReconciledKind {
  return RECONCILED_KINDS.some((known) => known === kind);
}

async function runLoop(sweep: Sweep, signal: AbortSignal, log: Logger): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    let restMs: number;
    try {
      restMs = await sweep.run(signal);
      failures = 0;
    } catch (error) {
      failures += 1;
      restMs = backoffMs(Math.min(failures, 5), Math.random());
      log.warn({ sweep: sweep.name, failures, err: error }, "A sweep failed and will be tried again");
    }
    await rest(restMs, signal);
  }
}

/** Resolves after the time, or at once when the signal fires. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}

const FIND = statement<{ pokes: number; attempts: number }>(
  "reconciliations_find",
  `SELECT pokes, attempts FROM reconciliations WHERE organization_id = $1 AND kind = $2 AND entity_id = $3`,
);

/** Only when nobody poked it meanwhile: the poke's own job is in the queue and will look. */
const FINISH = statement(
  "reconciliations_finish",
  `DELETE FROM reconciliations
    WHERE organization_id = $1 AND kind = $2 AND entity_id = $3 AND pokes = $4`,
);

const PUT_OFF = statement(
  "reconciliations_put_off",
  `UPDATE reconciliations SET due_at = now() + $5::float8 * interval '1 second', attempts = $6
    WHERE organization_id = $1 AND kind = $2 AND entity_id = $3 AND pokes = $4`,
);

const TAKE_DUE = statement<{ organizationId: string; kind: string; id: string }>(
  "reconciliations_take_due",
  `UPDATE reconciliations SET due_at = now() + $2::float8 * interval '1 second'
    WHERE (kind, entity_id) IN (
      SELECT kind, entity_id FROM reconciliations
       WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING organization_id AS "organizationId", kind, entity_id AS id`,
);
