import path from "node:path";

/** Whether a text, such as a path or a branch, matches a pattern with `*`, `**` and `?`, as of file names. Pure. */
export function matchesGlob(text: string, pattern: string): boolean {
  return path.posix.matchesGlob(text, pattern);
}
