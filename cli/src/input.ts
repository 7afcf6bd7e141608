import { parseArgs } from "node:util";
import { type Argument, type Command, type Flag, flagsOf, type Input } from "./command.ts";
import { UsageError } from "./failure.ts";
import { suggest, usageCodeOf } from "./find.ts";

/**
 * Reads what follows a command's words.
 * @throws UsageError for an unknown flag, which is named with the nearest, a missing value, and a wrong number of
 * arguments
 */
export function parseInput(command: Command, args: readonly string[]): Input {
  const flags = flagsOf(command);
  const refuse = (message: string): UsageError =>
    new UsageError(message, `See slipway ${command.words} --help.`, usageCodeOf([command]));
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      flags.map(({ name, value, short }) => {
        const type: "boolean" | "string" = value === undefined ? "boolean" : "string";
        return [name, { type, multiple: true, ...(short === undefined ? {} : { short }) }];
      }),
    ),
    // Its own refusals name no neighbour.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, readonly string[]>(flags.map(({ name }) => [name, []]));
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const flag = flags.find(({ name }) => name === token.name);
    if (flag === undefined) {
      const near = suggest(
        token.rawName,
        flags.map(({ name }) => `--${name}`),
      );
      throw refuse(`There is no flag ${token.rawName}.${near}`);
    }
    const values = given.get(flag.name) ?? [];
    if (values.length > 0 && flag.value !== undefined && flag.many !== true)
      throw refuse(`--${flag.name} was given twice.`);
    given.set(flag.name, [...values, valueOf(flag, token, refuse)]);
  }
  // With --help, what is missing does not matter.
  if (given.get("help")?.length !== 0) return createInput(given, new Map());
  const missing = flags.find(({ name, required }) => required === true && given.get(name)?.length === 0);
  if (missing !== undefined)
    throw refuse(`--${missing.name} ${missing.value ?? ""} is missing: ${missing.says}.`);
  return createInput(given, readArguments(command.arguments ?? [], positionals, refuse));
}

type Refuse = (message: string) => UsageError;

type OptionToken = {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
};

function valueOf(flag: Flag, { rawName, value, inlineValue }: OptionToken, refuse: Refuse): string {
  if (flag.value === undefined) {
    if (value !== undefined) throw refuse(`${rawName} takes no value.`);
    return "";
  }
  if (value === undefined || (inlineValue !== true && /^-./.test(value)))
    throw refuse(
      `${rawName} needs a value: --${flag.name} ${flag.value}. A value with a leading dash is written --${flag.name}=VALUE.`,
    );
  if (flag.choices !== undefined && !flag.choices.includes(value))
    throw refuse(`${rawName} must be one of ${flag.choices.join(", ")}, not "${value}".`);
  if (flag.value === "DURATION") readDuration(flag.name, value);
  return value;
}

function readArguments(
  expected: readonly Argument[],
  positionals: readonly string[],
  refuse: Refuse,
): ReadonlyMap<string, readonly string[]> {
  const read = new Map<string, readonly string[]>();
  let rest = positionals;
  for (const { name, says, many, optional, choices } of expected) {
    const values = many === true ? rest : rest.slice(0, 1);
    rest = rest.slice(values.length);
    if (values.length === 0 && optional !== true) throw refuse(`The argument ${name} is missing: ${says}.`);
    const wrong = values.find((value) => choices?.includes(value) === false);
    if (wrong !== undefined)
      throw refuse(`${name} must be one of ${choices?.join(", ") ?? ""}, not "${wrong}".`);
    read.set(name, values);
  }
  if (rest.length > 0) throw refuse(`Unexpected argument: ${JSON.stringify(rest[0] ?? "")}.`);
  return read;
}

type Typed = ReadonlyMap<string, readonly string[]>;

function createInput(flags: Typed, given: Typed): Input {
  // A mistake of ours, which would otherwise read as "not given" for ever.
  const valuesOf = (typed: Typed, name: string): readonly string[] => {
    const values = typed.get(name);
    if (values === undefined) throw new Error(`The command does not define ${name}.`);
    return values;
  };
  const required = (value: string | undefined, name: string): string => {
    if (value === undefined) throw new Error(`The table does not require ${name}.`);
    return value;
  };
  return {
    argument: (name) => required(valuesOf(given, name)[0], name),
    optionalArgument: (name) => valuesOf(given, name)[0],
    all: (name) => valuesOf(given, name),
    isSet: (flag) => valuesOf(flags, flag).length > 0,
    text: (flag) => valuesOf(flags, flag).at(-1),
    requiredText: (flag) => required(valuesOf(flags, flag).at(-1), flag),
    many: (flag) => valuesOf(flags, flag),
    number(flag, least = 1) {
      const text = valuesOf(flags, flag).at(-1);
      if (text === undefined) return undefined;
      const value = Number(text);
      if (!/^\d+$/.test(text) || value < least)
        throw new UsageError(`--${flag} must be a whole number of at least ${least}, not "${text}".`);
      return value;
    },
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Milliseconds of `90s`, `10m`, `2h`, `1d`; a number without a unit is in seconds.
 * @throws UsageError for anything else
 */
export function readDuration(flag: string, text: string): number {
  const found = /^(?<amount>\d+(?:\.\d+)?)(?<unit>[smhd]?)$/.exec(text)?.groups;
  const unit = UNITS[found?.["unit"] === "" ? "s" : (found?.["unit"] ?? "")];
  if (found === undefined || unit === undefined)
    throw new UsageError(`--${flag} must be a duration such as 90s, 10m, 2h or 7d, not "${text}".`);
  return Math.round(Number(found["amount"]) * unit);
}

/** An instant, or a time from now such as 90d. @returns an instant */
export function readExpiry(flag: string, text: string): string {
  if (/^\d{4}-/.test(text)) return text;
  return new Date(Date.now() + readDuration(flag, text)).toISOString();
}
