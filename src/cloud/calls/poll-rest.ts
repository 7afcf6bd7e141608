/**
 * How long to wait before asking the provider again whether something is done: an eighth of the time that it has
 * already taken. What takes seconds is seen at once. What takes a quarter of an hour, as on CloudFront, does not
 * use up the few calls per second of an account.
 */
/** The minimum, and the wait before the first check of something that has just begun. */
export const SHORTEST_REST_MS = 500;
const LONGEST_MS = 30_000;

/** @param since when the provider began, by its clock or ours, which may differ */
export function pollRestMs(since: Date, now: Date, leastMs = SHORTEST_REST_MS): number {
  const ageMs = now.getTime() - since.getTime();
  return Math.min(Math.max(ageMs / 8, leastMs), LONGEST_MS);
}
