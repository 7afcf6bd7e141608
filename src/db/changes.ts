import type { Database, Transaction } from "./database.ts";

/**
 * Wakes readers that wait (`Prefer: wait`) when a resource changes. A message only names the resource; the reader reads
 * it again. Messages can be lost with a connection, so readers also look again after a time.
 */
export interface Changes {
  /** Receives every change of the resources from now on, until it is closed. */
  subscribe(resourceIds: readonly string[]): Subscription;
  /** Whether a reader waits for a resource, in any process, or did within the last minute. */
  isAwaited(resourceId: string): boolean;
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

/** Comes before the id in messages that say that a reader waits for the resource. */
const AWAITED = "awaited ";
/** How long a resource counts as awaited after such a message, and how often readers repeat the message, in ms. */
const AWAITED_FOR_MS = 60_000;
const SAY_AGAIN_MS = 20_000;
/** The maximum number of remembered ids. Forgetting them is harmless: awaited resources are only checked sooner. */
const MOST_AWAITED = 50_000;

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
  /** Until when each resource counts as awaited. */
  const awaited = new Map<string, number>();
  const listener = await db.listen(
    CHANNEL,
    (message) => {
      if (message.startsWith(AWAITED)) {
        if (awaited.size >= MOST_AWAITED) awaited.clear();
        awaited.set(message.slice(AWAITED.length), Date.now() + AWAITED_FOR_MS);
      } else for (const notify of subscribers.get(message) ?? []) notify();
    },
    // Whatever they wait for may have been announced meanwhile.
    () => {
      for (const all of subscribers.values()) for (const notify of all) notify();
    },
  );
  const sayAwaited = (resourceId: string): void => {
    const isSaid = (awaited.get(resourceId) ?? 0) > Date.now() + AWAITED_FOR_MS - SAY_AGAIN_MS;
    if (!isSaid) db.notify(CHANNEL, AWAITED + resourceId);
  };
  return {
    isAwaited: (resourceId) => (awaited.get(resourceId) ?? 0) > Date.now(),
    subscribe(resourceIds) {
      open += 1;
      for (const id of resourceIds) sayAwaited(id);
      let hasChanged = false;
      let wake: (() => void) | null = null;
      const notify = (): void => {
        hasChanged = true;
        wake?.();
      };
      for (const id of resourceIds) {
        const others = subscribers.get(id);
        if (others === undefined) subscribers.set(id, new Set([notify]));
        else others.add(notify);
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
            others?.delete(notify);
            if (others?.size === 0) subscribers.delete(id);
          }
        },
      };
    },
    count: () => open,
    close: () => listener.close(),
  };
}
