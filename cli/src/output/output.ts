import { plainText } from "./plain-text.ts";
import { type Column, renderFields, renderTable } from "./text-table.ts";

/**
 * What a command says. Its data goes to stdout, in text or with `--json` in JSON, in the same form whether a person or
 * a program reads it. Everything else goes to stderr.
 */
export type Output = {
  readonly isJson: boolean;
  /** The data of a command that lists. */
  list<T>(rows: readonly T[], columns: readonly Column<T>[]): void;
  /** The data of a command about one thing. */
  item(value: unknown, fields: readonly (readonly [name: string, value: unknown])[]): void;
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
  options: { readonly isJson: boolean; readonly isQuiet: boolean },
): Output {
  const { isJson, isQuiet } = options;
  const document = (value: unknown): void => void out.write(`${JSON.stringify(value, null, 2)}\n`);
  const aside = (kind: "progress" | "note", text: string): void => {
    const line = plainText(text);
    err.write(isJson ? `${JSON.stringify({ [kind]: line })}\n` : `${line}\n`);
  };
  return {
    isJson,
    list(rows, columns) {
      if (isJson) document(rows);
      else if (rows.length > 0) out.write(renderTable(rows, columns, out.isTTY ? out.columns : null));
    },
    item(value, fields) {
      if (isJson) document(value);
      else out.write(renderFields(fields));
    },
    data(value, lines) {
      if (isJson) document(value);
      else out.write(lines.map((line) => `${plainText(line)}\n`).join(""));
    },
    streamed(value, line) {
      out.write(isJson ? `${JSON.stringify(value)}\n` : `${plainText(line)}\n`);
    },
    raw: (text) => void out.write(text),
    progress(text) {
      if (!isQuiet) aside("progress", text);
    },
    note: (text) => aside("note", text),
  };
}
