import type { SandboxLog } from "../accounts/stacks.ts";

/** Work that nobody waits for but the end. */
export type Background = {
  run(work: Promise<unknown>, failure: string): void;
  /** When all of it has ended, that begun meanwhile included. */
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
