import type { EnvVariable } from "../../../../sdk/src/index.ts";
import type { Handler, Input } from "../../command.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../failure.ts";
import { collect, PAGE, pick } from "../../lookup.ts";
import { readText, stripFinalNewline } from "../../read-text.ts";
import { findVariableScope, listVariables, type VariableScope } from "./scope.ts";
import { type Changes, changesOfValues, requireValues, sendVariables } from "./send.ts";
import { isOwn, isWritten, kindOf, storeOf, type WrittenKind } from "./stores.ts";

const REFERENCES = ["parameter", "secret", "from-service"] as const;

export const setVariables: Handler = async (context, input) => {
  const given = input.all("NAME");
  const pairs = given.flatMap(splitPair);
  const [only = "", ...more] = given;
  if (pairs.length > 0 && pairs.length < given.length)
    throw new UsageError("Give NAME=VALUE for each, or only one NAME.");
  if (pairs.length === 0 && more.length > 0)
    throw new UsageError("One NAME at a time, unless each has its value: NAME=VALUE.");
  const [reference] = REFERENCES.filter((flag) => input.isSet(flag));
  const readers = ["stdin", "from-file", ...REFERENCES].filter((flag) => input.isSet(flag));
  if (readers.length > 1) throw new UsageError(`Give one of --${readers.join(" and --")}.`);
  if (readers.length === 1 && pairs.length > 0)
    throw new UsageError(`Give only NAME with --${readers[0] ?? ""}.`);
  if (reference !== undefined && input.isSet("store"))
    throw new UsageError("A reference has no store: it refers to what you manage. Leave out --store.");
  if (reference !== undefined && input.isSet("in-previews"))
    throw new UsageError("Previews get references without it. Leave out --in-previews.");
  const scope = await findVariableScope(context, input);
  const groups =
    reference === undefined
      ? await groupsOfValues(context, input, scope, pairs.length > 0 ? pairs : only)
      : await groupOfReference(context, scope, only, reference, input.text(reference) ?? "");
  const previews = input.isSet("in-previews") ? { availableInPreviews: true } : {};
  const runId = await sendVariables(context, input, scope, { ...groups, ...previews });
  const rows = Object.entries(groups).flatMap(([kind, values]) =>
    Object.keys(values ?? {}).map((name) => ({ name, store: storeOf(kind as EnvVariable["kind"]), runId })),
  );
  context.output.list(rows, ["name", "store", { title: "run", of: ({ runId }) => runId }]);
};

/** @param given pairs of names and values, or a name whose value is to be read */
async function groupsOfValues(
  context: Context,
  input: Input,
  { owner }: VariableScope,
  given: readonly (readonly [name: string, value: string])[] | string,
): Promise<Changes> {
  const store = input.text("store");
  const present = store === undefined ? (await listVariables(context, owner)).filter(isOwn) : [];
  const kindFor = (name: string): WrittenKind => {
    if (store !== undefined) return kindOf(store);
    const variable = present.find((one) => one.name === name);
    const kind = variable?.pending?.kind ?? variable?.kind;
    return kind !== undefined && isWritten(kind) ? kind : "plainText";
  };
  if (typeof given !== "string") {
    const [secret] = given.map(([name]) => name).filter((name) => kindFor(name) !== "plainText");
    if (secret !== undefined)
      throw new UsageError(
        `${secret} is kept in ${storeOf(kindFor(secret))}: its value must not be an argument, which other users of the machine see.`,
        `Give it by --stdin or --from-file: slipway env set ${secret} --stdin < FILE`,
      );
  }
  const pairs =
    typeof given === "string" ? [[given, await readValue(context, input, given)] as const] : given;
  requireValues(input, Object.fromEntries(pairs));
  return changesOfValues(pairs.map(([name, value]) => ({ name, value, kind: kindFor(name) })));
}

async function readValue({ output, prompt, stdin }: Context, input: Input, name: string): Promise<string> {
  const file = input.isSet("stdin") ? "-" : input.text("from-file");
  if (file === undefined)
    return await prompt.askSecret(
      `Value of ${name}`,
      `The value of ${name} is missing. Give --stdin or --from-file FILE.`,
    );
  const { value, isStripped } = stripFinalNewline(await readText(file, stdin));
  if (isStripped) output.progress("The newline at the end was removed.");
  return value;
}

async function groupOfReference(
  { client }: Context,
  { environmentId }: VariableScope,
  name: string,
  flag: (typeof REFERENCES)[number],
  text: string,
): Promise<Changes> {
  if (flag === "parameter") return { fromParameterStore: { [name]: text } };
  if (flag === "secret") return { fromSecretsManager: { [name]: text } };
  const at = text.lastIndexOf(".");
  if (at < 1) throw new UsageError(`--from-service is SERVICE.FIELD, such as api.url, not "${text}".`);
  const services = await collect(client.services.list(environmentId, { limit: PAGE }));
  const { id } = pick(services, text.slice(0, at), "service", "in the environment");
  return { fromService: { [name]: { id, value: text.slice(at + 1) } } };
}

function splitPair(text: string): readonly (readonly [string, string])[] {
  const at = text.indexOf("=");
  return at === -1 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
}
