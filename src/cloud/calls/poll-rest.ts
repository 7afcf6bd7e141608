/**
 * How long to rest before the provider is asked once more whether it is done with something. An eighth of the time
 * that it has taken already: what is done in seconds is seen at once, and what takes a quarter of an hour, as on
 * CloudFront, is not asked for a thousand times of the few calls a second that an account is given.
 */
/** The least, and what is rested before the first look at what was just begun. */
export const SHORTEST_REST_MS = 500;
const LONGEST_MS = 30_000;

/** @param since when the provider began; by its clock or ours, which need not agree */
export function pollRestMs(since: Date, now: Date, leastMs = SHORTEST_REST_MS): number {
  const ageMs = now.getTime() - since.getTime();
  return Math.min(Math.max(ageMs / 8, leastMs), LONGEST_MS);
}
