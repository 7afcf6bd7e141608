const PAUSE_MS = 20;

/** Waits until `look` gives something else than null, undefined or false; fails with what it last said. */
export async function until<T>(
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  what: string,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`Within ${timeoutMs} ms this did not come true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
