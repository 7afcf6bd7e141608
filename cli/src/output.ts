import { type Column, type Field, plainText, renderFields, renderTable } from "./text-table.ts";

/**
 * What a command says. Its data goes to stdout, in text or with `--json` in JSON, in the same form whether a person or
 * a program reads it. Everything else goes to stderr.
 */
export type Output = {
  readonly isJson: boolean;
  /** The data of a command that lists. */
  list<T>(rows: readonly T[], columns: readonly Column<T>[]): void;
  /** The data of a command about one thing. */
  item<T extends object>(value: T, fields: readonly Field<T>[]): void;
  /** The data of any other command: a value for programs, and lines for people. */
  data(value: unknown, lines: readonly string[]): void;
  /** One of many things, as it comes. */
  streamed(value: unknown, line: string): void;
  /** Data that is text in itself, such as a file or a script. */
  raw(text: string): void;
  /** Progress, one line. */
  readonly progress: (text: string) => void;
  /** What a user should know, even with `--quiet`. */
  readonly note: (text: string) => void;
};

export type Streams = { readonly out: NodeJS.WriteStream; readonly err: NodeJS.WriteStream };

export function createOutput(
  { out, err }: Streams,
  { isJson, isQuiet }: { readonly isJson: boolean; readonly isQuiet: boolean },
): Output {
  const print = (value: unknown, text: () => string): void =>
    void out.write(isJson ? `${JSON.stringify(value, null, 2)}\n` : text());
  const aside = (kind: "progress" | "note", text: string): void => {
    const line = plainText(text);
    err.write(isJson ? `${JSON.stringify({ [kind]: line })}\n` : `${line}\n`);
  };
  return {
    isJson,
    list: (rows, columns) => print(rows, () => renderTable(rows, columns, out.isTTY ? out.columns : null)),
    item: (value, fields) => print(value, () => renderFields(value, fields)),
    data: (value, lines) => print(value, () => lines.map((line) => `${plainText(line)}\n`).join("")),
    streamed: (value, line) => void out.write(isJson ? `${JSON.stringify(value)}\n` : `${plainText(line)}\n`),
    raw: (text) => void out.write(text),
    progress: (text) => isQuiet || aside("progress", text),
    note: (text) => aside("note", text),
  };
}
