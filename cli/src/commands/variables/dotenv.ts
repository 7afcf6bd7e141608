import { parseDotenv } from "../../../../sdk/src/index.ts";

const PLAIN = /^[\w./:@%+,=-]*$/;

/**
 * A line of a `.env` file from which exactly this value is read; null for the few values that the format cannot hold, such as
 * one with all three quotes.
 */
export function renderLine(name: string, value: string): string | null {
  const escaped = value.replaceAll("\n", String.raw`\n`).replaceAll("\r", String.raw`\r`);
  const ways = [...(PLAIN.test(value) ? [value] : []), `'${value}'`, `"${escaped}"`, `\`${value}\``];
  const way = ways.find((text) => isRead(`${name}=${text}\n`, name, value));
  return way === undefined ? null : `${name}=${way}`;
}

function isRead(line: string, name: string, value: string): boolean {
  try {
    return parseDotenv(line)[name] === value;
  } catch {
    return false;
  }
}
