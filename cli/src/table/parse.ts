import { parseArgs } from "node:util";
import { UsageError } from "../output/failure.ts";
import { type Command, type Flag, GLOBAL_FLAGS } from "./command.ts";
import type { Typed } from "./input.ts";
import { nearest } from "./nearest.ts";

/**
 * Reads what follows a command's words.
 * @throws UsageError for an unknown flag, which is named with the nearest, a missing value, and a wrong number of
 * arguments
 */
export function parseInput(command: Command, args: readonly string[]): Typed {
  const flags = [...(command.flags ?? []), ...GLOBAL_FLAGS];
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(flags.map((flag) => [flag.name, optionOf(flag)])),
    // Its own refusals name no neighbour.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const flag = flags.find(({ name }) => name === token.name);
    if (flag === undefined) throw unknownFlag(token.rawName, flags, command);
    const value = valueOf(flag, token);
    const values = given.get(flag.name) ?? [];
    if (values.length > 0 && flag.value !== undefined && flag.many !== true)
      throw new UsageError(`--${flag.name} was given twice.`);
    given.set(flag.name, [...values, value]);
  }
  // Help was asked for: what is missing does not matter.
  const isHelp = given.has("help");
  return {
    flags: given,
    known: new Set(flags.map(({ name }) => name)),
    arguments: isHelp ? new Map() : readArguments(command, positionals),
  };
}

function optionOf({ value, short }: Flag): { type: "string" | "boolean"; multiple: true; short?: string } {
  const type = value === undefined ? "boolean" : "string";
  return { type, multiple: true, ...(short === undefined ? {} : { short }) };
}

type OptionToken = {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
};

function valueOf(flag: Flag, { rawName, value, inlineValue }: OptionToken): string {
  if (flag.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    return "";
  }
  if (value === undefined || (inlineValue !== true && /^-./.test(value)))
    throw new UsageError(
      `${rawName} needs a value: --${flag.name} ${flag.value}. One that begins with a dash is written --${flag.name}=VALUE.`,
    );
  if (flag.choices !== undefined && !flag.choices.includes(value))
    throw new UsageError(`${rawName} must be one of ${flag.choices.join(", ")}, not "${value}".`);
  flag.check?.(flag.name, value);
  return value;
}

function unknownFlag(typed: string, flags: readonly Flag[], command: Command): UsageError {
  const names = flags.map(({ name }) => name);
  const near = nearest(typed.replace(/^-+/, ""), names);
  const meant = near === null ? "" : ` Did you mean --${near}?`;
  return new UsageError(`There is no flag ${typed}.${meant}`, usageHint(command));
}

export function usageHint({ words }: Command): string {
  return `See slipway ${words} --help.`;
}

function readArguments(
  command: Command,
  positionals: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const wanted = command.arguments ?? [];
  const read = new Map<string, readonly string[]>();
  let rest = positionals;
  for (const argument of wanted) {
    const values = argument.many === true ? rest : rest.slice(0, 1);
    rest = rest.slice(values.length);
    if (values.length === 0 && argument.optional !== true)
      throw new UsageError(`The argument ${argument.name} is missing: ${argument.says}.`, usageHint(command));
    const wrong = values.find((value) => argument.choices?.includes(value) === false);
    if (wrong !== undefined)
      throw new UsageError(
        `${argument.name} must be one of ${argument.choices?.join(", ") ?? ""}, not "${wrong}".`,
        usageHint(command),
      );
    read.set(argument.name, values);
  }
  if (rest.length > 0)
    throw new UsageError(`Unexpected argument: ${JSON.stringify(rest[0] ?? "")}.`, usageHint(command));
  return read;
}
