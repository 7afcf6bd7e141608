/** The definition of a command: the only source of help, completion, the reference page and `commands --json`. */
import type { Context } from "../context.ts";
import { readDuration } from "../input/duration.ts";
import type { Input } from "./input.ts";

export type Flag = {
  /** In kebab-case, without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** What stands for its value in help; a flag without one is a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** Throws for a value that cannot be one, before anything is sent. */
  readonly check?: (flag: string, value: string) => unknown;
  /** It may be given more than once. */
  readonly many?: true;
  readonly says: string;
};

export type Argument = {
  /** In upper case. */
  readonly name: string;
  readonly says: string;
  readonly optional?: true;
  /** All that follow, too. Only for the last one. */
  readonly many?: true;
  readonly choices?: readonly string[];
};

export type Handler = (context: Context, input: Input) => Promise<void>;

export type Command = {
  /** One or two words: `login`, `domains add`. */
  readonly words: string;
  /** A sentence, which begins with a verb. */
  readonly says: string;
  /** What a user needs beyond the sentence, in lines. */
  readonly more?: readonly string[];
  readonly arguments?: readonly Argument[];
  readonly flags?: readonly Flag[];
  /** Lines to type. */
  readonly examples: readonly string[];
  /** Prints a line of JSON for each thing with `--json`, as it comes; other commands print one document. */
  readonly streams?: true;
  /** Its code is read only when it runs, so that help and errors appear at once. */
  readonly load: () => Promise<Handler>;
};

/** Commands that share their first word. */
export type Group = { readonly word: string; readonly says: string };

export const JSON_FLAG: Flag = { name: "json", says: "print JSON to stdout, and errors as JSON to stderr" };

/** Flags of every command. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  JSON_FLAG,
  {
    name: "url",
    value: "URL",
    says: "the server (default: SLIPWAY_URL, then the linked project's, then the profile's)",
  },
  { name: "profile", value: "NAME", says: "the profile whose key to use (default: the current one)" },
  { name: "yes", short: "y", says: "do not ask before something is removed or replaced" },
  { name: "no-input", says: "never prompt; missing input is an error" },
  { name: "quiet", short: "q", says: "print no progress" },
  { name: "debug", says: "print each request to stderr, without keys and bodies" },
  { name: "help", short: "h", says: "print this help" },
];

export const PROJECT: Flag = {
  name: "project",
  short: "p",
  value: "PROJECT",
  says: "the project, by name or id (default: the linked one, or the only one)",
};
export const ENVIRONMENT: Flag = {
  name: "environment",
  short: "e",
  value: "ENVIRONMENT",
  says: "the environment, by name or id (default: the linked one, or the only one)",
};
export const SERVICE: Flag = {
  name: "service",
  short: "s",
  value: "SERVICE",
  says: "the service, by name or id (default: the linked one, or the only one)",
};
export const WAIT: Flag = { name: "wait", says: "wait until the work has ended" };
export const TIMEOUT: Flag = {
  name: "timeout",
  value: "DURATION",
  check: readDuration,
  says: "stop waiting after a time such as 90s, 10m or 2h, and exit with 8; the work continues",
};
/** For lists that grow. */
export const LIMIT: Flag = { name: "limit", value: "N", says: "maximum number of results (default: 100)" };
export const ALL: Flag = { name: "all", says: "all results" };

/** The exit codes, as the reference page shows them. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, "done"],
  [1, "failed"],
  [2, "wrong usage: an unknown flag, a missing argument; nothing was sent"],
  [3, "the awaited operation failed or was superseded"],
  [4, "no key, a key that is refused, or a role that may not do it"],
  [5, "not found"],
  [6, "in conflict with the present state"],
  [7, "the server cannot be reached, or had no time for the request, after retries"],
  [8, "still pending at `--timeout`; the work goes on"],
  [130, "interrupted with Ctrl-C; the work goes on"],
];
