import { writeFile } from "node:fs/promises";
import { parseDotenv } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import { PAGE } from "../../find/limited.ts";
import { collect } from "../../find/scope.ts";
import { findVariableScope } from "../../find/variable-scope.ts";
import { readText } from "../../input/values.ts";
import { CommandError, EXIT } from "../../output/failure.ts";
import { readIfThere, writePrivately } from "../../session/credentials.ts";
import type { Handler } from "../../table/command.ts";
import type { Input } from "../../table/input.ts";
import { renderLine } from "./dotenv.ts";
import { type Change, changesOf, type FileOptions, planFile, withoutUnchanged } from "./plan.ts";
import { requireValues, sendVariables } from "./send.ts";
import { isOwn, kindOf, shownValue, storeOf } from "./stores.ts";

const DEFAULT_FILE = ".env";

export const importVariables: Handler = async (context, input) => {
  const store = input.text("store");
  await applyFile(context, input, input.argument("FILE"), {
    store: store === undefined ? null : kindOf(store),
    newStore: "plainText",
    isPruned: false,
  });
};

export const pushVariables: Handler = async (context, input) => {
  const store = input.text("store");
  await applyFile(context, input, input.optionalArgument("FILE") ?? DEFAULT_FILE, {
    store: null,
    newStore: store === undefined ? "plainText" : kindOf(store),
    isPruned: input.isSet("prune"),
  });
};

export const pullVariables: Handler = async (context, input) => {
  const { output, prompt, signal } = context;
  const client = await context.client();
  const file = input.optionalArgument("FILE") ?? DEFAULT_FILE;
  const { owner, name: whose } = await findVariableScope(context, input);
  const all = await collect(client.variables.list(owner, { limit: PAGE }, { signal }));
  const lines = all.filter(isOwn).map((one) => {
    const line = one.value === null ? null : renderLine(one.name, one.value);
    if (line !== null) return { name: one.name, line, isWritten: true };
    const why =
      one.value === null ? `${storeOf(one.kind)}: ${shownValue(one)}` : "not possible in a .env file";
    return { name: one.name, line: `# ${one.name} is ${why.replaceAll(/[\r\n]/g, " ")}`, isWritten: false };
  });
  const text = lines.map(({ line }) => `${line}\n`).join("");
  if (file === "-") {
    output.raw(text);
    return;
  }
  const before = await readIfThere(file);
  if (before !== null && before !== text) await prompt.confirm(`Replace ${file}?`);
  // A new file is for its owner alone; one that exists keeps its mode.
  if (before === null) await writePrivately(file, text);
  else await writeFile(file, text);
  const written = lines.filter((one) => one.isWritten).map(({ name }) => name);
  const left = lines.filter((one) => !one.isWritten).map(({ name }) => name);
  output.progress(
    `Wrote ${written.length} variables of ${whose}. ${left.length} are comments: their values cannot be read.`,
  );
  output.item({ file, written, notWritten: left }, [
    ["file", file],
    ["written", written.length],
    ["not written", left.join(", ")],
  ]);
};

async function applyFile(context: Context, input: Input, file: string, options: FileOptions): Promise<void> {
  const { output, prompt, signal } = context;
  const values = parseDotenv(await readText(file, context.stdin));
  requireValues(input, values);
  const client = await context.client();
  const scope = await findVariableScope(context, input);
  const { owner } = scope;
  const present = await collect(client.variables.list(owner, { limit: PAGE }, { signal }));
  const { groups, deleted } = planFile(values, present, options);
  const answer = await client.variables.set(owner, groups, { signal, query: { dryRun: true } });
  if (answer.status !== "dryRun" || answer.plan === undefined) throw new Error("A dry run has a plan.");
  const changes = changesOf(answer.plan, deleted);
  const refused = changes.filter(({ change }) => change === "refused");
  if (input.isSet("dry-run") || refused.length > 0) {
    showChanges(context, changes, null);
    if (refused.length > 0) throw refusal(refused);
    return;
  }
  if (deleted.length > 0) await prompt.confirm(`Delete ${deleted.join(", ")} of ${scope.name}?`);
  const sent = withoutUnchanged(groups, changes);
  const { runId } =
    Object.keys(sent).length === 0 ? { runId: null } : await sendVariables(context, input, scope, sent);
  if (deleted.length > 0) await client.variables.deleteMany(owner, { names: deleted.join(",") }, { signal });
  if (changes.every(({ change }) => change === "unchanged")) output.progress("Nothing was changed.");
  showChanges(context, changes, runId);
}

function refusal(refused: readonly Change[]): CommandError {
  return new CommandError(`${refused.length} of the variables cannot be set. Nothing was changed.`, {
    code: "VARIABLES_REFUSED",
    exitCode: EXIT.FAILED,
    hint: refused.map(({ name, says }) => `${name}: ${says ?? ""}`).join("\n"),
  });
}

function showChanges({ output }: Context, changes: readonly Change[], runId: string | null): void {
  output.list(
    changes.map((change) => ({ ...change, runId })),
    [
      { title: "name", of: ({ name }) => name },
      { title: "change", of: ({ change }) => change },
      { title: "store", of: ({ store }) => store },
    ],
  );
}
