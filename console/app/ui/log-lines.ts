/** Lines of a log: their levels, which of them a filter shows, and where each begins. Pure. */
import { plainOf } from "./ansi.ts";

export type LogRow = {
  /** Of the line, in its log; unique. */
  readonly key: string;
  /** ISO 8601. */
  readonly at: string;
  /** What printed it; empty if all lines are of one. */
  readonly of: string;
  readonly isError: boolean;
  readonly text: string;
};

export type Level = "error" | "warning" | "normal" | "debug";

export type LogFilter = {
  /** A part of a line, in any case; empty: every line. */
  readonly text: string;
  /** The least important level that is shown; `debug`: all. */
  readonly level: Level;
  /** Instants in ms since 1970 between which a line was printed; null: no limit. */
  readonly from: number | null;
  readonly to: number | null;
};

export const EVERYTHING: LogFilter = { text: "", level: "debug", from: null, to: null };

const RANK: Readonly<Record<Level, number>> = { error: 3, warning: 2, normal: 1, debug: 0 };

/** What a level is recognized by: a word near the beginning of a line, or the level of a line in JSON. */
const WORDS: readonly (readonly [Level, RegExp])[] = [
  ["error", /\b(?:error|err!|fatal|panic|critical|exception)\b|"level":"(?:error|fatal)"/i],
  ["warning", /\bwarn(?:ing)?\b|"level":"warn/i],
  ["debug", /\b(?:debug|trace|verbose)\b|"level":"(?:debug|trace)"/i],
];
const BEGINNING = 80;

type Known = { readonly plain: string; readonly folded: string; readonly level: Level };

/** A line is read once: a log of 100,000 is filtered at each letter that is typed. */
const known = new WeakMap<LogRow, Known>();

function knowledgeOf(row: LogRow): Known {
  const before = known.get(row);
  if (before !== undefined) return before;
  const plain = plainOf(row.text);
  const made = { plain, folded: plain.toLowerCase(), level: readLevel(plain, row.isError) };
  known.set(row, made);
  return made;
}

function readLevel(plain: string, isError: boolean): Level {
  const beginning = plain.slice(0, BEGINNING);
  const found = WORDS.find(([, words]) => words.test(beginning))?.[0];
  return found ?? (isError ? "error" : "normal");
}

/** A line without control sequences. */
export const plainTextOf = (row: LogRow): string => knowledgeOf(row).plain;

/** How important a line is: as it says itself, otherwise by the stream that it was printed to. */
export const levelOf = (row: LogRow): Level => knowledgeOf(row).level;

/** The indices of the lines that a filter shows; null for all of them. */
export function filterLines(rows: readonly LogRow[], filter: LogFilter): readonly number[] | null {
  const text = filter.text.trim().toLowerCase();
  const least = RANK[filter.level];
  const { from, to } = filter;
  if (text === "" && least === 0 && from === null && to === null) return null;
  const shown: number[] = [];
  for (const [index, row] of rows.entries()) {
    if (from !== null && Date.parse(row.at) < from) continue;
    if (to !== null && Date.parse(row.at) > to) continue;
    const { folded, level } = knowledgeOf(row);
    if (RANK[level] >= least && (text === "" || folded.includes(text))) shown.push(index);
  }
  return shown;
}

/** The indices of the lines that have a text, in any case; none for no text. @param among what else is shown */
export function findLines(
  rows: readonly LogRow[],
  sought: string,
  among: Omit<LogFilter, "text"> = EVERYTHING,
): readonly number[] {
  return sought.trim() === "" ? [] : (filterLines(rows, { ...among, text: sought }) ?? []);
}

/** Letters of East Asian scripts and pictures, which take the room of two. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]|\p{Emoji_Presentation}/gu;
// oxlint-disable-next-line no-control-regex -- all of ASCII
const ONLY_ASCII = /^[\u0000-\u007F]*$/;

/** How many lines of the window a line takes that is broken at this many letters. */
export function countBroken(plain: string, letters: number): number {
  const wide = ONLY_ASCII.test(plain) ? 0 : (plain.match(WIDE)?.length ?? 0);
  return Math.max(1, Math.ceil((plain.length + wide) / Math.max(1, letters)));
}

/**
 * Where each line begins, in lines of the window, and after the last one where the log ends.
 * @param letters at which lines are broken; null: they are not
 */
export function placeLines(
  rows: readonly LogRow[],
  shown: readonly number[] | null,
  letters: number | null,
): Float64Array {
  const count = shown?.length ?? rows.length;
  const places = new Float64Array(count + 1);
  if (letters === null) return places.map((_, at) => at);
  for (let at = 0; at < count; at += 1) {
    const row = rows[shown?.[at] ?? at];
    places[at + 1] = (places[at] ?? 0) + (row === undefined ? 1 : countBroken(plainTextOf(row), letters));
  }
  return places;
}

/** The last line that begins at or before a place. @param places as of `placeLines` */
export function lineAt(places: Float64Array, place: number): number {
  let [low, high] = [0, places.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((places[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The time of a line at the user's clock, to the millisecond. @param at ISO 8601 */
export function clockTimeOf(at: string): string {
  const date = new Date(at);
  const two = (value: number, digits = 2) => String(value).padStart(digits, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${two(date.getMilliseconds(), 3)}`;
}
