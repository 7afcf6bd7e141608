import type { SandboxLog } from "../accounts/stacks.ts";

/** Background work that nothing waits for before the process stops. */
export type Background = {
  run(work: Promise<unknown>, failure: string): void;
  /** Resolves when all work has ended, including work that starts in the meantime. */
  settle(): Promise<void>;
};

export function createBackground(log: SandboxLog): Background {
  const underWay = new Set<Promise<unknown>>();
  return {
    run(work, failure) {
      const watched = work
        .catch((error: unknown) => log.warn({ err: error }, failure))
        .finally(() => underWay.delete(watched));
      underWay.add(watched);
    },
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
