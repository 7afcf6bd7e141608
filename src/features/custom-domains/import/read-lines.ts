import { setImmediate } from "node:timers/promises";
import type { DomainType } from "../custom-domain.ts";
import { type DomainNameFault, readDomainName } from "../names/domain-name.ts";

/** A line of an import that is not blank: its name, or why it is none. */
export type ImportLine = {
  /** From 1. */
  readonly line: number;
  /** The name in its stored form; what was sent, cut off, if it is none. */
  readonly name: string;
} & ({ readonly type: DomainType; readonly fault: null } | { readonly fault: DomainNameFault });

/** A name that is none is shown up to here. */
const SHOWN_LENGTH = 300;
/** To read this many takes some milliseconds. Then other requests have their turn. */
const LINES_AT_A_TIME = 500;

/** Reads the lines of an import. Blank ones are passed over. */
export async function readLines(texts: readonly string[]): Promise<readonly ImportLine[]> {
  const lines: ImportLine[] = [];
  for (const [index, text] of texts.entries()) {
    if (index % LINES_AT_A_TIME === LINES_AT_A_TIME - 1) await setImmediate();
    const given = text.trim();
    if (given === "") continue;
    const read = readDomainName(given);
    const line = index + 1;
    if ("fault" in read) lines.push({ line, name: given.slice(0, SHOWN_LENGTH), fault: read.fault });
    else lines.push({ line, ...read, fault: null });
  }
  return lines;
}
