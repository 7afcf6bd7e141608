import type { EnvVariablesRun } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import type { VariableScope } from "../../find/variable-scope.ts";
import { endedBadly } from "../../output/failure.ts";
import type { Output } from "../../output/output.ts";
import type { Input } from "../../table/input.ts";
import { waiting } from "../wait.ts";

/** Waits until a run has stored, or failed to store, each of its values. */
export async function followRun(
  context: Context,
  input: Input,
  owner: VariableScope["owner"],
  runId: string,
): Promise<EnvVariablesRun> {
  const client = await context.client();
  const [flag, id] = "serviceId" in owner ? ["-s", owner.serviceId] : ["-e", owner.environmentId];
  return await waiting(context, input, `slipway env status ${runId} ${flag} ${id} --wait`, async (signal) => {
    for await (const run of client.variables.watchRun(owner, { runId }, { signal })) {
      context.output.progress(
        `${run.processedEnvVariables} of ${run.totalExpectedEnvVars} values are processed.`,
      );
      if (run.isFinished) return run;
    }
    throw new Error("A watch does not end.");
  });
}

/** @throws CommandError `ENDED_BADLY` if values could not be stored */
export function showRun(output: Output, runId: string, run: EnvVariablesRun): void {
  const failed = Object.entries(run.failedEnvVariables);
  output.item({ runId, ...run }, [
    ["run", runId],
    ["finished", run.isFinished],
    ["processed", `${run.processedEnvVariables} of ${run.totalExpectedEnvVars}`],
    ...Object.entries(run.storedEnvVariables).map(
      ([name, reference]) => [name, Object.values(reference).join("")] as const,
    ),
  ]);
  requireStored(failed);
}

export function requireStored(failed: readonly (readonly [string, { readonly message: string }])[]): void {
  if (failed.length === 0) return;
  throw endedBadly(
    `${failed.length} ${failed.length === 1 ? "value" : "values"} could not be stored.`,
    failed.map(([name, { message }]) => `${name}: ${message}`).join("\n"),
  );
}
