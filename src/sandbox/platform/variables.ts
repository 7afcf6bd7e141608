import type { ManagedValues } from "../accounts/managed-values.ts";
import type { ReleaseInput } from "./messages.ts";

type Variables = Pick<ReleaseInput, "service" | "variables">;

/** A reference leads to nothing; the message names it and may be shown. */
export class VariableNotFound extends Error {
  override readonly name = "VariableNotFound";
}

/** The environment that the variables of a build or a release make, their references followed now. */
export type ResolvedVariables = {
  readonly env: Readonly<Record<string, string>>;
  /** The values that references led to, which no log may show. */
  readonly managed: readonly string[];
};

export type ResolveVariables = (accountId: string, input: Variables) => ResolvedVariables;

/** What it returns throws VariableNotFound. */
export function createResolveVariables(values: {
  parameters: ManagedValues;
  secrets: ManagedValues;
}): ResolveVariables {
  return (accountId, { service, variables }) => {
    const managed: string[] = [];
    const pairs = variables.map((variable): [string, string] => {
      if (variable.kind === "plainText") return [variable.name, variable.value];
      const source = variable.kind === "fromParameterStore" ? values.parameters : values.secrets;
      const found = source.resolve(accountId, service.region, variable.reference);
      if (found !== null) {
        managed.push(found.value);
        return [variable.name, found.value];
      }
      throw new VariableNotFound(
        `The variable ${variable.name} refers to ${variable.reference}, which the account does not have in ${service.region}.`,
      );
    });
    return { env: Object.fromEntries(pairs), managed };
  };
}
