import { UsageError } from "../output/failure.ts";
import { type Command, GLOBAL_FLAGS } from "./command.ts";
import { nearest } from "./nearest.ts";
import { COMMANDS, GROUPS, groupOf } from "./table.ts";

/** What the first words of a command line select. */
export type Found =
  | { readonly kind: "command"; readonly command: Command; readonly rest: readonly string[] }
  | { readonly kind: "group"; readonly word: string; readonly isHelp: boolean }
  | { readonly kind: "root" }
  | { readonly kind: "version" };

/**
 * Finds the command. Flags of every command may stand before its words.
 * @param others words of commands that another program has, to be suggested as well
 * @throws UsageError for an unknown command, with the nearest
 */
export function findCommand(args: readonly string[], others: readonly string[] = []): Found {
  const before: string[] = [];
  let index = 0;
  for (; index < args.length; index += 1) {
    const arg = args[index] ?? "";
    if (arg === "--version" || arg === "-v") return { kind: "version" };
    if (!arg.startsWith("-")) break;
    const flag = GLOBAL_FLAGS.find(
      ({ name, short }) => arg.split("=")[0] === `--${name}` || arg === `-${short}`,
    );
    if (flag === undefined)
      throw unknown(`There is no flag ${arg} before a command.`, arg, flagNames(), "--");
    before.push(arg);
    if (flag.value === undefined || arg.includes("=")) continue;
    index += 1;
    before.push(...args.slice(index, index + 1));
  }
  const isHelp = before.some((arg) => arg === "--help" || arg === "-h");
  const [first, second, ...rest] = args.slice(index);
  if (first === undefined) return { kind: "root" };
  if (first === "help") return findCommand([...args.slice(index + 1), "--help"], others);
  const single = COMMANDS.find(({ words }) => words === first);
  if (single !== undefined)
    return { kind: "command", command: single, rest: [...before, ...args.slice(index + 1)] };
  if (!GROUPS.some(({ word }) => word === first)) {
    const words = [...new Set([...COMMANDS.map(groupOf), ...others])];
    throw unknown(`There is no command ${first}.`, first, words, "", "See slipway --help.");
  }
  if (second === undefined || second.startsWith("-"))
    return { kind: "group", word: first, isHelp: isHelp || second === "--help" || second === "-h" };
  const members = COMMANDS.filter((command) => groupOf(command) === first);
  const member = members.find(({ words }) => words === `${first} ${second}`);
  if (member !== undefined) return { kind: "command", command: member, rest: [...before, ...rest] };
  const names = members.map(({ words }) => words.slice(first.length + 1));
  throw unknown(
    `There is no command ${first} ${second}.`,
    second,
    names,
    `${first} `,
    `See slipway ${first} --help.`,
  );
}

const flagNames = (): readonly string[] => [...GLOBAL_FLAGS.map(({ name }) => name), "version"];

function unknown(
  message: string,
  typed: string,
  words: readonly string[],
  prefix: string,
  hint: string | null = null,
): UsageError {
  const near = nearest(typed.replace(/^-+/, ""), words);
  return new UsageError(near === null ? message : `${message} Did you mean ${prefix}${near}?`, hint);
}
