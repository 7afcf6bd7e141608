/** Asks again and again, two at a time, until it is stopped. Whatever is not 200 has failed. */
export function keepAsking(ask: () => Promise<{ readonly status: number }>) {
  const failed: unknown[] = [];
  let asked = 0;
  const stopping = new AbortController();
  const lane = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      asked += 1;
      const status = await ask().then(
        (answer) => answer.status,
        (error: unknown) => error,
      );
      if (status !== 200) failed.push(status);
    }
  };
  const lanes = [lane(), lane()];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(lanes);
      return { asked, failed };
    },
  };
}
