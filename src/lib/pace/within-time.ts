import { setTimeout as sleep } from "node:timers/promises";

/**
 * The result of work, or a refusal if it takes longer. The work is not stopped.
 * @throws what `work` rejects with, or what `refusal` returns
 */
export async function withinTime<T>(forMs: number, work: Promise<T>, refusal: () => Error): Promise<T> {
  const ended = new AbortController();
  const tooLate = sleep(forMs, undefined, { signal: ended.signal }).then(() => {
    throw refusal();
  });
  return await Promise.race([work, tooLate]).finally(() => ended.abort());
}
