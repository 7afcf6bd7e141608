import { type DestinationStream, type LoggerOptions, pino, type Logger as PinoLogger } from "pino";

export type Logger = PinoLogger;

/**
 * The one logger: JSON lines on standard output. Bodies and headers are never logged. As a second line of defence,
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
