import type { EnvVariable } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import { PAGE } from "../../find/limited.ts";
import { pick } from "../../find/pick.ts";
import { collect } from "../../find/scope.ts";
import { findVariableScope, type VariableScope } from "../../find/variable-scope.ts";
import { readStdin, readText, stripFinalNewline } from "../../input/values.ts";
import { UsageError } from "../../output/failure.ts";
import type { Handler } from "../../table/command.ts";
import type { Input } from "../../table/input.ts";
import { type Changes, changesOfValues, requireValues, sendVariables } from "./send.ts";
import { isOwn, isWritten, kindOf, storeOf, type WrittenKind } from "./stores.ts";

const REFERENCES = ["parameter", "secret", "from-service"] as const;

export const setVariables: Handler = async (context, input) => {
  const given = input.all("NAME");
  const pairs = given.flatMap(splitPair);
  const [only = "", ...more] = given;
  if (pairs.length > 0 && pairs.length < given.length)
    throw new UsageError("Give NAME=VALUE for each, or one NAME alone.");
  if (pairs.length === 0 && more.length > 0)
    throw new UsageError("One NAME at a time, unless each has its value: NAME=VALUE.");
  const references = REFERENCES.filter((flag) => input.isSet(flag));
  const readers = ["stdin", "from-file", ...REFERENCES].filter((flag) => input.isSet(flag));
  if (readers.length > 1) throw new UsageError(`Give one of --${readers.join(" and --")}.`);
  if (readers.length === 1 && pairs.length > 0)
    throw new UsageError(`Give NAME alone with --${readers[0] ?? ""}.`);
  if (references.length > 0 && input.isSet("store"))
    throw new UsageError("A reference has no store: it refers to what you manage. Leave out --store.");
  const scope = await findVariableScope(context, input);
  const [reference] = references;
  const groups =
    reference === undefined
      ? await groupsOfValues(context, input, scope, pairs.length > 0 ? pairs : only)
      : await groupOfReference(context, scope, only, reference, input.text(reference) ?? "");
  const { runId } = await sendVariables(context, input, scope, groups);
  const rows = Object.entries(groups).flatMap(([kind, values]) =>
    Object.keys(values ?? {}).map((name) => ({ name, store: storeOf(kind as EnvVariable["kind"]), runId })),
  );
  context.output.list(rows, [
    { title: "name", of: ({ name }) => name },
    { title: "store", of: ({ store }) => store },
    { title: "run", of: (row) => row.runId },
  ]);
};

export const unsetVariables: Handler = async (context, input) => {
  const { output, prompt, signal } = context;
  const client = await context.client();
  const { owner, name: whose } = await findVariableScope(context, input);
  const names = [...new Set(input.all("NAME"))];
  await prompt.confirm(`Delete ${names.join(", ")} of ${whose}?`);
  const { deletedCount = 0, removingCount = 0 } = await client.variables.set(
    owner,
    { delete: names },
    { signal },
  );
  if (removingCount > 0)
    output.progress(`The values of ${removingCount} are being removed from the cloud account.`);
  output.item({ names, deletedCount, removingCount }, [
    ["deleted", names.join(", ")],
    ["values being removed", removingCount],
  ]);
};

/** @param given pairs of names and values, or a name whose value is to be read */
async function groupsOfValues(
  context: Context,
  input: Input,
  scope: VariableScope,
  given: readonly (readonly [name: string, value: string])[] | string,
): Promise<Changes> {
  const store = input.text("store");
  const chosen = store === undefined ? null : kindOf(store);
  const names = typeof given === "string" ? [given] : given.map(([name]) => name);
  const present = chosen === null ? await kindsOf(context, scope, names) : new Map<string, WrittenKind>();
  const kind = (name: string): WrittenKind => chosen ?? present.get(name) ?? "plainText";
  if (typeof given !== "string") {
    const secret = names.find((name) => kind(name) !== "plainText");
    if (secret !== undefined)
      throw new UsageError(
        `${secret} is kept in ${storeOf(kind(secret))}: its value must not be an argument, which other users of the machine see.`,
        `Give it by --stdin or --from-file: slipway env set ${secret} --stdin < FILE`,
      );
  }
  const pairs =
    typeof given === "string" ? [[given, await readValue(context, input, given)] as const] : given;
  requireValues(input, Object.fromEntries(pairs));
  return changesOfValues(pairs.map(([name, value]) => ({ name, value, kind: kind(name) })));
}

async function readValue(context: Context, input: Input, name: string): Promise<string> {
  const { output, prompt, stdin } = context;
  const file = input.text("from-file");
  if (file === undefined && !input.isSet("stdin"))
    return await prompt.askSecret(
      `Value of ${name}`,
      `What is the value of ${name}? Give --stdin or --from-file FILE.`,
    );
  const text = file === undefined ? await readStdin(stdin) : await readText(file, stdin);
  const { value, isStripped } = stripFinalNewline(text);
  if (isStripped) output.progress("The newline at the end was removed.");
  return value;
}

async function groupOfReference(
  context: Context,
  scope: VariableScope,
  name: string,
  flag: (typeof REFERENCES)[number],
  text: string,
): Promise<Changes> {
  if (flag === "parameter") return { fromParameterStore: { [name]: text } };
  if (flag === "secret") return { fromSecretsManager: { [name]: text } };
  const at = text.lastIndexOf(".");
  if (at < 1) throw new UsageError(`--from-service is SERVICE.FIELD, such as api.url, not "${text}".`);
  const client = await context.client();
  const service = pick(
    await collect(client.services.list(scope.environmentId, { limit: PAGE })),
    text.slice(0, at),
    {
      noun: "service",
      flag: "--from-service",
      within: "in the environment",
      namesOf: ({ configId, name }) => [configId, name],
      idOf: ({ id }) => id,
    },
  );
  return { fromService: { [name]: { id: service.id, value: text.slice(at + 1) } } };
}

/** How the variables are kept that exist. */
async function kindsOf(
  context: Context,
  { owner }: VariableScope,
  names: readonly string[],
): Promise<Map<string, WrittenKind>> {
  const client = await context.client();
  const kinds = new Map<string, WrittenKind>();
  for await (const one of client.variables.list(owner, { limit: PAGE }, { signal: context.signal })) {
    const kind = one.pending?.kind ?? one.kind;
    if (isOwn(one) && isWritten(kind) && names.includes(one.name)) kinds.set(one.name, kind);
  }
  return kinds;
}

function splitPair(text: string): readonly (readonly [string, string])[] {
  const at = text.indexOf("=");
  return at === -1 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
}
