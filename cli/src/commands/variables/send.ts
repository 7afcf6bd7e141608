import type { SetEnvVariablesRequest } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import type { VariableScope } from "../../find/variable-scope.ts";
import { CommandError, EXIT } from "../../output/failure.ts";
import type { Input } from "../../table/input.ts";
import { followRun, requireStored } from "./follow-run.ts";
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

export type Sent = { readonly runId: string | null; readonly failed: readonly string[] };

/** Sets and deletes variables in one transaction, and with `--wait` waits until all values are stored. */
export async function sendVariables(
  context: Context,
  input: Input,
  { owner }: VariableScope,
  changes: Changes,
): Promise<Sent> {
  const { output, signal } = context;
  const client = await context.client();
  const answer = await client.variables.set(owner, changes, { signal });
  if (answer.status !== "processing") return { runId: null, failed: [] };
  const { runId, processingCount } = answer;
  if (!input.isSet("wait")) {
    const [flag, id] = "serviceId" in owner ? ["-s", owner.serviceId] : ["-e", owner.environmentId];
    output.progress(
      `${processingCount} are being stored in the cloud account: slipway env status ${runId} ${flag} ${id} --wait`,
    );
    return { runId, failed: [] };
  }
  const run = await followRun(context, input, owner, runId);
  requireStored(Object.entries(run.failedEnvVariables));
  return { runId, failed: Object.keys(run.failedEnvVariables) };
}

/** An empty value is nearly always the mistake of a script. @throws CommandError naming them */
export function requireValues(input: Input, values: Readonly<Record<string, string>>): void {
  const empty = Object.entries(values).flatMap(([name, value]) => (value === "" ? [name] : []));
  if (empty.length === 0 || input.isSet("allow-empty")) return;
  throw new CommandError(
    `${empty.length === 1 ? "The value is" : "The values are"} empty: ${empty.join(", ")}.`,
    {
      code: "EMPTY_VALUE",
      exitCode: EXIT.USAGE,
      hint: "Give --allow-empty if that is meant.",
    },
  );
}
