/**
 * Texts that people read on a terminal or a page. Control characters change a terminal, line breaks forge lines of a log
 * or a list, and marks of direction (Unicode Standard Annex 9) show a text as another one.
 */
const DIRECTION = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
const CONTROLS = String.raw`\u0000-\u001f\u007f-\u009f\u2028\u2029`;
const CONTROLS_BUT_BREAKS = String.raw`\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029`;

/** For JSON Schema: a name, in one line and not blank. An empty one is left to `minLength`. */
export const ONE_LINE = String.raw`^$|^(?=.*\S)[^${CONTROLS}${DIRECTION}]*$`;
/** The same with line breaks and tabs. */
export const LINES = String.raw`^$|^(?=[\s\S]*\S)[^${CONTROLS_BUT_BREAKS}${DIRECTION}]*$`;

const ALL = new RegExp(`[${CONTROLS}${DIRECTION}]`, "gu");
const ALL_BUT_BREAKS = new RegExp(`[${CONTROLS_BUT_BREAKS}${DIRECTION}]`, "gu");

/** For texts that others wrote, and that are not refused. */
export function toOneLine(text: string): string {
  return text.replaceAll(ALL, "");
}

/** The same with line breaks and tabs. */
export function toLines(text: string): string {
  return text.replaceAll(ALL_BUT_BREAKS, "");
}
