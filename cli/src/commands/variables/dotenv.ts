/**
 * How variables are written to a file, so that no program reads another value, and none is run; and how such a file is
 * read again. Pure.
 */
import { DotenvError, type EnvVariable, renderDotenvLine } from "../../../../sdk/src/index.ts";
import { plainText } from "../../text-table.ts";
import { shownValue, storeOf } from "./stores.ts";

export const FORMATS = ["dotenv", "shell", "json"] as const;
export type Format = (typeof FORMATS)[number];

/** A line of a script for POSIX shells, which can hold every value. */
export function renderShellLine(name: string, value: string): string {
  return `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`;
}

export type Rendered = {
  readonly text: string;
  readonly written: readonly string[];
  /** Those whose values cannot be read, or not be written in this format. */
  readonly notWritten: readonly EnvVariable[];
  readonly misread: readonly { readonly name: string; readonly misreadBy: string }[];
};

export function renderFile(variables: readonly EnvVariable[], format: Format): Rendered {
  const rendered = variables.map((one) => {
    const line = one.value === null ? null : renderAs(format, one.name, one.value);
    return { one, line: line?.line ?? null, misreadBy: line?.misreadBy ?? null };
  });
  const written = rendered.filter(({ line }) => line !== null);
  const texts = rendered.map(({ one, line }) => line ?? `# ${plainText(describeUnwritten(one))}`);
  return {
    text:
      format === "json"
        ? `${JSON.stringify(Object.fromEntries(written.map(({ one }) => [one.name, one.value])), null, 2)}\n`
        : texts.map((text) => `${text}\n`).join(""),
    written: written.map(({ one }) => one.name),
    notWritten: rendered.filter(({ line }) => line === null).map(({ one }) => one),
    misread: rendered.flatMap(({ one: { name }, misreadBy }) =>
      misreadBy === null ? [] : [{ name, misreadBy }],
    ),
  };
}

function renderAs(format: Format, name: string, value: string): ReturnType<typeof renderDotenvLine> {
  if (format === "dotenv") return renderDotenvLine(name, value);
  return { line: format === "shell" ? renderShellLine(name, value) : "", misreadBy: null };
}

function describeUnwritten(one: EnvVariable): string {
  return one.value === null
    ? `${one.name} is ${storeOf(one.kind)}: ${shownValue(one)}`
    : `${one.name} has no form that every reader of this file understands`;
}

/** A JSON object of texts. @throws DotenvError */
export function parseJsonFile(text: string): Readonly<Record<string, string>> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    // Its message quotes the text, which may be a secret.
    throw new DotenvError(1, "The file is not JSON.");
  }
  const entries =
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
  if (entries === null) throw new DotenvError(1, 'The file must be a JSON object: {"NAME": "value"}.');
  const wrong = entries.find(([, one]) => typeof one !== "string");
  if (wrong !== undefined) throw new DotenvError(1, `The value of ${wrong[0]} must be a text in quotes.`);
  return value as Readonly<Record<string, string>>;
}
