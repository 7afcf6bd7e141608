/**
 * Does one piece of work at a time for all who ask: who asks while it is being done shares the next one, which begins
 * after they asked. However many ask, the work takes one place.
 */
export function shareWork<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  const run = async (): Promise<T> => {
    next = null;
    running = work();
    try {
      return await running;
    } finally {
      running = null;
    }
  };
  return () => {
    if (running === null) return next ?? run();
    next ??= running.then(run, run);
    return next;
  };
}
