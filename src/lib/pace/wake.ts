export type Wake = {
  readonly wake: () => void;
  /** Resolves when it is woken, or was since the last call; or after a time, in ms. */
  readonly next: (forMs?: number) => Promise<void>;
};

/** Lets one caller wait for work. A `wake` before the wait counts too. Also wakes when the signal fires. */
export function createWake(signal: AbortSignal): Wake {
  let hasWork = false;
  let waiting: (() => void) | null = null;
  const wake = (): void => {
    hasWork = true;
    waiting?.();
  };
  signal.addEventListener("abort", wake);
  return {
    wake,
    async next(forMs) {
      if (!hasWork) {
        await new Promise<void>((resolve) => {
          const timer = forMs === undefined ? undefined : setTimeout(resolve, forMs);
          waiting = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      waiting = null;
      hasWork = false;
    },
  };
}
