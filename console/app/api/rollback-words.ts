/** What a rollback changes in an environment, in sentences. Pure. */
import type { EnvironmentRollback, VariableDifferences } from "../../../sdk/src/generated/types.ts";
import { tellField } from "./field-words.ts";

/** Removals first: they cannot be undone by what is left. */
export function tellRollback({ changes }: Pick<EnvironmentRollback, "changes">): readonly string[] {
  if (changes === null) return ["What changes is not known: the present configuration cannot be read."];
  const [environment] = changes.environments;
  const services = environment?.services ?? [];
  const sentences = [
    ...services
      .filter(({ difference }) => difference === "REMOVED")
      .map(({ name }) => `Removes the service ${name}: it stops and loses its address.`),
    ...services
      .filter(({ difference }) => difference === "ADDED")
      .map(({ name }) => `Adds the service ${name}, which is built again and gets a new address.`),
    ...services
      .filter(({ difference }) => difference === "CHANGED")
      .map(
        ({ name, fields, variables }) =>
          `Changes the service ${name}: ${[...fields.map(tellField), ...emitVariables(variables)].join("; ")}.`,
      ),
    ...ofVariables("Changes of the environment", environment?.fields ?? [], environment?.variables),
    ...ofVariables("Changes of the whole configuration", [], changes.variables),
  ];
  return sentences.length === 0 ? ["The configuration stays as it is; only the commit changes."] : sentences;
}

function ofVariables(
  what: string,
  fields: readonly string[],
  variables: VariableDifferences | undefined,
): readonly string[] {
  const told = [...fields.map(tellField), ...(variables === undefined ? [] : emitVariables(variables))];
  return told.length === 0 ? [] : [`${what}: ${told.join("; ")}.`];
}

function emitVariables({ added, changed, removed }: VariableDifferences): readonly string[] {
  const told: readonly (readonly [string, readonly string[]])[] = [
    ["variables removed", removed],
    ["variables added", added],
    ["variables with another value", changed],
  ];
  return told.filter(([, names]) => names.length > 0).map(([what, names]) => `${what}: ${names.join(", ")}`);
}
