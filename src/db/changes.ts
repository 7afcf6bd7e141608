import type { Database, Transaction } from "./database.ts";

/**
 * Wakes readers that wait (`Prefer: wait`) when a resource changes. A message only names the resource; the reader reads
 * it again. Messages can be lost with a connection, so readers also look again after a time.
 */
export interface Changes {
  /** Receives every change of the resources from now on, until it is closed. */
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
 * Announces a change when the transaction commits. Given the database, announces at once a change that has been
 * committed. Only for changes that a reader may wait for.
 */
export function announceChange(to: Transaction | Database, resourceId: string): void {
  to.notify(CHANNEL, resourceId);
}

export async function listenForChanges(db: Database): Promise<Changes> {
  const subscribers = new Map<string, Set<() => void>>();
  let open = 0;
  const listener = await db.listen(
    CHANNEL,
    (resourceId) => {
      for (const tell of subscribers.get(resourceId) ?? []) tell();
    },
    // Whatever they wait for may have been announced meanwhile.
    () => {
      for (const tells of subscribers.values()) for (const tell of tells) tell();
    },
  );
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
