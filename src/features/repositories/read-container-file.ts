import { joinShellWords } from "../../lib/shell-words.ts";

/** What a Dockerfile starts, and on which port. Pure. */
export function readContainerFile(text: string): {
  readonly command: string | null;
  readonly port: number | null;
} {
  // Only the last stage is the image. A line that ends with \ continues.
  const lines = text.replaceAll(/\\\r?\n/g, " ").split(/\r?\n/);
  const start = lines.findLastIndex((line) => /^\s*FROM\s/i.test(line));
  const stage = lines.slice(Math.max(start, 0));
  const lastOf = (instruction: string): string | null =>
    stage
      .map((line) => new RegExp(`^\\s*${instruction}\\s+(.+?)\\s*$`, "i").exec(line)?.[1] ?? null)
      .findLast((value) => value !== null) ?? null;
  const parts = [lastOf("ENTRYPOINT"), lastOf("CMD")].filter((part) => part !== null).map(readCommand);
  const isKnown = parts.length > 0 && !parts.includes(null);
  const port = Number(/^(\d+)(?:\/tcp)?/.exec(lastOf("EXPOSE") ?? "")?.[1]);
  return {
    command: isKnown ? parts.join(" ") : null,
    port: Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : null,
  };
}

/** `["node", "server.js"]` and `node server.js` alike; null if it is neither. */
function readCommand(value: string): string | null {
  if (!value.startsWith("[")) return value;
  try {
    const words: unknown = JSON.parse(value);
    if (!Array.isArray(words) || !words.every((word) => typeof word === "string")) return null;
    return joinShellWords(words);
  } catch {
    return null;
  }
}
