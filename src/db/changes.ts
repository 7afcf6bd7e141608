import type { Database, Transaction } from "./database.ts";

/**
 * Tells readers that wait (`Prefer: wait`) that a resource changed. A message says only which; the
 * reader looks again. Messages may be lost with a connection, so no one waits for one alone.
 */
export interface Changes {
  /** Hears of every change of the resources from now on, until closed. */
  subscribe(resourceIds: readonly string[]): Subscription;
  /** How many subscriptions are open. */
  count(): number;
  close(): Promise<void>;
}

export interface Subscription {
  /**
   * Resolves when one of the resources has changed since the last call (or since subscribing), after
   * `timeoutMs`, or when the signal fires.
   */
  next(timeoutMs: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

const CHANNEL = "slipway_changes";

/**
 * Announces a change when the transaction has committed, or, given the database itself, one that has been committed.
 * For changes that somebody may be waiting for.
 */
export function announceChange(to: Transaction | Database, resourceId: string): void {
  to.notify(CHANNEL, resourceId);
}

export async function listenForChanges(db: Database): Promise<Changes> {
  const subscribers = new Map<string, Set<() => void>>();
  let open = 0;
  const listener = await db.listen(CHANNEL, (resourceId) => {
    for (const tell of subscribers.get(resourceId) ?? []) tell();
  });
  return {
    subscribe(resourceIds) {
      open += 1;
      let hasChanged = false;
      let wake: (() => void) | null = null;
      const tell = (): void => {
        hasChanged = true;
        wake?.();
      };
      for (const id of resourceIds) {
        const others = subscribers.get(id);
        if (others === undefined) subscribers.set(id, new Set([tell]));
        else others.add(tell);
      }
      return {
        next: (timeoutMs, signal) =>
          new Promise((resolve) => {
            const end = (): void => {
              clearTimeout(timer);
              signal.removeEventListener("abort", end);
              wake = null;
              hasChanged = false;
              resolve();
            };
            const timer = setTimeout(end, timeoutMs);
            signal.addEventListener("abort", end);
            wake = end;
            if (hasChanged || signal.aborted) end();
          }),
        close() {
          open -= 1;
          for (const id of resourceIds) {
            const others = subscribers.get(id);
            others?.delete(tell);
            if (others?.size === 0) subscribers.delete(id);
          }
        },
      };
    },
    count: () => open,
    close: () => listener.close(),
  };
}
