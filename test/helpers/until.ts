import { isPassing } from "./unexpected-answer.ts";

const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/**
 * How long to rest between two looks of a wait: a tenth of the time waited so far. Looking all the time would take more
 * of the processor than what the wait is for.
 */
export function pauseMs(waitedMs: number, shortestMs = SHORTEST_PAUSE_MS): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(shortestMs, waitedMs / 10));
}

/**
 * Waits until `look` returns something other than null, undefined or false. If the service answers that it is busy or
 * away, that look found nothing.
 * @throws after `timeoutMs`, with the error of the last look, if any, as the cause
 */
export async function until<T>(
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  what: string,
  timeoutMs = 120_000,
): Promise<T> {
  const sinceMs = performance.now();
  for (;;) {
    let busy: unknown = null;
    try {
      const found = await look();
      if (found !== null && found !== undefined && found !== false) return found;
    } catch (error) {
      if (!isPassing(error)) throw error;
      busy = error;
    }
    const waitedMs = performance.now() - sinceMs;
    if (waitedMs > timeoutMs) {
      throw new Error(`Within ${timeoutMs} ms this did not come true: ${what}`, { cause: busy ?? undefined });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs(waitedMs)));
  }
}
