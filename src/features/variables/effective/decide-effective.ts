import type { EnvVariable } from "../env-variable.ts";

/**
 * What a service gets at runtime, ordered by name. Its own variables take precedence over its environment's
 * (specification, "Environment and service variables"); within a scope, variables set with the API over
 * those of the configuration.
 */
export function decideEffective(
  variables: readonly EnvVariable[],
  serviceId: string,
): readonly (EnvVariable & { readonly from: "environment" | "service" })[] {
  const rank = ({ scopeId, source }: EnvVariable): number =>
    (scopeId === serviceId ? 2 : 0) + (source === "api" ? 1 : 0);
  const winners = new Map<string, EnvVariable>();
  for (const variable of variables) {
    const other = winners.get(variable.name);
    if (other === undefined || rank(other) < rank(variable)) winners.set(variable.name, variable);
  }
  return [...winners.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((variable) => ({ ...variable, from: variable.scopeId === serviceId ? "service" : "environment" }));
}
