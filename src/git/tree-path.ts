/**
 * Whether a path can name a file in a git tree: relative, without empty, `.` or `..` segments, control characters or
 * backslashes. No file has any other path, so we do not ask the host, which might interpret the path differently.
 */
export function isTreePath(path: string): boolean {
  if (path.length > 4096 || !path.isWellFormed() || /[\p{Cc}\\]/u.test(path)) return false;
  return path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}
