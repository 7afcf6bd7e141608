/**
 * `.env` files, with the quoting of the package `dotenv`: a value in single quotes or backticks is taken as it is, in
 * double quotes `\n` and `\r` are line breaks, quoted values may have several lines, and what is not quoted ends at a
 * `#` and is trimmed. Where `dotenv` guesses or drops a line, this refuses it and says which.
 */
import { DotenvError } from "./errors.ts";

const NAME = /[^\S\n]*(?:export[^\S\n]+)?(?<name>[\w.-]+)[^\S\n]*(?:=|:(?=\s))[^\S\n]*/y;
const BLANK = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y;
const QUOTED = /'(?<single>(?:\\'|[^'])*)'|"(?<double>(?:\\"|[^"])*)"|`(?<back>(?:\\`|[^`])*)`/y;
const BARE = /[^#\n]*/y;

/** The variables of a `.env` file. The last one of a name counts. @throws DotenvError */
export function parseDotenv(text: string): Readonly<Record<string, string>> {
  const source = text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const variables = new Map<string, string>();
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const fail = (where: number, message: string): never => {
    throw new DotenvError(source.slice(0, where).split("\n").length, message);
  };
  while (at < source.length) {
    if (take(BLANK) !== null) continue;
    const start = at;
    const name = take(NAME)?.groups?.["name"];
    if (name === undefined) return fail(start, "It is no NAME=value.");
    variables.set(name, takeValue(name));
  }
  return Object.fromEntries(variables);

  function takeValue(name: string): string {
    const start = at;
    const quote = source.charAt(at);
    if (!["'", '"', "`"].includes(quote)) return take(BARE)?.[0].trim() ?? "";
    const quoted = take(QUOTED)?.groups;
    if (quoted === undefined)
      return fail(start, `The value of ${name} begins with ${quote}, which is never closed.`);
    const end = at;
    if (take(BLANK) === null) return fail(end, `Something follows the closing ${quote} of ${name}.`);
    const { single, double, back } = quoted;
    return single ?? back ?? (double ?? "").replaceAll(String.raw`\n`, "\n").replaceAll(String.raw`\r`, "\r");
  }
}
