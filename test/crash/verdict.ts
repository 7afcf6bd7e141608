/** What runs with faults say at their end: times, failures, and whether all promises held. */
import type { Mortal } from "./deaths/mortal.ts";

/** Prints failures and verdict. @param held what is said when there are none @returns whether there are none */
export function tellVerdict(
  failures: readonly string[],
  processes: readonly Mortal[],
  held: string,
): boolean {
  for (const failure of failures) console.log(`FAILED: ${failure}`);
  // The cause of an answer that no client should have received.
  if (failures.length > 0)
    for (const { name, defects } of processes)
      for (const line of defects) console.log(`${name} told: ${line}`);
  console.log(failures.length === 0 ? held : `The promises did not hold: ${failures.length} breaches.`);
  return failures.length === 0;
}

/** @param times in ms */
export function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => seconds(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)} (${sorted.length} measured)`;
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
