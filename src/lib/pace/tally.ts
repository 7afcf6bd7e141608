/** A number for each key, zero at first. A key at zero takes no memory. */
export type Tally = {
  of(key: string): number;
  add(key: string, by: number): void;
  /** The keys that are not at zero. */
  entries(): Iterable<readonly [string, number]>;
};

export function createTally(): Tally {
  const numbers = new Map<string, number>();
  const of = (key: string): number => numbers.get(key) ?? 0;
  return {
    of,
    add(key, by) {
      const sum = of(key) + by;
      if (sum === 0) numbers.delete(key);
      else numbers.set(key, sum);
    },
    entries: () => numbers.entries(),
  };
}
