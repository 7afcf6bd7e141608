import type { RuntimeVariable } from "../../../cloud/platform.ts";
import type { EffectiveVariable } from "../../variables/effective/effective.ts";

/**
 * Effective variables in the platform's form: links as their value, managed ones as their reference.
 * Pure. `unresolved` contains the names of links that have no value yet.
 */
export function toRuntimeVariables(effective: readonly EffectiveVariable[]): {
  readonly variables: readonly RuntimeVariable[];
  readonly unresolved: readonly string[];
} {
  const variables: RuntimeVariable[] = [];
  const unresolved: string[] = [];
  for (const { variable, linkedValue } of effective) {
    const { name, kind, plainValue, reference } = variable;
    switch (kind) {
      case "plainText":
        variables.push({ name, kind, value: plainValue ?? "" });
        break;
      case "fromService":
        if (linkedValue === null) unresolved.push(name);
        else variables.push({ name, kind: "plainText", value: linkedValue });
        break;
      case "parameterStore":
      case "fromParameterStore":
        variables.push({ name, kind: "fromParameterStore", reference: reference ?? "" });
        break;
      case "secretsManager":
      case "fromSecretsManager":
        variables.push({ name, kind: "fromSecretsManager", reference: reference ?? "" });
        break;
    }
  }
  return { variables, unresolved };
}
