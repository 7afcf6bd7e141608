/** Lets at most so many go at once; the others wait in their order. What is taken must be given back. */
export function createTurns(atOnce: number): { take(): Promise<() => void> } {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  const giveBack = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return giveBack;
    },
  };
}
