/**
 * Replaces managed values in the output of the commands that received them. Logs are read by more people than
 * values are, and programs print their environment when they fail. A value that is changed before it is
 * printed (base64, or split across lines) is not recognized.
 */

/** Shorter lines of a value are also parts of many words: hiding them would hide the log instead of the value. */
const MIN_LENGTH = 4;
const REPLACEMENT = "***";

export type HiddenValues = {
  /** Adds values. Each of their lines is hidden separately, because logs are written line by line. */
  add(values: readonly string[]): void;
  /** A complete line with the values hidden. */
  hideIn(line: string): string;
  /** Splits an incomplete line: what may be shown already, and the end that may be the start of a value. */
  settle(text: string): { readonly shown: string; readonly held: string };
  /** The length of the longest hidden line; 0 if there is none. */
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
      // Longest first: one value may be a prefix of another.
      const sorted = [...known].sort((a, b) => b.length - a.length);
      longest = sorted[0]?.length ?? 0;
      pattern = new RegExp(sorted.map(literally).join("|"), "g");
    },
    hideIn,
    settle(text) {
      if (pattern === null) return { shown: text, held: "" };
      let end = Math.max(0, text.length - (longest - 1));
      // A value that starts before the held end is completely in the text.
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
