import type { Background } from "../background.ts";

/** Work by keys: work of one key never overlaps. */
export type Sequences = {
  isBusy(key: string): boolean;
  run(key: string, work: () => Promise<void>, failure: string): void;
};

export function createSequences(background: Background): Sequences {
  const last = new Map<string, Promise<void>>();
  return {
    isBusy: (key) => last.has(key),
    run(key, work, failure) {
      const before = last.get(key) ?? Promise.resolve();
      const mine = before
        .catch(() => undefined)
        .then(work)
        .finally(() => {
          if (last.get(key) === mine) last.delete(key);
        });
      last.set(key, mine);
      background.run(mine, failure);
    },
  };
}
