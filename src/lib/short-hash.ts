const DIGITS = 7;

/** The digits of a commit's hash that people read. Pure. */
export function shortHash(commitHash: string): string {
  return commitHash.slice(0, DIGITS);
}
