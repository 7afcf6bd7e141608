import { setImmediate } from "node:timers/promises";
import Papa from "papaparse";
import { type AppError, COMMON_FAULTS, invalidRequest } from "../../lib/errors.ts";

/** What a line of a CSV is that holds no name. */
export type Skipped = "heading" | "comment" | "continuation";

/** A line of a CSV that is not blank. Lines count from 1. */
export type CsvLine = { readonly line: number } &
  /** `groupCell` is the cell in the column by which names are grouped; null if there is none. */
  (
    | { readonly cell: string; readonly groupCell: string | null }
    | { readonly text: string; readonly isSkipped: Skipped }
    /** A quote opens a cell and does not close it. */
    | { readonly text: string; readonly isBroken: true }
  );

/**
 * Headings of the column with the names, in lower case and without spaces, dashes, underscores and a plural's s. The
 * first one found counts.
 */
const HEADINGS =
  "domain domainname customdomain fqdn hostname host url website websiteurl webaddress site siteurl homepage name".split(
    " ",
  );

/**
 * How many lines are read before other requests have their turn. A quoted cell that has not ended after as many lines
 * counts as never closed, so that a stray quote costs only its own line.
 */
const LINES_AT_A_TIME = 100;

/**
 * Reads the names in a CSV (RFC 4180) whose cells are separated by commas, semicolons, tabs or bars. They are below the
 * first heading that says so, or in the first column. A quote opens a cell only at its start.
 * @param groupColumn the heading of the column by which names are grouped
 * @throws AppError `INVALID_REQUEST` if no heading is called so
 */
export async function readCsv(text: string, groupColumn: string | null = null): Promise<readonly CsvLine[]> {
  const lines = text.split(/\r\n|[\r\n]/);
  const read: CsvLine[] = [];
  let column: number | null = null;
  let groupAt: number | null = null;
  const skip = (index: number, isSkipped: Skipped): void => {
    const skipped = lines[index] ?? "";
    if (skipped.trim() !== "") read.push({ line: index + 1, text: skipped, isSkipped });
  };
  for await (const { start, count, cells } of readRows(lines)) {
    const given = lines[start] ?? "";
    const isComment = given.trimStart().startsWith("#");
    const isFirst: boolean = column === null && !isComment;
    const heading: number | null = isFirst ? findColumn(cells ?? []) : null;
    if (isFirst && groupAt === null && groupColumn !== null) {
      const at = (cells ?? []).map(normalize).indexOf(normalize(groupColumn));
      if (at !== -1) groupAt = at;
    }
    if (isComment) skip(start, "comment");
    else if (heading !== null || SEPARATOR_LINE.test(given)) skip(start, "heading");
    else if (cells === null) read.push({ line: start + 1, text: given, isBroken: true });
    else if (cells.some((cell) => cell.trim() !== "")) {
      const isHeading = column === null && groupAt !== null;
      column ??= 0;
      if (isHeading) skip(start, "heading");
      else if (groupColumn !== null && groupAt === null) throw groupColumnMissing(groupColumn);
      else {
        const groupCell = groupAt === null ? null : (cells[groupAt] ?? "");
        read.push({ line: start + 1, cell: cells[column] ?? "", groupCell });
      }
    }
    column ??= heading;
    for (let index = start + 1; index < start + count; index += 1) skip(index, "continuation");
  }
  return read;
}

/** `start` counts from 0; `cells` is null for a line with a quote that is not closed. */
type Row = { readonly start: number; readonly count: number; readonly cells: readonly string[] | null };

async function* readRows(lines: readonly string[]): AsyncGenerator<Row> {
  const delimiter = findDelimiter(lines);
  for (let at = 0; at < lines.length;) {
    await setImmediate();
    const rows = parseRows(lines.slice(at, at + LINES_AT_A_TIME), delimiter);
    // A cell may end in the lines after these: its row is read again as the first of them.
    if (rows.length > 1 && rows.at(-1)?.cells === null) rows.pop();
    const begin = at;
    for (const row of rows) {
      yield { ...row, start: begin + row.start };
      at = begin + row.start + row.count;
    }
  }
}

/** Ends with the first row that is not closed. A comment is a row of one cell. */
function parseRows(lines: readonly string[], delimiter: string): Row[] {
  const rows: Row[] = [];
  let next = 0;
  const push = (count: number, cells: Row["cells"]): void => {
    rows.push({ start: next, count, cells });
    next += count;
  };
  const pushComments = (): void => {
    for (let line = lines[next]; line?.startsWith("#") === true; line = lines[next]) push(1, [line]);
  };
  Papa.parse<readonly string[]>(`${lines.join("\n")}\n`, {
    delimiter,
    newline: "\n",
    comments: "#",
    step({ data: cells, errors }, parser) {
      pushComments();
      if (errors.some(({ type }) => type === "Quotes")) {
        push(1, null);
        parser.abort();
        // The break at the end of the text makes a last, empty row.
      } else if (next < lines.length)
        push(
          cells.reduce((count, cell) => count + cell.split("\n").length - 1, 1),
          cells,
        );
    },
  });
  pushComments();
  return rows;
}

/** Some spreadsheets write a first line that says what separates cells. */
const SEPARATOR_LINE = /^sep=(.)$/i;

/** What follows the first cell of the first line that has several. */
function findDelimiter(lines: readonly string[]): string {
  for (const line of lines) {
    if (line.startsWith("#")) continue;
    const found = SEPARATOR_LINE.exec(line) ?? /^(?:\s*"(?:[^"]|"")*"\s*|[^,;\t|"]*)([,;\t|])/.exec(line);
    if (found !== null) return found[1] ?? ",";
  }
  return ",";
}

/** The column whose heading says that it has names; null if none does. */
function findColumn(cells: readonly string[]): number | null {
  const headings = cells.map(normalize);
  const found = HEADINGS.find((heading) => headings.includes(heading));
  return found === undefined ? null : headings.indexOf(found);
}

function normalize(heading: string): string {
  return heading.toLowerCase().replaceAll(/[\s_-]|(?<=[^s])s\s*$/g, "");
}

function groupColumnMissing(groupColumn: string): AppError {
  const message = `names "${groupColumn}", and no column of the file has this heading`;
  return invalidRequest([{ path: "query/groupColumn", code: COMMON_FAULTS.INVALID.code, message }]);
}
