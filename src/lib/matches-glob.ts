/**
 * Whether a text, such as a path or a branch, matches a pattern, as of file names: `?` is one character, `*` any text
 * without a slash, and `**` between slashes any number of folders, also with names that begin with a dot. Every other
 * character is itself. Takes time in proportion to both lengths, because strangers choose the names. Pure.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  const folders = pattern.split("/");
  // The content of a folder, but not the folder itself.
  if (folders.at(-1) === FOLDERS) folders.push("*");
  return matchesAll(text.split("/"), folders, FOLDERS, matchesName);
}

const FOLDERS = "**";

function matchesName(name: string, pattern: string): boolean {
  if (!/[*?]/.test(pattern)) return name === pattern;
  const isOne = (one: string, wanted: string) => wanted === "?" || one === wanted;
  return matchesAll(Array.from(name), Array.from(pattern), "*", isOne);
}

/** Only the last `any` before a difference takes more parts: what an earlier one would take, the last one can, too. */
function matchesAll(
  parts: readonly string[],
  patterns: readonly string[],
  any: string,
  matchesOne: (part: string, pattern: string) => boolean,
): boolean {
  let next = 0;
  let last: { readonly next: number; readonly taken: number } | null = null;
  for (let at = 0; at < parts.length;) {
    const [part = "", pattern] = [parts[at], patterns[next]];
    if (pattern === any) {
      next += 1;
      last = { next, taken: at };
    } else if (pattern !== undefined && matchesOne(part, pattern)) {
      at += 1;
      next += 1;
    } else if (last === null) return false;
    else {
      last = { next: last.next, taken: last.taken + 1 };
      ({ next, taken: at } = last);
    }
  }
  return patterns.slice(next).every((pattern) => pattern === any);
}
