import { isPassing } from "./unexpected-answer.ts";

const PAUSE_MS = 20;

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
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let busy: unknown = null;
    try {
      const found = await look();
      if (found !== null && found !== undefined && found !== false) return found;
    } catch (error) {
      if (!isPassing(error)) throw error;
      busy = error;
    }
    if (Date.now() > deadline) {
      throw new Error(`Within ${timeoutMs} ms this did not come true: ${what}`, { cause: busy ?? undefined });
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
