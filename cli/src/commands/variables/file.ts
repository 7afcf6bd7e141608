import { writeFile } from "node:fs/promises";
import { parseDotenv, renderDotenvLine } from "../../../../sdk/src/index.ts";
import type { Handler, Input } from "../../command.ts";
import type { Context } from "../../context.ts";
import { readIfThere, writePrivately } from "../../credentials.ts";
import { CommandError, EXIT } from "../../failure.ts";
import { readText } from "../../read-text.ts";
import { FORMATS, type Format, parseJsonFile, renderFile } from "./dotenv.ts";
import { type Change, changesOf, type FileOptions, planFile, withoutUnchanged } from "./plan.ts";
import { findVariableScope, listVariables } from "./scope.ts";
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
  const { output, prompt } = context;
  const format = formatOf(input);
  const file = input.optionalArgument("FILE") ?? (format === "dotenv" ? DEFAULT_FILE : "-");
  const { owner, name: whose } = await findVariableScope(context, input);
  const own = (await listVariables(context, owner)).filter(isOwn);
  const { text, written, notWritten, misread } = renderFile(own, format);
  if (file !== "-") {
    const before = readIfThere(file);
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
      `Not written, because a shell could run them, or a reader could lose the next line: ${unsafe.join(", ")}. ${OTHER_FORMATS}`,
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
    "file",
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
  const { client, output, prompt, stdin } = context;
  const format = formatOf(input);
  const text = await readText(file, stdin);
  const values = format === "json" ? parseJsonFile(text) : parseDotenv(text);
  requireValues(input, values);
  const scope = await findVariableScope(context, input);
  const { owner } = scope;
  const present = await listVariables(context, owner);
  const isHeld = (name: string, value: string): boolean =>
    format === "json" || renderDotenvLine(name, value) !== null;
  const body = planFile(values, present, { ...options, isHeld });
  const answer = await client.variables.set(owner, body, { query: { dryRun: true } });
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
  const runId = Object.keys(sent).length === 0 ? null : await sendVariables(context, input, scope, sent);
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
  const rows = changes.map((change) => ({ ...change, runId }));
  output.list(rows, ["name", "change", "store"]);
}
