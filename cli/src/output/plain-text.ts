import { stripVTControlCharacters } from "node:util";

/** Control characters except the tab, and characters that change the direction of text. */
const CONTROLS = /[^\P{Cc}\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** Text of others on one line, without what would control the terminal. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROLS, " ");
}
