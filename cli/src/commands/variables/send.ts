import type { EnvVariablesRun, SetEnvVariablesRequest } from "../../../../sdk/src/index.ts";
import type { Input } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CommandError, endedBadly, EXIT } from "../../failure.ts";
import { firstOf, waiting } from "../../wait.ts";
import type { Owner, VariableScope } from "./scope.ts";
import type { WrittenKind } from "./stores.ts";

/** The body that changes variables: values by how each is kept, and names to delete. */
export type Changes = SetEnvVariablesRequest;

/** Built from entries, because a name may be `__proto__`, which an assignment would drop. */
export function changesOfValues(
  values: readonly { readonly name: string; readonly kind: WrittenKind; readonly value: string }[],
): Changes {
  const kinds = [...new Set(values.map(({ kind }) => kind))];
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      Object.fromEntries(values.flatMap((one) => (one.kind === kind ? [[one.name, one.value]] : []))),
    ]),
  );
}

/**
 * Sets and deletes variables in one transaction, and with `--wait` waits until all values are stored.
 * @returns the id of the run that stores them; null if there is none
 */
export async function sendVariables(
  context: Context,
  input: Input,
  { owner }: VariableScope,
  changes: Changes,
): Promise<string | null> {
  const { client, output } = context;
  const answer = await client.variables.set(owner, changes);
  if (answer.status !== "processing") return null;
  const { runId, processingCount } = answer;
  if (input.isSet("wait")) requireStored(await followRun(context, input, owner, runId));
  else
    output.progress(
      `${processingCount} are being stored in the cloud account: ${statusCommand(owner, runId)}`,
    );
  return runId;
}

/** Waits until a run has stored, or failed to store, each of its values. */
export async function followRun(
  context: Context,
  input: Input,
  owner: Owner,
  runId: string,
): Promise<EnvVariablesRun> {
  const { client, output } = context;
  return await waiting(context, input, statusCommand(owner, runId), (signal) =>
    firstOf(
      client.variables.watchRun(owner, { runId }, { signal }),
      ({ isFinished }) => isFinished,
      ({ processedEnvVariables, totalExpectedEnvVars }) =>
        output.progress(`${processedEnvVariables} of ${totalExpectedEnvVars} values are processed.`),
    ),
  );
}

function statusCommand(owner: Owner, runId: string): string {
  const flag = "serviceId" in owner ? `-s ${owner.serviceId}` : `-e ${owner.environmentId}`;
  return `slipway env status ${runId} ${flag} --wait`;
}

/** @throws CommandError `ENDED_BADLY` if values could not be stored */
export function requireStored({ failedEnvVariables }: EnvVariablesRun): void {
  const failed = Object.entries(failedEnvVariables);
  if (failed.length === 0) return;
  throw endedBadly(
    `${failed.length} ${failed.length === 1 ? "value" : "values"} could not be stored.`,
    failed.map(([name, { message }]) => `${name}: ${message}`).join("\n"),
  );
}

/** An empty value is nearly always the mistake of a script. @throws CommandError naming them */
export function requireValues(input: Input, values: Readonly<Record<string, string>>): void {
  const empty = Object.entries(values).flatMap(([name, value]) => (value === "" ? [name] : []));
  if (empty.length === 0 || input.isSet("allow-empty")) return;
  throw new CommandError(
    `${empty.length === 1 ? "The value is" : "The values are"} empty: ${empty.join(", ")}.`,
    { code: "EMPTY_VALUE", exitCode: EXIT.USAGE, hint: "Give --allow-empty if this is intended." },
  );
}
