const LANES = 4;

/**
 * Requests a page repeatedly, on a few lanes, until `work` has ended.
 * @param ask rejects when an answer is wrong
 * @returns how many requests were sent
 * @throws Error when any of them failed, or what `work` throws
 */
export async function underLoad(ask: () => Promise<unknown>, work: () => Promise<void>): Promise<number> {
  const ended = new AbortController();
  let asked = 0;
  const failures: unknown[] = [];
  // A lane ends at its first failure: one failure is enough to fail the demo.
  const lane = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      asked += 1;
      try {
        await ask();
      } catch (error) {
        failures.push(error);
        return;
      }
    }
  };
  const lanes = Promise.all(Array.from({ length: LANES }, lane));
  try {
    await work();
  } finally {
    ended.abort();
    await lanes;
  }
  if (failures.length > 0) {
    const [cause] = failures;
    throw new Error(`${asked} requests, ${failures.length} failed: ${String(cause)}`, { cause });
  }
  return asked;
}
