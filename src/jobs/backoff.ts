const FIRST_MS = 250;
const LONGEST_MS = 5 * 60_000;

/**
 * How long to wait after so many failed attempts in a row. Pure; `random` is in [0, 1). It counts
 * attempts and never reads what went wrong: error texts carry request ids, and a loop that takes each
 * for news never backs off. With equal jitter: one half of the wait is fixed, the other random.
 */
export function backoffMs(attempts: number, random: number): number {
  const ceilingMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts, 20));
  // Full jitter would spread tenants a little more, and would now and then make a wait of almost nothing.
  return Math.round(ceilingMs / 2 + (ceilingMs / 2) * random);
}
