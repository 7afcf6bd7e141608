import type { EnvVariable } from "../env-variable.ts";

/**
 * What a service gets at runtime, ordered by name. Its own variables take precedence over its environment's
 * (specification, "Environment and service variables"); within a scope, variables set with the API over
 * those of the configuration.
 */
export function decideEffective<T extends Pick<EnvVariable, "name" | "scopeId" | "source">>(
  variables: readonly T[],
  serviceId: string,
): readonly (T & { readonly from: "environment" | "service" })[] {
  const rank = ({ scopeId, source }: T): number =>
    (scopeId === serviceId ? 2 : 0) + (source === "api" ? 1 : 0);
  const winners = new Map<string, T>();
  for (const variable of variables) {
    const other = winners.get(variable.name);
    if (other === undefined || rank(other) < rank(variable)) winners.set(variable.name, variable);
  }
  return [...winners.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((variable) => ({ ...variable, from: variable.scopeId === serviceId ? "service" : "environment" }));
}
