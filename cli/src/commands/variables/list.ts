import type { EnvVariable } from "../../../../sdk/src/index.ts";
import { PAGE } from "../../find/limited.ts";
import { collect, findService } from "../../find/scope.ts";
import { findVariableScope } from "../../find/variable-scope.ts";
import { UsageError } from "../../output/failure.ts";
import type { Handler } from "../../table/command.ts";
import { followRun, showRun } from "./follow-run.ts";
import { shownValue, storeOf } from "./stores.ts";

export const listVariables: Handler = async (context, input) => {
  const { output, signal } = context;
  const client = await context.client();
  if (input.isSet("effective")) {
    const service = await findService(context, input);
    const all = await collect(client.variables.listEffective(service.id, { limit: PAGE }, { signal }));
    output.list(all, [
      { title: "name", of: ({ name }) => name },
      { title: "store", of: ({ kind }) => storeOf(kind) },
      { title: "value", of: shownValue, isProse: true },
      { title: "from", of: ({ from, source }) => (source === "config" ? `${from}, configuration` : from) },
    ]);
    return;
  }
  const { owner } = await findVariableScope(context, input);
  const all = await collect(client.variables.list(owner, { limit: PAGE }, { signal }));
  output.list(all, [
    { title: "name", of: ({ name }) => name },
    { title: "store", of: ({ kind }) => storeOf(kind) },
    { title: "value", of: shownValue, isProse: true },
    { title: "set by", of: ({ source }) => (source === "config" ? "configuration" : source) },
    { title: "state", of: stateOf },
    { title: "updated", of: ({ updatedAt }) => updatedAt },
  ]);
};

export const showStatus: Handler = async (context, input) => {
  const { output, signal } = context;
  const client = await context.client();
  const { owner, name } = await findVariableScope(context, input);
  const newer =
    "serviceId" in owner ? (await client.services.get(owner.serviceId, { signal })).pendingRedeploy : null;
  const runId = input.optionalArgument("RUN_ID");
  if (runId !== undefined) {
    const run = input.isSet("wait")
      ? await followRun(context, input, owner, runId)
      : await client.variables.getRun(owner, { runId }, { signal });
    showRun(output, runId, run);
    return;
  }
  if (input.isSet("wait")) throw new UsageError("Which run? Give its RUN_ID with --wait.");
  const all = await collect(client.variables.list(owner, { limit: PAGE }, { signal }));
  const pending = all.filter(
    (one) => one.state !== "STORED" || one.pending !== null || one.lastError !== null,
  );
  if (newer !== null)
    output.note(
      `Not running yet: ${newer.variables.map((one) => one.name).join(", ")}. A deployment puts them into effect: slipway deploy`,
    );
  else if (pending.length === 0) output.progress(`All ${all.length} variables of ${name} are in effect.`);
  output.list(pending, [
    { title: "name", of: (one) => one.name },
    { title: "state", of: stateOf },
    { title: "run", of: (one) => one.pending?.runId },
    { title: "found wrong", of: ({ lastError }) => lastError?.message, isProse: true },
  ]);
};

const stateOf = ({ state, pending }: EnvVariable): string =>
  pending === null || state !== "STORED" ? state : "STORED, newer one PROCESSING";
