import { styleText } from "node:util";
import { type DestinationStream, type LoggerOptions, pino, type Logger as PinoLogger } from "pino";

export type Logger = PinoLogger;

/** `auto`: text for people on a terminal, otherwise JSON for programs. */
export const LOG_FORMATS = ["auto", "json", "text"] as const;

/** The logger of a program that people start. */
export function createProgramLogger({
  logLevel,
  logFormat,
}: {
  readonly logLevel: string;
  readonly logFormat: (typeof LOG_FORMATS)[number];
}): Logger {
  const isText = logFormat === "text" || (logFormat === "auto" && process.stdout.isTTY);
  return isText ? createLogger(logLevel, writeAsText(process.stdout)) : createLogger(logLevel);
}

/**
 * The one logger: JSON lines, on standard output if no other stream is given. Bodies and headers are never logged. As a second line of defence,
 * fields that could hold a credential are removed here.
 */
export function createLogger(level: string, stream?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    redact: {
      paths: ["*.authorization", "*.password", "*.token", "*.value", "*.secret"],
      censor: "[redacted]",
    },
    serializers: { err: describeError },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return stream === undefined ? pino(options) : pino(options, stream);
}

/**
 * An error for the log: names, messages and stacks of the whole chain of causes. Other properties are left out, because
 * drivers put values there (PostgreSQL's `detail` quotes the row).
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { name: error.name, ...code, message: error.message, stack: error.stack, ...cause };
}

type Colour = Parameters<typeof styleText>[0];
const COLOURS: Readonly<Record<string, Colour>> = {
  fatal: "red",
  error: "red",
  warn: "yellow",
  debug: "gray",
  trace: "gray",
};

/**
 * The log as people read it on a terminal: a line for each record, and the stack of an error below it. A destination of
 * pino for JSON records. Colours are left out where the terminal has none, or `NO_COLOR` is set.
 */
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
      out.write(`${line}\n${err === undefined ? "" : describeText(err, "")}`);
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

/** An error as `describeError` writes it, with its causes. */
function describeText(error: unknown, before: string): string {
  if (typeof error !== "object" || error === null) return "";
  const { name, message, stack, cause } = error as Readonly<Record<string, unknown>>;
  const text = typeof stack === "string" ? stack : `${String(name)}: ${String(message)}`;
  const lines = `${before}${text}`.split("\n").map((line) => `  ${plain(line)}\n`);
  return `${lines.join("")}${describeText(cause, "caused by ")}`;
}
