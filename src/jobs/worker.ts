import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import type { Logger } from "../lib/log.ts";
import { pause } from "../lib/pace/pause.ts";
import type { Tracing } from "../lib/tracing.ts";
import { type Claim, createClaiming, EXTEND_MS, extendClaims, makeReady, releaseClaims } from "./claims.ts";
import type { Pool } from "./find-ready.ts";
import { WORK_CHANNEL } from "./jobs.ts";
import { createShares, type Shares } from "./shares.ts";
import { createWake, type Wake } from "../lib/pace/wake.ts";
import { restUntil, runSweep, type Sweep } from "./sweep.ts";
import { createRunClaim, type Reconcilers, type StepOutcome } from "./run-claim.ts";

export interface Worker {
  /** Takes no new work, and resolves when running work has ended. */
  drain(): Promise<void>;
}

const DUE_BATCH = 200;
/** The pause between two claims of a process. One claim then fills the room of all steps that ended meanwhile. */
const CLAIM_REST_MS = 5;
const DRAIN_TIMEOUT_MS = 25_000;
/** No claim takes this long, because every call to the outside has its own, shorter limit. */
const LONGEST_CLAIM_MS = 300_000;

export async function startWorker(options: {
  db: Database;
  reconcilers: Reconcilers;
  sweeps: readonly Sweep[];
  /** How many entities of each pool are reconciled at the same time. */
  concurrency: Readonly<Record<Pool, number>>;
  log: Logger;
  onStep: (kind: string, outcome: StepOutcome) => void;
  /** Whether a failure means that the cloud or the account is unreachable for now. */
  isAbsence: (error: unknown) => boolean;
  /** Makes the work of each claim a part of its trace; null without a collector. */
  tracing?: Tracing | null;
  random?: () => number;
  /** For tests. */
  longestClaimMs?: number;
}): Promise<Worker> {
  const { db, concurrency, log, longestClaimMs = LONGEST_CLAIM_MS, tracing = null } = options;
  const stopping = new AbortController();
  const runClaim = createRunClaim({ ...options, random: options.random ?? Math.random });
  const running = new Map<Claim, Running>();
  const sleepers: Wake[] = [];
  const wakeSleepers = (): void => {
    for (const sleeper of sleepers) sleeper.wake();
  };
  const wakePools = (): void => {
    for (const { work } of pools) work.wake();
  };
  const pools: readonly PoolOfWork[] = (["work", "deliveries"] as const).map((name) => ({
    claim: createClaiming(db, name),
    concurrency: concurrency[name],
    shares: createShares(concurrency[name]),
    work: createWake(stopping.signal),
    running: 0,
  }));
  const wakeAll = (): void => {
    wakePools();
    wakeSleepers();
  };
  const listener = await db.listen(WORK_CHANNEL, wakeAll, wakeAll);

  const run = async (pool: PoolOfWork, taken: Claim, lost: AbortSignal): Promise<void> => {
    try {
      const signal = AbortSignal.any([lost, stopping.signal]);
      // A step whose claim is lost may still run. It no longer counts, and so it must not keep its slot.
      await Promise.race([
        inTrace(tracing, taken, () => db.within(taken.organizationId, () => runClaim(taken, signal))),
        whenAborted(lost),
      ]);
    } catch (error) {
      const { kind, organizationId, id } = taken;
      log.warn({ kind, organizationId, id, err: error }, "A step has no result; it will be repeated");
    } finally {
      running.delete(taken);
      pool.running -= 1;
      pool.shares.giveBack(taken);
      pool.work.wake();
      wakeSleepers();
    }
  };

  /** @returns whether there may be more */
  const claimOnce = async (pool: PoolOfWork): Promise<boolean> => {
    const { shares } = pool;
    const free = pool.concurrency - pool.running;
    if (free === 0) return false;
    // A release that follows may have more kinds; their claims end with their leases.
    const claims = (await pool.claim(free, shares.room())).filter(({ kind }) =>
      Object.hasOwn(options.reconcilers, kind),
    );
    const refused: Claim[] = [];
    for (const taken of claims) {
      if (stopping.signal.aborted || !shares.take(taken)) {
        refused.push(taken);
        continue;
      }
      const lost = new AbortController();
      pool.running += 1;
      running.set(taken, { sinceMs: performance.now(), lost, ended: run(pool, taken, lost.signal) });
    }
    await releaseClaims(db, refused);
    // Fewer: all that there is room for was found. What becomes ready, and a step that ends, wake the pool.
    return claims.length === free;
  };
  const claiming = (pool: PoolOfWork) => async (): Promise<number> => {
    await pool.work.next();
    while (!stopping.signal.aborted && (await claimOnce(pool))) await sleep(CLAIM_REST_MS);
    return CLAIM_REST_MS;
  };

  const extending = async (): Promise<number> => {
    for (const { sinceMs, lost } of running.values()) {
      if (performance.now() - sinceMs > longestClaimMs) lost.abort(new Error("The claim took too long."));
    }
    const claims = [...running].flatMap(([taken, { lost }]) => (lost.signal.aborted ? [] : [taken]));
    const gone = claims.length === 0 ? [] : await extendClaims(db, claims);
    for (const taken of gone)
      running.get(taken)?.lost.abort(new Error("The claim was not extended in time."));
    return EXTEND_MS;
  };

  const sweeping = async (): Promise<number> => {
    const { found, isAnyReady, nextMs } = await makeReady(db, DUE_BATCH);
    if (isAnyReady) wakePools();
    return found === DUE_BATCH ? 0 : restUntil(nextMs);
  };

  const loop = (sweep: Sweep, signal = stopping.signal): Promise<void> => {
    const woken = sweep.isWoken === true ? createWake(signal) : null;
    if (woken !== null) sleepers.push(woken);
    return runSweep(sweep, { db, log, signal, woken });
  };
  wakePools();
  const loops = [
    ...pools.map((pool) => ({ name: "claims", run: claiming(pool) })),
    { name: "due", run: sweeping, isWoken: true },
    ...options.sweeps,
  ].map((one) => loop(one));
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

/** Work that shares a number of slots. */
type PoolOfWork = {
  readonly claim: ReturnType<typeof createClaiming>;
  readonly concurrency: number;
  readonly shares: Shares;
  readonly work: Wake;
  running: number;
};

type Running = {
  readonly sinceMs: number;
  /** Fires when the claim is another's, or took too long. */
  readonly lost: AbortController;
  readonly ended: Promise<void>;
};

/** The work of a claim continues the trace that its entity was enqueued in. */
async function inTrace(tracing: Tracing | null, claim: Claim, work: () => Promise<void>): Promise<void> {
  if (tracing === null) return await work();
  const { kind, organizationId, id, trace, attempts } = claim;
  const facts = {
    "slipway.kind": kind,
    "slipway.organization.id": organizationId,
    "slipway.entity.id": id,
    "slipway.attempts": attempts,
  };
  return await tracing.root({ name: `reconcile ${kind}`, kind: "consumer", trace, facts }, work);
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
