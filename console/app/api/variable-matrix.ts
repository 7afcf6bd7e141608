/** Variables of an environment and its services, side by side: what each gets, and from where. Pure. */
import type { EnvVariable, EnvVariableKind } from "../../../sdk/src/generated/types.ts";

/** What variables are set for. */
export type Scope = {
  readonly kind: "environment" | "service";
  readonly id: string;
  readonly name: string;
};

/** As the SDK takes a scope. */
export type Owner = { readonly environmentId: string } | { readonly serviceId: string };

export function ownerOf({ kind, id }: Pick<Scope, "kind" | "id">): Owner {
  return kind === "environment" ? { environmentId: id } : { serviceId: id };
}

export type Cell = {
  readonly scope: Scope;
  /** The variable that is in effect in the scope; null: the scope has no variable of this name. */
  readonly variable: EnvVariable | null;
  readonly origin: "own" | "overrides" | "inherited" | "none";
  /** Set here with the API, so that it can be changed here; null: it is not. */
  readonly own: EnvVariable | null;
  /** What it would be without the one set here; null: nothing. */
  readonly beneath: EnvVariable | null;
};

export type MatrixRow = { readonly name: string; readonly cells: readonly Cell[] };

/**
 * A row for each name, ordered by name. A service's variables take precedence over its environment's, and those set with
 * the API over those of the configuration: `decideEffective` of the server.
 * @param scopes the environment first
 */
export function variableMatrix(
  scopes: readonly { readonly scope: Scope; readonly variables: readonly EnvVariable[] }[],
): readonly MatrixRow[] {
  const names = new Set(scopes.flatMap(({ variables }) => variables.map(({ name }) => name)));
  const environment = scopes.find(({ scope }) => scope.kind === "environment")?.variables ?? [];
  return [...names].toSorted().map((name) => ({
    name,
    cells: scopes.map(({ scope, variables }) => {
      const above = scope.kind === "environment" ? [] : layersOf(environment, name);
      const here = layersOf(variables, name);
      const [variable = null, beneath = null] = [...here, ...above];
      const own = variables.find((one) => one.name === name && one.source === "api") ?? null;
      return { scope, variable, beneath: own === null ? null : beneath, own, origin: originOf(here, above) };
    }),
  }));
}

/** Those of a name that could be in effect, the strongest first. */
function layersOf(variables: readonly EnvVariable[], name: string): readonly EnvVariable[] {
  const here = variables.filter((one) => one.name === name && one.state !== "REMOVING");
  return here.toSorted((a, b) => Number(b.source === "api") - Number(a.source === "api"));
}

function originOf(here: readonly EnvVariable[], above: readonly EnvVariable[]): Cell["origin"] {
  if (here.length > 0) return here.length + above.length > 1 ? "overrides" : "own";
  return above.length > 0 ? "inherited" : "none";
}

/** Where a value is from, in words. */
export function formatOrigin({ variable, origin, beneath, scope }: Cell): string {
  if (variable === null) return "not set";
  const by = variable.source === "config" ? "from the configuration" : "set here";
  if (origin === "inherited") return "from the environment";
  if (origin === "own") return by;
  const isOfConfig = beneath?.source === "config" && scope.kind === "environment";
  return `${by}, overrides ${isOfConfig ? "the configuration" : "another value"}`;
}

export const KINDS: Readonly<Record<EnvVariableKind, string>> = {
  plainText: "Plain text",
  parameterStore: "Secret, in Parameter Store",
  secretsManager: "Secret, in Secrets Manager",
  fromParameterStore: "Your own parameter, by path",
  fromSecretsManager: "Your own secret, by name or ARN",
  fromService: "From another service",
};

/** Whether the value is written and never shown. */
export function isSecret(kind: EnvVariableKind | null): boolean {
  return kind === "parameterStore" || kind === "secretsManager";
}

/** The text that is shown for a value. `isCode`: the text is the value itself, or where the value is stored. */
export function formatValue({
  kind,
  value,
  reference,
  fromService,
}: {
  readonly kind: EnvVariableKind | null;
  readonly value: string | null;
  readonly reference: string | null;
  readonly fromService: { readonly id: string; readonly value: string } | null;
}): { readonly text: string; readonly isCode: boolean } {
  if (isSecret(kind)) return { text: "secret, never shown", isCode: false };
  if (fromService !== null) return { text: `the ${fromService.value} of ${fromService.id}`, isCode: false };
  if (value === "") return { text: "empty", isCode: false };
  return { text: value ?? reference ?? "not known yet", isCode: (value ?? reference) !== null };
}

/** What the server takes as a name. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,254}$/.test(name);
}

/** What the address of a page of variables says: a name, and the run of a save. */
export type VariableSearch = { readonly name?: string; readonly run?: string };

/** Reads the search part of an address, which the user may have typed. */
export function readVariableSearch({ name, run }: Readonly<Record<string, unknown>>): VariableSearch {
  return {
    ...(typeof name === "string" && name !== "" ? { name } : {}),
    ...(typeof run === "string" && run !== "" ? { run } : {}),
  };
}
