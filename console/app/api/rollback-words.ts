/** What a rollback changes in an environment, in sentences. Pure. */
import type { EnvironmentRollback, VariableDifferences } from "../../../sdk/src/generated/types.ts";
import { tellField } from "./field-words.ts";

export type RollbackChange = {
  /** `same`: nothing changes, or it is not known what does. */
  readonly kind: "removed" | "added" | "changed" | "same";
  readonly words: string;
};

/** Removals first: they cannot be undone by what is left. */
export function describeRollback({
  changes,
}: Pick<EnvironmentRollback, "changes">): readonly RollbackChange[] {
  if (changes === null)
    return [{ kind: "same", words: "What changes is not known: the present configuration cannot be read." }];
  const [environment] = changes.environments;
  const services = environment?.services ?? [];
  const having = (difference: (typeof services)[number]["difference"]) =>
    services.filter((service) => service.difference === difference);
  const found: readonly RollbackChange[] = [
    ...having("REMOVED").map(({ name }) => ({
      kind: "removed" as const,
      words: `Removes the service ${name}: it stops and loses its address.`,
    })),
    ...having("ADDED").map(({ name }) => ({
      kind: "added" as const,
      words: `Adds the service ${name}, which is built again and gets a new address.`,
    })),
    ...having("CHANGED").map(({ name, fields, variables }) => ({
      kind: "changed" as const,
      words: `Changes the service ${name}: ${[...fields.map(tellField), ...describeVariables(variables)].join("; ")}.`,
    })),
    ...describeOthers("Changes of the environment", environment?.fields ?? [], environment?.variables),
    ...describeOthers("Changes of the whole configuration", [], changes.variables),
  ];
  return found.length === 0
    ? [{ kind: "same", words: "The configuration stays as it is; only the commit changes." }]
    : found;
}

function describeOthers(
  what: string,
  fields: readonly string[],
  variables: VariableDifferences | undefined,
): readonly RollbackChange[] {
  const all = [...fields.map(tellField), ...(variables === undefined ? [] : describeVariables(variables))];
  return all.length === 0 ? [] : [{ kind: "changed", words: `${what}: ${all.join("; ")}.` }];
}

function describeVariables({ added, changed, removed }: VariableDifferences): readonly string[] {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["variables removed", removed],
    ["variables added", added],
    ["variables with another value", changed],
  ];
  return lists.filter(([, names]) => names.length > 0).map(([what, names]) => `${what}: ${names.join(", ")}`);
}
