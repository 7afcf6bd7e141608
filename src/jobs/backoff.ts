const FIRST_MS = 250;
/** AWS's advice for many tenants: full jitter, bounded (aws-and-threats, section 2). */
const LONGEST_MS = 5 * 60_000;

/**
 * How long to wait after so many failed attempts in a row. Pure; `random` is in [0, 1). It counts
 * attempts and never reads what went wrong: error texts carry request ids, and a loop that takes each
 * for news never backs off.
 */
export function backoffMs(attempts: number, random: number): number {
  const ceilingMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts, 20));
  // Half is fixed, so that jitter never makes a wait of almost nothing.
  return Math.round(ceilingMs / 2 + (ceilingMs / 2) * random);
}
