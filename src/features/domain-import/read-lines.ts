import { cutText } from "../../lib/cut-text.ts";
import { setImmediate } from "node:timers/promises";
import { DOMAIN_IMPORT_FAULTS } from "./errors.ts";
import type { DomainType } from "../custom-domains/custom-domain.ts";
import { type DomainNameFault, readDomainName } from "../custom-domains/domain-name.ts";
import { toOneLine } from "../../lib/shown-text.ts";
import { readCsv, type Skipped } from "./read-csv.ts";

/** A line of an import that is not blank. Lines count from 1. */
export type ImportLine = {
  readonly line: number;
  /** The name in its stored form; of other lines the text that was sent, cut off. */
  readonly name: string;
} &
  /** `group` is what the column says by which names are grouped; null if it is empty, or if there is no such column. */
  (
    | { readonly kind: "name"; readonly type: DomainType; readonly group: string | null }
    | { readonly kind: "invalid" | "skipped"; readonly fault: DomainNameFault }
  );

/** The text of a line without a name is shown up to here. */
const SHOWN_LENGTH = 300;
/** Names of groups have 200 characters; some are left for a number. */
const GROUP_LENGTH = 180;
/** To read this many takes some milliseconds. Then other requests have their turn. */
const LINES_AT_A_TIME = 500;

const SKIPPED: Readonly<Record<Skipped, DomainNameFault>> = {
  heading: { code: DOMAIN_IMPORT_FAULTS.HEADING.code, message: "is a heading" },
  comment: { code: DOMAIN_IMPORT_FAULTS.COMMENT.code, message: "is a comment" },
  continuation: {
    code: DOMAIN_IMPORT_FAULTS.CONTINUATION.code,
    message: "is inside a quoted cell that begins on a line before",
  },
};
const NO_NAME = {
  code: DOMAIN_IMPORT_FAULTS.NO_NAME.code,
  message: "has no name in the column of the names",
};
const QUOTE_NOT_CLOSED = {
  code: DOMAIN_IMPORT_FAULTS.QUOTE_NOT_CLOSED.code,
  message:
    "has a quoted cell that does not end with a quote; add it, or remove the quote that opens the cell",
};

/**
 * Reads the lines of an import, as a list or as a CSV. Blank ones are left out.
 * @param groupColumn the heading of the column by which names are grouped
 * @throws AppError `INVALID_REQUEST` if the CSV has no such column
 */
export async function readLines(
  source: { readonly domains?: readonly string[]; readonly csv?: string },
  groupColumn: string | null = null,
): Promise<readonly ImportLine[]> {
  const given =
    source.csv === undefined
      ? (source.domains ?? []).flatMap((cell, index) =>
          cell.trim() === "" ? [] : [{ line: index + 1, cell, groupCell: null }],
        )
      : await readCsv(source.csv, groupColumn);
  const lines: ImportLine[] = [];
  for (const [index, one] of given.entries()) {
    if (index % LINES_AT_A_TIME === LINES_AT_A_TIME - 1) await setImmediate();
    const { line } = one;
    if ("cell" in one) lines.push({ line, ...readName(one.cell, one.groupCell) });
    else if ("isBroken" in one) lines.push({ line, ...refuse("invalid", one.text, QUOTE_NOT_CLOSED) });
    else lines.push({ line, ...refuse("skipped", one.text, SKIPPED[one.isSkipped]) });
  }
  return lines;
}

type Read = ImportLine extends infer One ? (One extends unknown ? Omit<One, "line"> : never) : never;

function readName(text: string, groupCell: string | null): Read {
  const given = text.trim();
  if (given === "") return refuse("invalid", text, NO_NAME);
  if (given.startsWith("#")) return refuse("skipped", text, SKIPPED.comment);
  const read = readDomainName(hostOf(given.replace(/\s#.*$/s, "")));
  return "fault" in read
    ? refuse("invalid", text, read.fault)
    : { kind: "name", ...read, group: readGroup(groupCell) };
}

/** As a name of a group: one line, without marks that show it as another text. */
function readGroup(cell: string | null): string | null {
  const text = cutText(toOneLine((cell ?? "").replaceAll(/\s+/g, " ")).trim(), GROUP_LENGTH).trim();
  return text === "" ? null : text;
}

/** Columns of websites hold addresses of pages, of which only the host is a domain. */
function hostOf(text: string): string {
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]*:)?\/\/(.*)$/is.exec(text) ?? [null, undefined, text];
  const authority = rest.replace(/[/?#\\].*$/s, "").replace(/:\d*$/, "");
  return scheme === undefined ? authority : authority.replace(/^.*@/s, "");
}

function refuse(kind: "invalid" | "skipped", text: string, fault: DomainNameFault): Read {
  return { kind, name: cutText(text.trim(), SHOWN_LENGTH).replaceAll(/\s+/g, " "), fault };
}
