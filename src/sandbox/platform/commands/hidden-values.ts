/**
 * Managed values that a command was given, replaced in what it prints. Logs are read by more people than
 * values are, and programs print their environment when they fail. A value that was changed before it is
 * printed (base64, in pieces on several lines) is not recognized.
 */

/** Shorter lines of a value are in so many words that hiding them would hide the log, and not the value. */
const MIN_LENGTH = 4;
const REPLACEMENT = "***";

export type HiddenValues = {
  /** Adds values; each of their lines is hidden by itself, for a log has lines. */
  add(values: readonly string[]): void;
  /** A whole line as it may be shown. */
  hideIn(line: string): string;
  /** Splits a line that goes on: what may be shown of it, and the end that may be the beginning of a value. */
  settle(text: string): { readonly shown: string; readonly held: string };
  /** Of the longest line that is hidden; 0 when nothing is. */
  readonly longest: number;
};

export function createHiddenValues(): HiddenValues {
  const known = new Set<string>();
  let pattern: RegExp | null = null;
  let longest = 0;
  const hideIn = (line: string) => (pattern === null ? line : line.replace(pattern, REPLACEMENT));
  return {
    add(values) {
      const before = known.size;
      for (const value of values) {
        for (const line of value.split(/[\r\n]+/)) {
          if (line.trim().length >= MIN_LENGTH) known.add(line.trim());
        }
      }
      if (known.size === before) return;
      // The longest first: one value may be the beginning of another.
      const sorted = [...known].sort((a, b) => b.length - a.length);
      longest = sorted[0]?.length ?? 0;
      pattern = new RegExp(sorted.map(literally).join("|"), "g");
    },
    hideIn,
    settle(text) {
      if (pattern === null) return { shown: text, held: "" };
      let end = Math.max(0, text.length - (longest - 1));
      // A value that begins before the end that is held lies in the text as a whole.
      for (const { index, 0: found } of text.matchAll(pattern)) {
        if (index < end) end = Math.max(end, index + found.length);
      }
      return { shown: hideIn(text.slice(0, end)), held: text.slice(end) };
    },
    get longest() {
      return longest;
    },
  };
}

/** A pattern that matches exactly this text. */
function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
