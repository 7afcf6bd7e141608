const LANES = 4;

/**
 * Asks for a page again and again, on a few lanes, until `work` has ended.
 * @param ask rejects when the answer is not a right one
 * @returns how many requests were made
 * @throws Error when any of them failed, or what `work` throws
 */
export async function underLoad(ask: () => Promise<unknown>, work: () => Promise<void>): Promise<number> {
  const ended = new AbortController();
  let asked = 0;
  const failures: unknown[] = [];
  // A lane ends at its first failure: one is enough for the demo to fail, however many would follow.
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
