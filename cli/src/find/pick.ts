import { CommandError, EXIT, notFound, UsageError } from "../output/failure.ts";

/** How something is looked up among others of its kind. */
export type Picking<T> = {
  /** What it is: `project`. */
  readonly noun: string;
  /** The flag that names it: `--project`. */
  readonly flag: string;
  /** Where it was sought, for messages: `in project Shop`; empty for all. */
  readonly within: string;
  readonly namesOf: (one: T) => readonly string[];
  readonly idOf: (one: T) => string;
};

/**
 * The item with this name or id; without a name, the only item.
 * @throws UsageError if it has to be named, CommandError if none has the name, or several have
 */
export function pick<T>(all: readonly T[], named: string | undefined, how: Picking<T>): T {
  const { noun, flag, within, namesOf, idOf } = how;
  const where = within === "" ? "" : ` ${within}`;
  const list = (some: readonly T[]): string =>
    some.map((one) => `${namesOf(one)[0] ?? ""} (${idOf(one)})`).join(", ");
  if (named === undefined) {
    const [only, ...more] = all;
    if (only === undefined) throw notFound(`There is no ${noun}${where}.`);
    if (more.length === 0) return only;
    throw new UsageError(`Which ${noun}${where}? Give ${flag}.`, `There are ${list(all)}.`);
  }
  const found = all.filter((one) => idOf(one) === named || namesOf(one).includes(named));
  const [first, ...others] = found;
  if (first === undefined)
    throw notFound(
      `There is no ${noun} ${named}${where}.`,
      all.length === 0 ? null : `There ${all.length === 1 ? "is" : "are"} ${list(all.slice(0, 20))}.`,
    );
  if (others.length === 0) return first;
  throw new CommandError(`Several ${noun}s are called ${named}${where}. Give the id.`, {
    code: "AMBIGUOUS",
    exitCode: EXIT.USAGE,
    hint: `There are ${list(found)}.`,
  });
}
