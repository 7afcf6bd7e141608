import { UsageError } from "../output/failure.ts";

/** What a user typed after a command's words, by the names of the table. */
export type Input = {
  /** Of an argument that the table requires. */
  argument(name: string): string;
  /** Of an optional argument. */
  optionalArgument(name: string): string | undefined;
  /** Of an argument that may be given many times. */
  all(name: string): readonly string[];
  isSet(flag: string): boolean;
  /** The value of a flag. */
  text(flag: string): string | undefined;
  /** The values of a flag that may be given more than once. */
  many(flag: string): readonly string[];
  /** @throws UsageError for a value that is not a whole number, or is below `least` */
  number(flag: string, least?: number): number | undefined;
};

export type Typed = {
  readonly arguments: ReadonlyMap<string, readonly string[]>;
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Names of all flags that the command has, given or not. */
  readonly known: ReadonlySet<string>;
};

export function createInput(typed: Typed): Input {
  const valuesOf = (flag: string): readonly string[] => {
    // A mistake of ours, which would otherwise read as "not given" for ever.
    if (!typed.known.has(flag)) throw new Error(`The command has no flag ${flag}.`);
    return typed.flags.get(flag) ?? [];
  };
  const all = (name: string): readonly string[] => {
    const values = typed.arguments.get(name);
    if (values === undefined) throw new Error(`The command has no argument ${name}.`);
    return values;
  };
  return {
    argument(name) {
      const [value] = all(name);
      if (value === undefined) throw new Error(`The argument ${name} is not required by the table.`);
      return value;
    },
    optionalArgument: (name) => all(name)[0],
    all,
    isSet: (flag) => valuesOf(flag).length > 0,
    text: (flag) => valuesOf(flag).at(-1),
    many: valuesOf,
    number(flag, least = 1) {
      const text = valuesOf(flag).at(-1);
      if (text === undefined) return undefined;
      const value = Number(text);
      if (!/^\d+$/.test(text) || value < least)
        throw new UsageError(`--${flag} must be a whole number of at least ${least}, not "${text}".`);
      return value;
    },
  };
}
