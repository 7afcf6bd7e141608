import { isPassing } from "./unexpected-answer.ts";

const PAUSE_MS = 20;

/**
 * Waits until `look` gives something else than null, undefined or false. Fails with what it last said. A look
 * that was answered that the service is busy or away counts as one that saw nothing.
 */
export async function until<T>(
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  what: string,
  timeoutMs = 60_000,
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
