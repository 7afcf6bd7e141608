import { type Command, ENVIRONMENT, type Flag, PROJECT, SERVICE, TIMEOUT, WAIT } from "./command.ts";

/** Variables belong to an environment, or with `-s` to one of its services. */
const SCOPE: readonly Flag[] = [
  PROJECT,
  ENVIRONMENT,
  { ...SERVICE, says: "variables of this service (default: of the environment)" },
];
const STORE: Flag = {
  name: "store",
  value: "STORE",
  choices: ["plain", "parameter-store", "secrets-manager"],
  says: "the store of the values: plain in Slipway, or a secret in the cloud account",
};
const READ_FORMAT: Flag = {
  name: "format",
  value: "FORMAT",
  choices: ["dotenv", "json"],
  says: "the format of the file (default: dotenv)",
};
const DRY_RUN: Flag = { name: "dry-run", says: "show what would change, and change nothing" };

export const VARIABLES: readonly Command[] = [
  {
    words: "env list",
    says: "List variables; values of managed ones are never shown",
    flags: [
      ...SCOPE,
      { name: "effective", says: "show the effective variables of the service, with their origin" },
    ],
    examples: ["slipway env list -e production", "slipway env list -s web --effective --json"],
    load: async () => (await import("../commands/variables/list.ts")).listVariables,
  },
  {
    words: "env set",
    says: "Set variables",
    more: [
      "Plain values may be arguments: NAME=VALUE. A secret never is one, because other users of the machine see",
      "arguments: give its name, and its value by --stdin or --from-file, or type it when asked. One final newline is",
      "removed from a value of one line. A name that exists keeps its store without --store.",
    ],
    arguments: [{ name: "NAME", many: true, says: "NAME=VALUE for plain values, or one NAME" }],
    flags: [
      ...SCOPE,
      STORE,
      { name: "stdin", says: "read the value from standard input" },
      { name: "from-file", value: "FILE", says: "read the value from a file" },
      { name: "parameter", value: "PATH", says: "refer to a parameter that you manage" },
      { name: "secret", value: "NAME", says: "refer to a secret that you manage, by name or ARN" },
      { name: "from-service", value: "SERVICE.FIELD", says: "the url, host or port of another service" },
      { name: "allow-empty", says: "accept an empty value" },
      WAIT,
      TIMEOUT,
    ],
    examples: [
      "slipway env set LOG_LEVEL=info REGION=eu -e production",
      "slipway env set DATABASE_PASSWORD --store secrets-manager --from-file password.txt --wait",
      "slipway env set API_URL -s web --from-service api.url",
    ],
    load: async () => (await import("../commands/variables/set.ts")).setVariables,
  },
  {
    words: "env unset",
    says: "Delete variables",
    arguments: [{ name: "NAME", many: true, says: "names of variables" }],
    flags: SCOPE,
    examples: ["slipway env unset LOG_LEVEL REGION -e production"],
    load: async () => (await import("../commands/variables/set.ts")).unsetVariables,
  },
  {
    words: "env import",
    says: "Set all variables of a .env file; keep the others",
    arguments: [{ name: "FILE", says: "a .env file, or - for standard input" }],
    flags: [
      ...SCOPE,
      STORE,
      READ_FORMAT,
      { name: "allow-empty", says: "accept empty values" },
      DRY_RUN,
      WAIT,
      TIMEOUT,
    ],
    examples: ["slipway env import .env.production --store parameter-store -e production"],
    load: async () => (await import("../commands/variables/file.ts")).importVariables,
  },
  {
    words: "env push",
    says: "Make variables equal to a .env file",
    more: [
      "One transaction sets and deletes: all of it is done, or nothing. Names that exist keep their store. With --prune,",
      "plain variables that the file does not name are deleted; those that `env pull` cannot write stay: managed ones,",
      "references, and values that no .env file can safely hold.",
    ],
    arguments: [{ name: "FILE", optional: true, says: "a .env file (.env)" }],
    flags: [
      ...SCOPE,
      { ...STORE, says: "the store for values of new names (default: plain)" },
      READ_FORMAT,
      { name: "prune", says: "delete plain variables that the file does not name" },
      { name: "allow-empty", says: "accept empty values" },
      DRY_RUN,
      WAIT,
      TIMEOUT,
    ],
    examples: ["slipway env push .env --dry-run", "slipway env push .env --prune --yes"],
    load: async () => (await import("../commands/variables/file.ts")).pushVariables,
  },
  {
    words: "env pull",
    says: "Write variables to a .env file; managed ones as comments, because their values cannot be read",
    more: [
      "Values are quoted so that dotenv, python-dotenv, godotenv, Docker Compose and shells read the same. If that is not",
      "possible, a warning names the variable; a value that a shell could run is not written. --format shell writes a",
      "script of exports for POSIX shells, and --format json an object; both hold every value.",
    ],
    arguments: [
      {
        name: "FILE",
        optional: true,
        says: "the file, or - for standard output (default: .env; with another format, standard output)",
      },
    ],
    flags: [
      ...SCOPE,
      {
        name: "format",
        value: "FORMAT",
        choices: ["dotenv", "shell", "json"],
        says: "the format (default: dotenv)",
      },
    ],
    examples: [
      "slipway env pull .env.production -e production",
      "slipway env pull -",
      "slipway env pull --format json -s web > variables.json",
    ],
    load: async () => (await import("../commands/variables/file.ts")).pullVariables,
  },
  {
    words: "env diff",
    says: "Compare the variables of two environments, or of an environment and a file, without managed values",
    arguments: [{ name: "ENVIRONMENT", optional: true, says: "the other environment, by name or id" }],
    flags: [...SCOPE, { name: "file", value: "FILE", says: "compare with a .env file" }],
    examples: ["slipway env diff staging -e production", "slipway env diff --file .env -e production"],
    load: async () => (await import("../commands/variables/diff.ts")).diffVariables,
  },
  {
    words: "env status",
    says: "Show a run that stores values in the cloud account, or the values that are not in effect yet",
    arguments: [{ name: "RUN_ID", optional: true, says: "the run, as `env set` prints it" }],
    flags: [...SCOPE, WAIT, TIMEOUT],
    examples: [
      "slipway env status run_01kahv2m4c8r1w6t3k9p5x7hbn --wait",
      "slipway env status -e production",
    ],
    load: async () => (await import("../commands/variables/list.ts")).showStatus,
  },
];
