import { type Command, GLOBAL_FLAGS, groupOf, type Table } from "./command.ts";
import { EXIT, UsageError } from "./failure.ts";

/** What the first words of a command line select. */
export type Found =
  | { readonly kind: "command"; readonly command: Command; readonly rest: readonly string[] }
  | { readonly kind: "group"; readonly word: string; readonly isHelp: boolean }
  | { readonly kind: "root" }
  | { readonly kind: "version" };

/**
 * Finds the command. Flags of every command may stand before its words.
 * @throws UsageError for an unknown command, with the nearest
 */
export function findCommand({ commands, groups }: Table, args: readonly string[]): Found {
  const before: string[] = [];
  let index = 0;
  for (; index < args.length; index += 1) {
    const arg = args[index] ?? "";
    if (arg === "--version" || arg === "-v") return { kind: "version" };
    if (!arg.startsWith("-")) break;
    const flag = GLOBAL_FLAGS.find(
      ({ name, short }) => arg.split("=")[0] === `--${name}` || arg === `-${short}`,
    );
    if (flag === undefined) {
      const names = [...GLOBAL_FLAGS.map(({ name }) => `--${name}`), "--version"];
      throw new UsageError(`There is no flag ${arg} before a command.${suggest(arg, names)}`);
    }
    before.push(arg);
    if (flag.value === undefined || arg.includes("=")) continue;
    index += 1;
    before.push(...args.slice(index, index + 1));
  }
  const [first, second, ...rest] = args.slice(index);
  if (first === undefined) return { kind: "root" };
  if (first === "help") return findCommand({ commands, groups }, [...args.slice(index + 1), "--help"]);
  const members = commands.filter((command) => groupOf(command) === first);
  const member = members.find(({ words }) => words === `${first} ${second}`);
  if (member !== undefined) return { kind: "command", command: member, rest: [...before, ...rest] };
  const single = members.find(({ words }) => words === first);
  if (single !== undefined)
    return { kind: "command", command: single, rest: [...before, ...args.slice(index + 1)] };
  if (members.length === 0)
    throw new UsageError(
      `There is no command ${first}.${suggest(first, commands.map(groupOf))}`,
      "See slipway --help.",
    );
  if (second === undefined || second.startsWith("-")) {
    const isHelp = [...before, second].some((arg) => arg === "--help" || arg === "-h");
    return { kind: "group", word: first, isHelp };
  }
  const typed = `${first} ${second}`;
  const near = suggest(
    second,
    members.map(({ words }) => words.slice(first.length + 1)),
    `${first} `,
  );
  throw new UsageError(
    `There is no command ${typed}.${near}`,
    `See slipway ${first} --help.`,
    usageCodeOf(members),
  );
}

/** The exit code for a mistake in the line of such commands. Those of operators have always ended with 1. */
export function usageCodeOf(commands: readonly Command[]): number {
  return commands.every((command) => "operate" in command) ? EXIT.FAILED : EXIT.USAGE;
}

/** Names the word that a mistyped one most likely meant; empty if none is near. */
export function suggest(typed: string, words: readonly string[], prefix = ""): string {
  let best: { readonly word: string; readonly edits: number } | null = null;
  for (const word of words) {
    const edits = word.startsWith(typed) && typed.length > 1 ? 1 : editsBetween(typed, word);
    if (edits <= Math.max(1, Math.floor(word.length / 3)) && (best === null || edits < best.edits))
      best = { word, edits };
  }
  return best === null ? "" : ` Did you mean ${prefix}${best.word}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row += 1) {
    rows[row] = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + cost,
          row > 1 && column > 1 && isSwap ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
