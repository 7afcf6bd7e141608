import { type DestinationStream, type LoggerOptions, pino, type Logger as PinoLogger } from "pino";
import { writeAsText } from "./text-log.ts";

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
