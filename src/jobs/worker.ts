import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import type { Logger } from "../lib/log.ts";
import { pause } from "../lib/pace/pause.ts";
import { backoffMs } from "./backoff.ts";
import { type Claim, createClaiming, EXTEND_MS, extendClaims, makeReady, releaseClaims } from "./claims.ts";
import { type ReconciledKind, WORK_CHANNEL } from "./jobs.ts";
import { createShares } from "./shares.ts";
import { createTakeSteps, type Reconcilers, type StepOutcome } from "./take-steps.ts";

/** A loop beside the reconcilers (the DNS sweep, pruning). Returns how long to rest, in ms. */
export type Sweep = {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<number>;
};

export interface Worker {
  /** Takes no new work, and resolves when running work has ended. */
  drain(): Promise<void>;
}

/** How often entities that have become due are made ready. */
const DUE_SWEEP_MS = 250;
const DUE_BATCH = 200;
/** The pause between two claims of a process. One claim then fills the room of all steps that ended meanwhile. */
const CLAIM_REST_MS = 5;
const DRAIN_TIMEOUT_MS = 25_000;

export async function startWorker(options: {
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
  const { db, concurrency, log } = options;
  const stopping = new AbortController();
  const shares = createShares(concurrency);
  const takeSteps = createTakeSteps({ ...options, random: options.random ?? Math.random });
  const claim = createClaiming(db);
  const running = new Map<Claim, { readonly lost: AbortController; readonly ended: Promise<void> }>();
  const work = createWake(stopping.signal);
  const listener = await db.listen(WORK_CHANNEL, work.wake);

  const run = async (taken: Claim, lost: AbortSignal): Promise<void> => {
    try {
      const signal = AbortSignal.any([lost, stopping.signal]);
      await db.within(taken.organizationId, () => takeSteps(taken, signal));
    } catch (error) {
      const { kind, organizationId, id } = taken;
      log.warn(
        { kind, organizationId, id, err: error },
        "The result of a step could not be written; the step will be repeated",
      );
    } finally {
      running.delete(taken);
      shares.giveBack(taken);
      work.wake();
    }
  };

  /** @returns whether there may be more */
  const claimOnce = async (): Promise<boolean> => {
    const free = concurrency - running.size;
    if (free === 0) return false;
    const claims = await claim(free, shares.room());
    const refused: Claim[] = [];
    for (const taken of claims) {
      if (stopping.signal.aborted || !shares.take(taken)) {
        refused.push(taken);
        continue;
      }
      const lost = new AbortController();
      running.set(taken, { lost, ended: run(taken, lost.signal) });
    }
    await releaseClaims(db, refused);
    return claims.length > 0;
  };
  const claiming = async (): Promise<number> => {
    await work.next();
    while (!stopping.signal.aborted && (await claimOnce())) await sleep(CLAIM_REST_MS);
    return CLAIM_REST_MS;
  };

  const extending = async (): Promise<number> => {
    const claims = [...running.keys()];
    if (claims.length > 0) {
      for (const taken of await extendClaims(db, claims)) running.get(taken)?.lost.abort();
    }
    return EXTEND_MS;
  };

  const sweeping = async (): Promise<number> => {
    const { made, isAnyReady } = await makeReady(db, DUE_BATCH);
    if (isAnyReady) work.wake();
    return made === DUE_BATCH ? 0 : DUE_SWEEP_MS;
  };

  const loop = (sweep: Sweep, signal = stopping.signal): Promise<void> => runLoop(sweep, signal, options);
  work.wake();
  const loops = [{ name: "claims", run: claiming }, { name: "due", run: sweeping }, ...options.sweeps].map(
    (one) => loop(one),
  );
  // Running steps keep their claims while the process drains.
  const drained = new AbortController();
  const extendingLoop = loop({ name: "held claims", run: extending }, drained.signal);

  return {
    async drain() {
      stopping.abort();
      await Promise.all(loops);
      const ends = Promise.all([...running.values()].map(({ ended }) => ended));
      await Promise.race([ends, pause(DRAIN_TIMEOUT_MS, drained.signal)]);
      drained.abort();
      await extendingLoop;
      await listener.close();
    },
  };
}

/** One caller waits for work. `wake` also counts while nobody waits. */
function createWake(signal: AbortSignal): { readonly wake: () => void; readonly next: () => Promise<void> } {
  let hasWork = false;
  let waiting: (() => void) | null = null;
  const wake = (): void => {
    hasWork = true;
    waiting?.();
  };
  signal.addEventListener("abort", wake);
  return {
    wake,
    async next() {
      if (!hasWork) {
        await new Promise<void>((resolve) => {
          waiting = resolve;
        });
      }
      waiting = null;
      hasWork = false;
    },
  };
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
