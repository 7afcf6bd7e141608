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
import { FORMATS, type Format, renderLine } from "./dotenv.ts";
import { type Change, changesOf, type FileOptions, planFile, withoutUnchanged } from "./plan.ts";
import { parseJsonFile, renderFile } from "./render-file.ts";
import { requireValues, sendVariables } from "./send.ts";
import { isOwn, kindOf } from "./stores.ts";

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
  const format = formatOf(input);
  const file = input.optionalArgument("FILE") ?? (format === "dotenv" ? DEFAULT_FILE : "-");
  const { owner, name: whose } = await findVariableScope(context, input);
  const all = await collect(client.variables.list(owner, { limit: PAGE }, { signal }));
  const { text, written, notWritten, misread } = renderFile(all.filter(isOwn), format);
  if (file !== "-") {
    const before = await readIfThere(file);
    if (before !== null && before !== text) await prompt.confirm(`Replace ${file}?`);
    // Only its owner can read a new file. An existing file keeps its mode.
    if (before === null) await writePrivately(file, text);
    else await writeFile(file, text);
  }
  for (const { name, misreadBy } of misread)
    output.note(`${name}: ${misreadBy} reads another value from this file. ${OTHER_FORMATS}`);
  const unsafe = notWritten.filter((one) => one.value !== null).map(({ name }) => name);
  if (unsafe.length > 0)
    output.note(
      `Not written, because a shell could run them, or a reader lose the next line: ${unsafe.join(", ")}. ${OTHER_FORMATS}`,
    );
  if (file === "-") {
    output.raw(text);
    return;
  }
  const unreadable = notWritten.length - unsafe.length;
  output.progress(
    `Wrote ${written.length} variables of ${whose}.${unreadable === 0 ? "" : ` ${unreadable} are not written: their values cannot be read.`}`,
  );
  const left = notWritten.map(({ name }) => name);
  output.item({ file, written, notWritten: left, misread }, [
    ["file", file],
    ["written", written.length],
    ["not written", left.join(", ")],
  ]);
};

const OTHER_FORMATS = "Every value can be written with --format shell or --format json.";

async function applyFile(
  context: Context,
  input: Input,
  file: string,
  options: Omit<FileOptions, "isHeld">,
): Promise<void> {
  const { output, prompt, signal } = context;
  const format = formatOf(input);
  const text = await readText(file, context.stdin);
  const values = format === "json" ? parseJsonFile(text) : parseDotenv(text);
  requireValues(input, values);
  const client = await context.client();
  const scope = await findVariableScope(context, input);
  const { owner } = scope;
  const present = await collect(client.variables.list(owner, { limit: PAGE }, { signal }));
  const isHeld = (name: string, value: string): boolean =>
    format === "json" || renderLine(name, value) !== null;
  const body = planFile(values, present, { ...options, isHeld });
  const answer = await client.variables.set(owner, body, { signal, query: { dryRun: true } });
  if (answer.status !== "dryRun" || answer.plan === undefined) throw new Error("A dry run has a plan.");
  const changes = changesOf(answer.plan);
  const refused = changes.filter(({ change }) => change === "refused");
  if (input.isSet("dry-run") || refused.length > 0) {
    showChanges(context, changes, null);
    if (refused.length > 0) throw refusal(refused);
    return;
  }
  const deleted = body.delete ?? [];
  if (deleted.length > 0) await prompt.confirm(`Delete ${deleted.join(", ")} of ${scope.name}?`);
  const sent = withoutUnchanged(body, changes);
  const { runId } =
    Object.keys(sent).length === 0 ? { runId: null } : await sendVariables(context, input, scope, sent);
  if (changes.every(({ change }) => change === "unchanged")) output.progress("Nothing was changed.");
  showChanges(context, changes, runId);
}

function formatOf(input: Input): Format {
  return FORMATS.find((one) => one === input.text("format")) ?? "dotenv";
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
