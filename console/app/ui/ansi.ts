/** The colours that programs print (ECMA-48, "SGR"). All other control sequences are left out. Pure. */

export type Span = { readonly text: string; readonly look: string };

/** Begins with ESC: a sequence of parameters and a letter, or a title up to its end. */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it is about
  /\u001B(?:\[(?<parameters>[0-9;:?]*)(?<final>[ -/]*[@-~])|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-_])/g;
// oxlint-disable-next-line no-control-regex -- as above
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F]/g;
const NO_TEXT = new RegExp(`${SEQUENCE.source}|${CONTROLS.source}`, "g");
const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** A line as runs of one look each; `look` has names such as `red bold`, and is empty for plain text. */
export function readAnsi(line: string): readonly Span[] {
  // Most lines have none.
  if (!line.includes("\u001B")) return [{ text: line.replaceAll(CONTROLS, ""), look: "" }];
  const spans: Span[] = [];
  let colour = "";
  let isBold = false;
  let isDim = false;
  let isItalic = false;
  let isUnderlined = false;
  let at = 0;
  const add = (text: string) => {
    const shown = text.replaceAll(CONTROLS, "");
    if (shown === "") return;
    spans.push({
      text: shown,
      look: [
        colour,
        isBold ? "bold" : "",
        isDim ? "dim" : "",
        isItalic ? "italic" : "",
        isUnderlined ? "underline" : "",
      ]
        .filter(Boolean)
        .join(" "),
    });
  };
  for (const found of line.matchAll(SEQUENCE)) {
    add(line.slice(at, found.index));
    at = found.index + found[0].length;
    if (found.groups?.["final"] !== "m") continue;
    const codes = (found.groups["parameters"] ?? "").split(/[;:]/).map(Number);
    for (let index = 0; index < codes.length; index += 1) {
      const code = codes[index] ?? 0;
      // A colour of 256 or of 16 million: its numbers follow.
      if (code === 38 || code === 48) {
        const isIndexed = codes[index + 1] === 5;
        const numbers = codes.slice(index + 2, index + (isIndexed ? 3 : 5));
        if (code === 38) colour = isIndexed ? nameOfIndex(numbers[0] ?? 7) : nameOfRgb(numbers);
        index += isIndexed ? 2 : 4;
      } else if (code === 0)
        [colour, isBold, isDim, isItalic, isUnderlined] = ["", false, false, false, false];
      else if (code === 1) isBold = true;
      else if (code === 2) isDim = true;
      else if (code === 3) isItalic = true;
      else if (code === 4) isUnderlined = true;
      else if (code === 22) [isBold, isDim] = [false, false];
      else if (code === 23) isItalic = false;
      else if (code === 24) isUnderlined = false;
      else if (code === 39) colour = "";
      else if (code >= 30 && code <= 37) colour = COLOURS[code - 30] ?? "";
      else if (code >= 90 && code <= 97) colour = COLOURS[code - 90] ?? "";
    }
  }
  add(line.slice(at));
  return spans;
}

const CUBE = [0, 95, 135, 175, 215, 255];

/** The name that is nearest to one of the 256 colours: those of the themes can be read on their grounds, others may not. */
function nameOfIndex(index: number): string {
  if (index < 16) return COLOURS[index % 8] ?? "";
  if (index >= 232) return "";
  const at = index - 16;
  return nameOfRgb([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((level) => CUBE[level] ?? 0));
}

/** The name that is nearest to a colour; empty for a grey one. */
function nameOfRgb([red = 0, green = 0, blue = 0]: readonly number[]): string {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most - least < 48) return "";
  const middle = (most + least) / 2;
  const bits = (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0);
  return COLOURS[bits] ?? "";
}

/** A line without control sequences, for search and download. One pass, because a long log has 100,000 lines. */
export function plainOf(line: string): string {
  return line.replace(NO_TEXT, "");
}
