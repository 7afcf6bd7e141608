import type { ConfiguredScope } from "../variables/commands.ts";
import type { ConfiguredValue, ConfiguredVariables } from "../configuration/configuration.ts";

type Variable = ConfiguredScope["variables"][number];

/**
 * The variables of one scope as they are stored; a later list goes before an earlier one. Pure.
 * @param serviceIds ids by the names that the services of the environment have in the configuration
 */
export function toStoredVariables(
  serviceIds: ReadonlyMap<string, string>,
  ...lists: readonly ConfiguredVariables[]
): readonly Variable[] {
  const byName = new Map<string, Variable>();
  for (const { name, value } of lists.flat()) byName.set(name, toStored(name, value, serviceIds));
  return [...byName.values()];
}

function toStored(name: string, value: ConfiguredValue, serviceIds: ReadonlyMap<string, string>): Variable {
  const none = { name, plainValue: null, reference: null, linkedServiceId: null, linkedProperty: null };
  switch (value.kind) {
    case "plainText":
      return { ...none, kind: value.kind, plainValue: value.value };
    case "fromParameterStore":
    case "fromSecretsManager":
      return { ...none, kind: value.kind, reference: value.reference };
    case "fromService": {
      const linkedServiceId = serviceIds.get(value.serviceConfigId);
      // The configuration's own check refuses a link to a service that it does not have.
      if (linkedServiceId === undefined)
        throw new Error("A checked configuration links to an unknown service.");
      return { ...none, kind: value.kind, linkedServiceId, linkedProperty: value.property };
    }
  }
}
