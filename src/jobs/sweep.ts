/** Loops beside the reconcilers, and how long they rest. An idle one asks the database once a second. */
import type { Database } from "../db/database.ts";
import type { Logger } from "../lib/log.ts";
import { pause } from "../lib/pace/pause.ts";
import type { Wake } from "../lib/pace/wake.ts";
import { backoffMs } from "./backoff.ts";

/** Such as the DNS sweep, or pruning. */
export type Sweep = {
  readonly name: string;
  /** Returns how long to rest, in ms. */
  readonly run: (signal: AbortSignal) => Promise<number>;
  /** Whether announced work, and the end of a step of this process, end its rest, though not its first `BUSY_REST_MS`. */
  readonly isWoken?: boolean;
};

const BUSY_REST_MS = 250;
/** So late is work noticed whose announcement was lost. */
const IDLE_REST_MS = 1_000;

/** How long a sweep rests that found nothing, or not all that it had room for, in ms. @param nextMs until more is due */
export function restUntil(nextMs: number | null): number {
  return Math.min(Math.max(nextMs ?? IDLE_REST_MS, BUSY_REST_MS), IDLE_REST_MS);
}

/** Runs a sweep until the signal fires. A failure is logged, and it is tried again after a backoff. */
export async function runSweep(
  sweep: Sweep,
  around: {
    readonly db: Database;
    readonly log: Logger;
    readonly signal: AbortSignal;
    /** Of a sweep that is woken. */
    readonly woken: Wake | null;
  },
): Promise<void> {
  const { db, log, signal, woken } = around;
  for (let failures = 0; !signal.aborted;) {
    try {
      const restMs = await db.acrossOrganizations(() => sweep.run(signal));
      failures = 0;
      await pause(woken === null ? restMs : Math.min(restMs, BUSY_REST_MS), signal);
      if (restMs > BUSY_REST_MS) await woken?.next(restMs - BUSY_REST_MS);
    } catch (error) {
      failures += 1;
      log.warn({ sweep: sweep.name, failures, err: error }, "A sweep failed and will be tried again");
      await pause(backoffMs(Math.min(failures, 5), Math.random()), signal);
    }
  }
}
