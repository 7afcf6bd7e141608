/** The log as people read it on a terminal: a line for each record, and the stack of an error below it. */
import { styleText } from "node:util";
import { type DestinationStream, pino } from "pino";

type Colour = Parameters<typeof styleText>[0];
const COLOURS: Readonly<Record<string, Colour>> = {
  fatal: "red",
  error: "red",
  warn: "yellow",
  debug: "gray",
  trace: "gray",
};

/** A destination of pino for JSON records. Colours are left out where the terminal has none, or `NO_COLOR` is set. */
export function writeAsText(out: NodeJS.WriteStream): DestinationStream {
  const paint = (colour: Colour | undefined, text: string): string =>
    colour === undefined ? text : styleText(colour, text, { stream: out });
  return {
    write(record) {
      const { level, time, msg, err, ...fields } = JSON.parse(record) as Readonly<Record<string, unknown>>;
      const label = pino.levels.labels[Number(level)] ?? "info";
      const at = new Date(String(time)).toTimeString().slice(0, 8);
      const more = Object.entries(fields).flatMap(([name, value]) =>
        value === null ? [] : [`${name}=${textOf(value)}`],
      );
      const line = [
        paint("gray", at),
        paint(COLOURS[label], label.toUpperCase().padEnd(5)),
        plain(typeof msg === "string" ? msg : ""),
        ...(more.length === 0 ? [] : [paint("gray", more.join(" "))]),
      ].join(" ");
      out.write(`${line}\n${err === undefined ? "" : describe(err, "")}`);
    },
  };
}

/** Names of hosts, repositories and files come from others: nothing of them controls the terminal. */
const plain = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (one) => {
    const code = (one.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
    return String.raw`\u` + code;
  });

function textOf(value: unknown): string {
  if (typeof value === "string" && /^[\w.:/@+-]+$/.test(value)) return value;
  return plain(JSON.stringify(value));
}

/** An error as `createLogger` writes it, with its causes. */
function describe(error: unknown, before: string): string {
  if (typeof error !== "object" || error === null) return "";
  const { name, message, stack, cause } = error as Readonly<Record<string, unknown>>;
  const text = typeof stack === "string" ? stack : `${String(name)}: ${String(message)}`;
  const lines = `${before}${text}`.split("\n").map((line) => `  ${plain(line)}\n`);
  return `${lines.join("")}${describe(cause, "caused by ")}`;
}
