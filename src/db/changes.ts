import { type Database, statement, type Transaction } from "./database.ts";

/**
 * Tells readers that wait (`Prefer: wait`) that a resource changed. A message says only which; the
 * reader looks again. Messages may be lost with a connection, so no one waits for one alone.
 */
export interface Changes {
  /** Resolves when one of the resources changes, after `timeoutMs`, or when the signal fires. */
  wait(resourceIds: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const CHANNEL = "slipway_changes";

const NOTIFY = statement("changes_notify", `SELECT pg_notify('${CHANNEL}', $1)`);

/** Announces a change when the transaction commits. For changes that somebody may be waiting for. */
export async function announceChange(tx: Transaction, resourceId: string): Promise<void> {
  await tx.query(NOTIFY, [resourceId]);
}

export async function listenForChanges(db: Database): Promise<Changes> {
  const waiting = new Map<string, Set<() => void>>();
  const listener = await db.listen(CHANNEL, (resourceId) => {
    for (const wake of waiting.get(resourceId) ?? []) wake();
  });
  return {
    wait: (resourceIds, timeoutMs, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          for (const id of resourceIds) {
            const others = waiting.get(id);
            others?.delete(end);
            if (others?.size === 0) waiting.delete(id);
          }
          resolve();
        };
        const timer = setTimeout(end, timeoutMs);
        signal.addEventListener("abort", end);
        for (const id of resourceIds) {
          const others = waiting.get(id);
          if (others === undefined) waiting.set(id, new Set([end]));
          else others.add(end);
        }
      }),
    close: () => listener.close(),
  };
}
