/** The definition of a command: the only source of help, completion, the reference page and `commands --json`. */
import type { Context } from "./context.ts";

export type Flag = {
  /** In kebab-case, without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** What stands for its value in help; a flag without one is a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** It may be given more than once. */
  readonly many?: true;
  readonly required?: true;
  readonly says: string;
};

export type Argument = {
  /** In upper case. */
  readonly name: string;
  readonly says: string;
  readonly optional?: true;
  /** It takes all remaining arguments. Only for the last one. */
  readonly many?: true;
  readonly choices?: readonly string[];
};

/** What a user typed after a command's words, by the names of the table. */
export type Input = {
  /** Of a required argument. */
  argument(name: string): string;
  optionalArgument(name: string): string | undefined;
  /** Of an argument that may be given many times. */
  all(name: string): readonly string[];
  isSet(flag: string): boolean;
  text(flag: string): string | undefined;
  requiredText(flag: string): string;
  /** The values of a flag that may be given more than once. */
  many(flag: string): readonly string[];
  /** @throws UsageError for a value that is not a whole number, or is below `least` */
  number(flag: string, least?: number): number | undefined;
};

/** @param table all commands, for handlers that describe them */
export type Handler = (context: Context, input: Input, table: Table) => Promise<void>;

export type Command = {
  /** One or two words: `login`, `domains add`. */
  readonly words: string;
  /** A sentence, which begins with a verb. */
  readonly says: string;
  /** What a user needs beyond the sentence, in lines. */
  readonly more?: readonly string[];
  readonly arguments?: readonly Argument[];
  readonly flags?: readonly Flag[];
  /** Lines to type; only its words unless given. */
  readonly examples?: readonly string[];
  /** Prints a line of JSON for each thing with `--json`, as it comes; other commands print one document. */
  readonly streams?: true;
} & (
  | { readonly run: Handler }
  /** A command of the operator: it has the server beside it, and neither a client nor the flags of every command. */
  | { readonly operate: (input: Input) => Promise<void> }
);

/** Commands that share their first word. */
export type Group = { readonly word: string; readonly says: string };

export type Table = { readonly commands: readonly Command[]; readonly groups: readonly Group[] };

export const examplesOf = ({ words, examples }: Command): readonly string[] =>
  examples ?? [`slipway ${words}`];

export const groupOf = ({ words }: Command): string => words.split(" ")[0] ?? "";

/** The first words of all commands, in the order of the table, with what each is about. */
export function firstWords({ commands, groups }: Table): readonly (readonly [word: string, says: string])[] {
  return [...new Set(commands.map(groupOf))].map((word) => {
    const group = groups.find((one) => one.word === word);
    return [word, (group ?? commands.find(({ words }) => words === word))?.says ?? ""];
  });
}

const HELP: Flag = { name: "help", short: "h", says: "print this help" };

/** Flags of every command. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  { name: "json", says: "print JSON to stdout, and errors as JSON to stderr" },
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
  HELP,
];

/** Its own flags, and the flags of every command of its kind. */
export function flagsOf(command: Command): readonly Flag[] {
  return [...(command.flags ?? []), ...("operate" in command ? [HELP] : GLOBAL_FLAGS)];
}

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
  says: "the environment, by name or id (default: the linked one, or the only one apart from templates and previews)",
};
export const SERVICE: Flag = {
  name: "service",
  short: "s",
  value: "SERVICE",
  says: "the service, by name or id (default: the linked one, or the only one)",
};
/** The same as filters: without them, all. */
export const ONLY_PROJECT: Flag = { ...PROJECT, says: "only of this project, by name or id" };
export const ONLY_ENVIRONMENT: Flag = { ...ENVIRONMENT, says: "only of this environment, by name or id" };
export const ONLY_SERVICE: Flag = { ...SERVICE, says: "only of this service, by name or id" };
export const TIMEOUT: Flag = {
  name: "timeout",
  value: "DURATION",
  says: "stop waiting after a time such as 90s, 10m or 2h, and exit with 8; the work continues",
};
/** For work in the background. */
export const WAITING: readonly Flag[] = [{ name: "wait", says: "wait until the work has ended" }, TIMEOUT];
/** For lists that grow. */
export const LIMITS: readonly Flag[] = [
  { name: "limit", value: "N", says: "maximum number of results (default: 100)" },
  { name: "all", says: "all results" },
];
export const ROLES = ["viewer", "developer", "admin"];
export const SCOPES = ["read", "deploy", "domains", "variables", "admin"];
export const USER: Argument = {
  name: "USER",
  says: "a user, by email address or id; a service account, by name or id",
};
export const TYPES: Flag = {
  name: "types",
  value: "TYPES",
  says: "only these types, separated by commas: deployment.succeeded,domain.*",
};
