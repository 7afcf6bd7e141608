import { type EnvVariable, parseDotenv } from "../../../../sdk/src/index.ts";
import type { Handler, Input } from "../../command.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../failure.ts";
import { findEnvironment, findEnvironmentNamed, findService, findServiceIn } from "../../lookup.ts";
import { readText } from "../../read-text.ts";
import { findVariableScope, listVariables, type Owner } from "./scope.ts";
import { shownValue, storeOf } from "./stores.ts";

/** One side of a comparison: the store, which a file does not have, and the value, if it can be read. */
type SideValue = { readonly store: string | null; readonly known: string | null };
type Side = ReadonlyMap<string, SideValue>;

export const diffVariables: Handler = async (context, input) => {
  const file = input.text("file");
  const other = input.optionalArgument("ENVIRONMENT");
  if ((file === undefined) === (other === undefined))
    throw new UsageError("Nothing to compare with is given. Give another environment, or --file FILE.");
  const here = sideOf(await listVariables(context, (await findVariableScope(context, input)).owner));
  const there =
    file === undefined
      ? sideOf(await listVariables(context, await otherOwner(context, input, other ?? "")))
      : sideOfFile(parseDotenv(await readText(file, context.stdin)));
  const names = [...new Set([...here.keys(), ...there.keys()])].toSorted();
  const rows = names.map((name) => compare(name, here.get(name), there.get(name)));
  const different = rows.filter(({ is }) => is !== "same").length;
  context.output.progress(`${different} of ${rows.length} differ.`);
  context.output.list(rows, ["name", "is", "here", "there"]);
};

function compare(name: string, here: SideValue | undefined, there: SideValue | undefined) {
  return { name, is: judge(here, there), here: here?.store ?? null, there: there?.store ?? null };
}

/** `unknown`: a managed value cannot be read. */
function judge(here: SideValue | undefined, there: SideValue | undefined): string {
  if (here === undefined) return "only there";
  if (there === undefined) return "only here";
  if (there.store !== null && here.store !== there.store) return "different";
  if (here.known === null || there.known === null) return "unknown";
  return here.known === there.known ? "same" : "different";
}

function sideOf(variables: readonly EnvVariable[]): Side {
  // Set with the API, it takes precedence over the configuration's of the same name.
  const ordered = variables.toSorted((a, b) => Number(a.source === "api") - Number(b.source === "api"));
  return new Map(ordered.map((one) => [one.name, { store: storeOf(one.kind), known: knownOf(one) }]));
}

const sideOfFile = (values: Readonly<Record<string, string>>): Side =>
  new Map(Object.entries(values).map(([name, value]) => [name, { store: null, known: value }]));

/** References are compared by what they refer to; a service is another one in each environment. */
function knownOf(one: EnvVariable): string | null {
  if (one.kind === "plainText") return one.value;
  if (one.kind === "fromService") return one.fromService?.value ?? null;
  return one.kind === "parameterStore" || one.kind === "secretsManager" ? null : shownValue(one);
}

/** The other environment is of the same project; its service has the same name in the configuration. */
async function otherOwner(context: Context, input: Input, named: string): Promise<Owner> {
  if (!input.isSet("service")) {
    const { projectId } = await findEnvironment(context, input);
    return { environmentId: (await findEnvironmentNamed(context, named, projectId)).id };
  }
  const { configId, projectId } = await findService(context, input);
  const environment = await findEnvironmentNamed(context, named, projectId);
  return { serviceId: (await findServiceIn(context, environment, configId)).id };
}
