export type Queue = {
  /**
   * Runs the work in a free slot, in order of arrival. Runs `late` instead when no slot became free within `maxWaitMs`.
   */
  run<T>(work: () => Promise<T>, late: () => T, maxWaitMs: number): Promise<T>;
  /** Refuses new work, and waits for the work that runs or is queued. */
  drain(): Promise<void>;
};

/** Limits how much runs at once. */
export function createQueue(slots: number): Queue {
  // A Set keeps the order of arrival, and work that waited too long can be removed from the middle.
  const waiting = new Set<() => void>();
  let free = slots;
  let draining = false;
  let idle: (() => void)[] = [];

  function enter(maxWaitMs: number): Promise<boolean> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        waiting.delete(start);
        resolve(false);
      }, maxWaitMs);
      waiting.add(start);
    });
  }

  function leave(): void {
    const next = waiting.values().next();
    if (next.done !== true) {
      waiting.delete(next.value);
      next.value();
      return;
    }
    free += 1;
    if (free < slots) return;
    for (const resolve of idle) resolve();
    idle = [];
  }

  return {
    async run(work, late, maxWaitMs) {
      if (draining) throw new Error("The DNS client is closed.");
      if (!(await enter(maxWaitMs))) return late();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    async drain() {
      draining = true;
      if (free < slots) await new Promise<void>((resolve) => idle.push(resolve));
    },
  };
}
