import { stripVTControlCharacters } from "node:util";

type Shown = string | number | boolean | null | undefined;

/** A field of the rows, or a title and what to show below it. */
export type Column<T> =
  | (string & keyof T)
  | {
      readonly title: string;
      readonly of: (row: T) => Shown;
      /** Prose, which may be cut to fit a terminal. Ids, names and values never are. */
      readonly isProse?: true;
    };

/** A field of the thing, or a name and a value. */
export type Field<T> = (string & keyof T) | readonly [name: string, value: unknown];

const GAP = "  ";
const PROSE_MIN = 12;
/** Control characters except the tab, and characters that change the direction of text. */
const CONTROLS = /[^\P{Cc}\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** Text of others on one line, without what would control the terminal. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROLS, " ");
}

/** @param width of the terminal; null: nothing is cut */
export function renderTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  width: number | null,
): string {
  if (rows.length === 0) return "";
  const shown = columns.map((column) =>
    typeof column === "string" ? { title: wordsOf(column), of: (row: T) => row[column] as Shown } : column,
  );
  const cells = [
    shown.map(({ title }) => title.toUpperCase()),
    ...rows.map((row) => shown.map(({ of }) => showValue(of(row)))),
  ];
  const widths = shown.map((_, at) => Math.max(...cells.map((line) => lengthOf(line[at] ?? ""))));
  if (width !== null) {
    const isProse = shown.map((column) => "isProse" in column);
    shrinkProse(widths, isProse, width);
  }
  return cells
    .map(
      (line) =>
        `${line
          .map((cell, at) => fit(cell, widths[at] ?? 0))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join("");
}

/** Fields of one thing, a line each. */
export function renderFields<T extends object>(value: T, fields: readonly Field<T>[]): string {
  const lines = fields.map((field) =>
    typeof field === "string" ? ([wordsOf(field), value[field]] as const) : field,
  );
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, one]) => `${name.padEnd(width)}${GAP}${showValue(one)}`.trimEnd() + "\n").join("");
}

/** `givenId` is shown as "given id", and `createdAt` as "created". */
function wordsOf(field: string): string {
  return field.replace(/At$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function showValue(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (typeof value === "string") return plainText(value);
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return plainText(JSON.stringify(value));
}

function shrinkProse(widths: number[], isProse: readonly boolean[], width: number): void {
  for (let at = isProse.length - 1; at >= 0; at -= 1) {
    if (isProse[at] !== true) continue;
    const whole = widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1));
    const own = widths[at] ?? 0;
    if (whole > width) widths[at] = Math.max(Math.min(own, PROSE_MIN), own - (whole - width));
  }
}

function fit(cell: string, width: number): string {
  const length = lengthOf(cell);
  if (length <= width) return cell + " ".repeat(width - length);
  return `${Array.from(cell)
    .slice(0, width - 1)
    .join("")}…`;
}

const lengthOf = (text: string): number => Array.from(text).length;
