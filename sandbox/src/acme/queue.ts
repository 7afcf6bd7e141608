import { createTally } from "../../../src/lib/pace/tally.ts";

/**
 * The order of work: at most `atOnce` names, the accounts in turn, and no account with more than half, so that the names
 * of one customer do not hold up another's.
 */
export type Queue = {
  /** Has work done on a name at the next opportunity. */
  wake(id: string): void;
  forget(id: string): void;
  stop(): Promise<void>;
};

const SWEEP_MS = 500;

export function createQueue(options: {
  readonly atOnce: number;
  readonly now: () => number;
  readonly accountOf: (id: string) => string;
  /** Does one step. @returns when the next one is due, by `now`; null if only `wake` brings it back. Never rejects. */
  readonly work: (id: string) => Promise<number | null>;
}): Queue {
  const { atOnce, now, accountOf, work } = options;
  const perAccount = Math.max(1, Math.ceil(atOnce / 2));
  /** By account, the account whose turn is next first. */
  const ready = new Map<string, Set<string>>();
  const dueAt = new Map<string, number>();
  const running = new Map<string, Promise<void>>();
  const runningOf = createTally();
  const again = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  let isStopped = false;

  function wake(id: string): void {
    if (isStopped) return;
    if (running.has(id)) {
      again.add(id);
      return;
    }
    dueAt.delete(id);
    const account = accountOf(id);
    ready.set(account, (ready.get(account) ?? new Set()).add(id));
    pump();
  }

  function pump(): void {
    // A full round without a start ends it.
    let idle = 0;
    while (running.size < atOnce && idle < ready.size) {
      const [first] = ready;
      if (first === undefined) return;
      const [account, ids] = first;
      ready.delete(account);
      const [id] = ids;
      if (id !== undefined && runningOf.of(account) < perAccount) {
        ids.delete(id);
        idle = 0;
        begin(id, account);
      } else idle += 1;
      if (ids.size > 0) ready.set(account, ids);
    }
  }

  function begin(id: string, account: string): void {
    runningOf.add(account, 1);
    const step = work(id).then((at) => {
      running.delete(id);
      runningOf.add(account, -1);
      if (again.delete(id)) wake(id);
      else if (at !== null) schedule(id, at);
      pump();
    });
    running.set(id, step);
  }

  function schedule(id: string, at: number): void {
    if (isStopped) return;
    dueAt.set(id, at);
    const restMs = at - now();
    if (restMs >= SWEEP_MS) return;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        if (dueAt.get(id) === at) wake(id);
      },
      Math.max(0, restMs),
    );
    timers.add(timer);
  }

  const sweep = setInterval(() => {
    const at = now();
    for (const [id, due] of dueAt) if (due <= at) wake(id);
  }, SWEEP_MS);

  return {
    wake,
    forget(id) {
      dueAt.delete(id);
      again.delete(id);
      const account = accountOf(id);
      const ids = ready.get(account);
      ids?.delete(id);
      if (ids?.size === 0) ready.delete(account);
    },
    async stop() {
      isStopped = true;
      clearInterval(sweep);
      for (const timer of timers) clearTimeout(timer);
      ready.clear();
      dueAt.clear();
      await Promise.all(running.values());
    },
  };
}
