/** How variables are written to a file, so that no program reads another value, and none is run. Pure. */

export const FORMATS = ["dotenv", "shell", "json"] as const;
export type Format = (typeof FORMATS)[number];

/** A line from which a value is read, and the programs that read another one from it. */
export type Line = { readonly line: string; readonly misreadBy: string | null };

const BARE = /^[\w./:@%+,=-]*$/;
/** It interpolates within every kind of quotes (python-dotenv 1.2, `variables.py`). */
const INTERPOLATED = /\$\{[^}]*\}/;

/**
 * A line of a `.env` file that the packages dotenv, python-dotenv and godotenv, Docker Compose and shells read alike.
 * If there is no such line, a line that some of them misread. Null if a shell would run a part of the value, or a
 * reader would take following lines for a part of it.
 */
export function renderLine(name: string, value: string): Line | null {
  if (BARE.test(value)) return { line: `${name}=${value}`, misreadBy: null };
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

/** A line of a script for POSIX shells, which can hold every value. */
export function renderShellLine(name: string, value: string): string {
  return `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`;
}
