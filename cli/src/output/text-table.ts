import { plainText } from "./plain-text.ts";

export type Column<T> = {
  readonly title: string;
  readonly of: (row: T) => string | number | boolean | null | undefined;
  /** Prose, which may be cut to fit a terminal. Ids, names and values never are. */
  readonly isProse?: true;
};

const GAP = "  ";
const PROSE_MIN = 12;

/** @param width of the terminal; null: nothing is cut */
export function renderTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  width: number | null,
): string {
  const cells = [
    columns.map(({ title }) => title.toUpperCase()),
    ...rows.map((row) => columns.map(({ of }) => showValue(of(row)))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => lengthOf(line[at] ?? ""))));
  if (width !== null) shrinkProse(widths, columns, width);
  return cells
    .map((line) =>
      line
        .map((cell, at) => fit(cell, widths[at] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** Fields of one thing, a line each. */
export function renderFields(fields: readonly (readonly [name: string, value: unknown])[]): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields
    .map(([name, value]) => `${name.padEnd(width)}${GAP}${showValue(value)}`.trimEnd() + "\n")
    .join("");
}

function showValue(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (typeof value === "string") return plainText(value);
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return plainText(JSON.stringify(value));
}

function shrinkProse<T>(widths: number[], columns: readonly Column<T>[], width: number): void {
  for (let at = columns.length - 1; at >= 0; at -= 1) {
    if (columns[at]?.isProse !== true) continue;
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
