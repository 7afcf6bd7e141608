import { setTimeout as sleep } from "node:timers/promises";

/** Resolves after the time, or at once when the signal fires. Never rejects. */
export async function pause(forMs: number, signal: AbortSignal): Promise<void> {
  await sleep(forMs, undefined, { signal }).catch(() => undefined);
}
