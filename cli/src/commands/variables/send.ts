import type { Context } from "../../context.ts";
import type { VariableScope } from "../../find/variable-scope.ts";
import { CommandError, EXIT } from "../../output/failure.ts";
import type { Input } from "../../table/input.ts";
import { followRun, requireStored } from "./follow-run.ts";

/** The body that sets variables, by how each is kept. */
export type Groups = {
  plainText?: Record<string, string>;
  parameterStore?: Record<string, string>;
  secretsManager?: Record<string, string>;
  fromParameterStore?: Record<string, string>;
  fromSecretsManager?: Record<string, string>;
  fromService?: Record<string, { id: string; value: string }>;
};

export type Sent = { readonly runId: string | null; readonly failed: readonly string[] };

/** Sets variables, and with `--wait` waits until all values are stored. */
export async function sendVariables(
  context: Context,
  input: Input,
  { owner }: VariableScope,
  groups: Groups,
): Promise<Sent> {
  const { output, signal } = context;
  const client = await context.client();
  const answer = await client.variables.set(owner, groups, { signal });
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
  const empty = Object.keys(values).filter((name) => values[name] === "");
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
