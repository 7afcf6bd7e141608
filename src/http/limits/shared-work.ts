/**
 * Runs one piece of work at a time for all callers. Calls during a run share the next run, which begins after
 * them. However many callers there are, there is at most one run at a time.
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
