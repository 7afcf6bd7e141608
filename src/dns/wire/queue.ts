import pLimit from "p-limit";

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
  const inSlot = pLimit(slots);
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    async run<T>(work: () => Promise<T>, late: () => T, maxWaitMs: number): Promise<T> {
      if (isClosed) throw new Error("The DNS client is closed.");
      let isLate = false;
      const tooLate = Promise.withResolvers<T>();
      const timer = setTimeout(() => {
        isLate = true;
        tooLate.resolve(late());
      }, maxWaitMs);
      const done = inSlot(() => {
        clearTimeout(timer);
        // The caller has given up, so the slot passes to the next query.
        return isLate ? tooLate.promise : work();
      });
      underWay.add(done);
      try {
        return await Promise.race([done, tooLate.promise]);
      } finally {
        underWay.delete(done);
      }
    },
    async drain() {
      isClosed = true;
      await Promise.allSettled(underWay);
    },
  };
}
