/**
 * `.env` files, with the quoting of the package `dotenv`: a value in single quotes or backticks is taken as it is, in
 * double quotes `\n` and `\r` are line breaks, quoted values may have several lines, and what is not quoted ends at a
 * `#` after a space and is trimmed. Where `dotenv` guesses or drops a line, or other readers disagree with it about where
 * a value ends, this refuses the file and says which line.
 */
import { DotenvError } from "./errors.ts";

const NAME = /[^\S\n]*(?:export[^\S\n]+)?(?<name>[\w.-]+)[^\S\n]*(?:=|:(?=\s))[^\S\n]*/y;
const BLANK = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y;
const QUOTED = /'(?<single>(?:\\'|[^'])*)'|"(?<double>(?:\\"|[^"])*)"|`(?<back>(?:\\`|[^`])*)`/y;
const BARE = /[^#\n]*/y;

/** An assignment of a `.env` file, and the line on which it begins, from 1. */
export type DotenvEntry = { readonly name: string; readonly value: string; readonly line: number };

/** Parses a `.env` file. If a name occurs twice, the last value counts. @throws DotenvError */
export function parseDotenv(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(parseDotenvEntries(text).map(({ name, value }) => [name, value]));
}

/** Parses a `.env` file into its assignments, in their order. @throws DotenvError */
export function parseDotenvEntries(text: string): readonly DotenvEntry[] {
  const source = text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const entries: DotenvEntry[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const lineOf = (where: number): number => source.slice(0, where).split("\n").length;
  const fail = (where: number, message: string): never => {
    throw new DotenvError(lineOf(where), message);
  };
  while (at < source.length) {
    if (take(BLANK) !== null) continue;
    const start = at;
    const name = take(NAME)?.groups?.["name"];
    if (name === undefined) return fail(start, "It is not NAME=value.");
    entries.push({ name, value: takeValue(name), line: lineOf(start) });
  }
  return entries;

  function takeValue(name: string): string {
    const start = at;
    const quote = source.charAt(at);
    if (!["'", '"', "`"].includes(quote)) {
      const bare = take(BARE)?.[0] ?? "";
      // For `dotenv` the value ends here; for a shell, python-dotenv and others the `#` belongs to it.
      if (source.charAt(at) === "#" && !/\s/.test(source.charAt(at - 1)))
        return fail(at, `The value of ${name} has a # without a space before it. Put the value in quotes.`);
      return bare.trim();
    }
    const quoted = take(QUOTED)?.groups;
    if (quoted === undefined)
      return fail(start, `The value of ${name} begins with ${quote}, which is never closed.`);
    const end = at;
    if (take(BLANK) === null) return fail(end, `Something follows the closing ${quote} of ${name}.`);
    const { single, double, back } = quoted;
    return single ?? back ?? (double ?? "").replaceAll(String.raw`\n`, "\n").replaceAll(String.raw`\r`, "\r");
  }
}

/** A line from which a value is read, and the programs that read another one from it. */
export type DotenvLine = { readonly line: string; readonly misreadBy: string | null };

/** Needs no quotes. */
const UNQUOTED = /^[\w./:@%+,=-]*$/;
/** It interpolates within every kind of quotes (python-dotenv 1.2, `variables.py`). */
const INTERPOLATED = /\$\{[^}]*\}/;

/**
 * A line of a `.env` file that the packages dotenv, python-dotenv and godotenv, Docker Compose and shells read alike.
 * If there is no such line, a line that some of them misread. Null if a shell would run a part of the value, or a
 * reader would take following lines for a part of it.
 */
export function renderDotenvLine(name: string, value: string): DotenvLine | null {
  if (UNQUOTED.test(value)) return { line: `${name}=${value}`, misreadBy: null };
  // In single quotes, `dotenv` would look for the end of `x\` beyond the quote, and reads CR as LF.
  if (!/['\r]|\\$/.test(value)) {
    const isMisread = value.includes(String.raw`\\`) || INTERPOLATED.test(value);
    return { line: `${name}='${value}'`, misreadBy: isMisread ? "python-dotenv" : null };
  }
  // In double quotes, a shell expands `$` and backticks, and some readers expand backslashes.
  if (/["\\$`]/.test(value)) return null;
  if (!value.includes("\r")) return { line: `${name}="${value}"`, misreadBy: null };
  const escaped = value.replaceAll("\n", String.raw`\n`).replaceAll("\r", String.raw`\r`);
  return { line: `${name}="${escaped}"`, misreadBy: "a shell" };
}
