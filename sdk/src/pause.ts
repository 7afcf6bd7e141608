/** Resolves after a time, or at once when one of the signals fires. */
export function pause(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some((signal) => signal?.aborted === true)) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    for (const signal of signals) signal?.addEventListener("abort", end);
  });
}
