import type { EnvVariable, EnvVariablesRun } from "../../../../sdk/src/index.ts";
import {
  type Command,
  ENVIRONMENT,
  type Flag,
  type Handler,
  PROJECT,
  SERVICE,
  WAITING,
} from "../../command.ts";
import { UsageError } from "../../failure.ts";
import { collect, findService, PAGE } from "../../lookup.ts";
import type { Output } from "../../output.ts";
import { diffVariables } from "./diff.ts";
import { importVariables, pullVariables, pushVariables } from "./file.ts";
import { findVariableScope, listVariables } from "./scope.ts";
import { followRun, requireStored } from "./send.ts";
import { setVariables } from "./set.ts";
import { shownValue, storeOf, WRITTEN_STORES } from "./stores.ts";

/** Variables belong to an environment, or with `-s` to one of its services. */
const SCOPE: readonly Flag[] = [
  PROJECT,
  ENVIRONMENT,
  { ...SERVICE, says: "variables of this service (default: of the environment)" },
];
const STORE: Flag = {
  name: "store",
  value: "STORE",
  choices: WRITTEN_STORES,
  says: "the store of the values: plain in Slipway, or a secret in the cloud account",
};
const READ_FORMAT: Flag = {
  name: "format",
  value: "FORMAT",
  choices: ["dotenv", "json"],
  says: "the format of the file (default: dotenv)",
};
const DRY_RUN: Flag = { name: "dry-run", says: "show what would change, and change nothing" };

const showVariables: Handler = async (context, input) => {
  const { client, output } = context;
  const value = { title: "value", of: shownValue, isProse: true } as const;
  if (input.isSet("effective")) {
    const { id } = await findService(context, input);
    output.list(await collect(client.variables.listEffective(id, { limit: PAGE })), [
      "name",
      { title: "store", of: ({ kind }) => storeOf(kind) },
      value,
      { title: "from", of: ({ from, source }) => (source === "config" ? `${from}, configuration` : from) },
    ]);
    return;
  }
  const { owner } = await findVariableScope(context, input);
  output.list(await listVariables(context, owner), [
    "name",
    {
      title: "store",
      of: ({ kind, availableInPreviews }) => `${storeOf(kind)}${availableInPreviews ? ", in previews" : ""}`,
    },
    value,
    { title: "set by", of: ({ source }) => (source === "config" ? "configuration" : source) },
    { title: "state", of: stateOf },
    "updatedAt",
  ]);
};

const showStatus: Handler = async (context, input) => {
  const { client, output } = context;
  const { owner, name } = await findVariableScope(context, input);
  const runId = input.optionalArgument("RUN_ID");
  if (runId !== undefined) {
    const run = input.isSet("wait")
      ? await followRun(context, input, owner, runId)
      : await client.variables.getRun(owner, { runId });
    showRun(output, runId, run);
    return;
  }
  if (input.isSet("wait")) throw new UsageError("--wait needs a RUN_ID.");
  const newer = "serviceId" in owner ? (await client.services.get(owner.serviceId)).pendingRedeploy : null;
  const all = await listVariables(context, owner);
  const pending = all.filter(
    (one) => one.state !== "STORED" || one.pending !== null || one.lastError !== null,
  );
  if (newer !== null)
    output.note(
      `Not running yet: ${newer.variables.map((one) => one.name).join(", ")}. They take effect with the next deployment: slipway deploy. Without a build: slipway services restart`,
    );
  else if (pending.length === 0) output.progress(`All ${all.length} variables of ${name} are in effect.`);
  output.list(pending, [
    "name",
    { title: "state", of: stateOf },
    { title: "run", of: (one) => one.pending?.runId },
    { title: "last error", of: ({ lastError }) => lastError?.message, isProse: true },
  ]);
};

const stateOf = ({ state, pending }: EnvVariable): string =>
  pending === null || state !== "STORED" ? state : "STORED, newer one PROCESSING";

/** @throws CommandError `ENDED_BADLY` if values could not be stored */
function showRun(output: Output, runId: string, run: EnvVariablesRun): void {
  output.item({ runId, ...run }, [
    ["run", runId],
    ["finished", run.isFinished],
    ["processed", `${run.processedEnvVariables} of ${run.totalExpectedEnvVars}`],
    ...Object.entries(run.storedEnvVariables).map(
      ([name, reference]) => [name, Object.values(reference).join("")] as const,
    ),
  ]);
  requireStored(run);
}

