/**
 * Descriptors that this process got from its own parent, such as those of a shell's `exec 63>file`. Node closes only
 * the first of them in its children. The others would reach every command of a repository.
 */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";

/** `O_CLOEXEC` of Linux, in octal as `/proc` shows it. */
const CLOSED_ON_EXEC = 0o2000000;

/** Finds the descriptors that children of this process inherit, except for the standard ones. */
export function findStrayDescriptors(): readonly number[] {
  const folder = "/dev/fd";
  const all = existsSync(folder) ? readdirSync(folder).map(Number) : [];
  return all.filter((one) => one > 2 && isOpen(one) && isInherited(one));
}

/**
 * Calls `spawn` with the `stdio` of a child from the position `first` on: `/dev/null` in place of each stray
 * descriptor. At the other positions, `ignore` leaves closed what is closed when the child starts.
 */
export function coverStray<T>(
  stray: readonly number[],
  first: number,
  spawn: (stdio: readonly (number | "ignore")[]) => T,
): T {
  const last = Math.max(...stray, first - 1);
  if (last < first) return spawn([]);
  const nothing = openSync("/dev/null", "r");
  try {
    return spawn(
      Array.from({ length: last - first + 1 }, (_, index) =>
        stray.includes(first + index) ? nothing : "ignore",
      ),
    );
  } finally {
    closeSync(nothing);
  }
}

/** The descriptor that read the folder is closed by now. */
function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

/** Without Linux's `/proc`, every descriptor may be inherited. */
function isInherited(descriptor: number): boolean {
  const file = `/proc/self/fdinfo/${descriptor}`;
  if (!existsSync(file)) return true;
  const flags = /^flags:\s*(\d+)/m.exec(readFileSync(file, "utf8"))?.[1] ?? "0";
  return (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
}
