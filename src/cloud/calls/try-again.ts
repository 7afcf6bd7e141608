import { setTimeout as sleep } from "node:timers/promises";

export type Tries = {
  /** Tries of one call at most, the first included. */
  readonly attempts: number;
  /** Longest pause before the second try; it doubles from try to try. */
  readonly firstPauseMs: number;
};

/** Makes a call again at once, a few times, while its failure may pass. @throws what the last try failed with */
export async function tryAgain<Answer>(
  call: () => Promise<Answer>,
  { attempts, firstPauseMs }: Tries,
  mayPass: (error: unknown) => boolean,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries >= attempts || !mayPass(error)) throw error;
      // Full jitter: those that failed together do not come back together.
      await sleep(Math.random() * firstPauseMs * 2 ** (tries - 1));
    }
  }
}
