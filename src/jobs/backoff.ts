const FIRST_MS = 250;
const LONGEST_MS = 5 * 60_000;

/**
 * How long to wait after this many failed attempts in a row. Pure; `random` is in [0, 1). It counts attempts and
 * ignores the error: error texts contain request ids, and code that treats each new text as a new error would
 * never back off. Equal jitter: one half of the wait is fixed, the other random.
 */
export function backoffMs(attempts: number, random: number): number {
  const ceilingMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts, 20));
  // Full jitter would spread tenants a little more, but would sometimes make a wait of almost zero.
  return Math.round(ceilingMs / 2 + (ceilingMs / 2) * random);
}
