/**
 * Descriptors that this process got from its own parent, such as those of a shell's `exec 63>file`. Node marks what it
 * opens as not inherited, and of what it got only the first. The others would reach every command of a repository.
 */
import { existsSync, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";

/** `O_CLOEXEC` of Linux, in octal as `/proc` shows it. */
const CLOSED_ON_EXEC = 0o2000000;

/**
 * What a command gets at the positions from `first` on: nothing to read in place of each stray descriptor. At the other
 * positions, `ignore` leaves what is closed when the command starts.
 */
export function coverStray(first: number): readonly (number | "ignore")[] {
  const last = Math.max(...STRAY, first - 1);
  return Array.from({ length: last - first + 1 }, (_, index) =>
    STRAY.includes(first + index) ? nothing() : "ignore",
  );
}

let opened: number | null = null;

/** A descriptor of `/dev/null`. */
function nothing(): number {
  return (opened ??= openSync("/dev/null", "r"));
}

/** Only what a process is started with is inherited, so they are looked for once. */
const STRAY = findStray();

function findStray(): readonly number[] {
  const folder = "/dev/fd";
  const all = existsSync(folder) ? readdirSync(folder).map(Number) : [];
  return all.filter((one) => one > 2 && isOpen(one) && isInherited(one));
}

/** The one that read the folder is closed by now. */
function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

/** Without Linux's `/proc` each may be. */
function isInherited(descriptor: number): boolean {
  const file = `/proc/self/fdinfo/${descriptor}`;
  if (!existsSync(file)) return true;
  const flags = /^flags:\s*(\d+)/m.exec(readFileSync(file, "utf8"))?.[1] ?? "0";
  return (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
}
