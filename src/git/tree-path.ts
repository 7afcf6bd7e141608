/**
 * Whether a path can name a file in a git tree: relative, without empty, `.` or `..` segments, control characters or
 * backslashes. Any other is known not to exist without asking the host, which might read it otherwise.
 */
export function isTreePath(path: string): boolean {
  if (path.length > 4096 || !path.isWellFormed() || /[\p{Cc}\\]/u.test(path)) return false;
  return path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}
