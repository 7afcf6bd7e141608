/** Failures that a user can act on, and the exit code of each. */

/** docs/reference/cli.md says what each means. */
export const EXIT = {
  FAILED: 1,
  USAGE: 2,
  ENDED_BADLY: 3,
  REFUSED: 4,
  NOT_FOUND: 5,
  CONFLICT: 6,
  UNAVAILABLE: 7,
  PENDING: 8,
  INTERRUPTED: 130,
} as const;

/** A failure with a code for programs, a sentence for people, and what to do. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  readonly code: string;
  readonly exitCode: number;
  readonly hint: string | null;
  /** What else a program may want to know. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(
    message: string,
    options: {
      readonly code: string;
      readonly exitCode: number;
      readonly hint?: string | null;
      readonly details?: Readonly<Record<string, unknown>>;
      readonly cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = options.code;
    this.exitCode = options.exitCode;
    this.hint = options.hint ?? null;
    this.details = options.details ?? {};
  }
}

/** The command cannot be carried out as it was typed. Nothing was sent. */
export class UsageError extends CommandError {
  override readonly name = "UsageError";
  constructor(message: string, hint: string | null = null, exitCode: number = EXIT.USAGE) {
    super(message, { code: "USAGE", exitCode, hint });
  }
}

/** The awaited work ended, but did not succeed. */
export function endedBadly(message: string, hint: string | null = null): CommandError {
  return new CommandError(message, { code: "ENDED_BADLY", exitCode: EXIT.ENDED_BADLY, hint });
}

export function notFound(message: string, hint: string | null = null): CommandError {
  return new CommandError(message, { code: "NOT_FOUND", exitCode: EXIT.NOT_FOUND, hint });
}