const unsetVariables: Handler = async (context, input) => {
  const { client, output, prompt } = context;
  const { owner, name: whose } = await findVariableScope(context, input);
  const names = [...new Set(input.all("NAME"))];
  await prompt.confirm(`Delete ${names.join(", ")} of ${whose}?`);
  const { deletedCount = 0, removingCount = 0 } = await client.variables.set(owner, { delete: names });
  if (removingCount > 0)
    output.progress(`The values of ${removingCount} are being removed from the cloud account.`);
  output.item({ names, deletedCount, removingCount }, [
    ["deleted", names.join(", ")],
    ["values being removed", removingCount],
  ]);
};

export const VARIABLES: readonly Command[] = [
  {
    words: "env list",
    says: "List variables; values of managed ones are never shown",
    flags: [
      ...SCOPE,
      { name: "effective", says: "show the effective variables of the service, with their origin" },
    ],
    examples: ["slipway env list -e production", "slipway env list -s web --effective --json"],
    run: showVariables,
  },
  {
    words: "env set",
    says: "Set variables",
    more: [
      "Plain values may be arguments: NAME=VALUE. A secret must not be one, because other users of the machine see",
      "arguments: give its name, and its value by --stdin or --from-file, or at the prompt. One final newline is",
      "removed from a value of one line. Without --store, an existing variable keeps its store.",
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
      {
        name: "in-previews",
        says: "give a secret of a template also to previews of the repository's own pull requests, never to forks",
      },
      { name: "allow-empty", says: "accept an empty value" },
      ...WAITING,
    ],
    examples: [
      "slipway env set LOG_LEVEL=info REGION=eu -e production",
      "slipway env set DATABASE_PASSWORD --store secrets-manager --from-file password.txt --wait",
      "slipway env set API_URL -s web --from-service api.url",
    ],
    run: setVariables,
  },
  {
    words: "env unset",
    says: "Delete variables",
    arguments: [{ name: "NAME", many: true, says: "names of variables" }],
    flags: SCOPE,
    examples: ["slipway env unset LOG_LEVEL REGION -e production"],
    run: unsetVariables,
  },
  {
    words: "env import",
    says: "Set the variables of a .env file; others stay as they are",
    arguments: [{ name: "FILE", says: "a .env file, or - for standard input" }],
    flags: [
      ...SCOPE,
      STORE,
      READ_FORMAT,
      { name: "allow-empty", says: "accept empty values" },
      DRY_RUN,
      ...WAITING,
    ],
    examples: ["slipway env import .env.production --store parameter-store -e production"],
    run: importVariables,
  },
  {
    words: "env push",
    says: "Make variables equal to a .env file",
    more: [
      "All changes are one transaction. Existing variables keep their store. With --prune, plain variables that the file",
      "does not name are deleted. Managed variables, references, and values that no .env file can safely hold stay,",
      "because `env pull` cannot write them.",
    ],
    arguments: [{ name: "FILE", optional: true, says: "a .env file (default: .env)" }],
    flags: [
      ...SCOPE,
      { ...STORE, says: "the store for values of new names (default: plain)" },
      READ_FORMAT,
      { name: "prune", says: "delete plain variables that the file does not name" },
      { name: "allow-empty", says: "accept empty values" },
      DRY_RUN,
      ...WAITING,
    ],
    examples: ["slipway env push .env --dry-run", "slipway env push .env --prune --yes"],
    run: pushVariables,
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
    run: pullVariables,
  },
  {
    words: "env diff",
    says: "Compare the variables of two environments, or of an environment and a file, without managed values",
    arguments: [{ name: "ENVIRONMENT", optional: true, says: "the other environment, by name or id" }],
    flags: [...SCOPE, { name: "file", value: "FILE", says: "compare with a .env file" }],
    examples: ["slipway env diff staging -e production", "slipway env diff --file .env -e production"],
    run: diffVariables,
  },
  {
    words: "env status",
    says: "Show a run that stores values in the cloud account, or the values that are not in effect yet",
    arguments: [{ name: "RUN_ID", optional: true, says: "the run, as `env set` prints it" }],
    flags: [...SCOPE, ...WAITING],
    examples: [
      "slipway env status run_01kahv2m4c8r1w6t3k9p5x7hbn --wait",
      "slipway env status -e production",
    ],
    run: showStatus,
  },
];
