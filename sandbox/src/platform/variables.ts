import type { ValueReference } from "../../../src/cloud/platform.ts";
import type { ManagedValue, ManagedValues } from "../accounts/managed-values.ts";
import type { ReleaseInput } from "../protocol.ts";

type Variables = Pick<ReleaseInput, "service" | "variables">;

/** A reference leads to nothing. The message names it and may be shown. */
export class VariableNotFound extends Error {
  override readonly name = "VariableNotFound";
}

/** The environment of a build or a release, with all references resolved. */
export type ResolvedVariables = {
  readonly env: Readonly<Record<string, string>>;
  /** The values of the references, which must not appear in logs. */
  readonly managed: readonly string[];
};

export type ResolveVariables = (accountId: string, input: Variables) => Promise<ResolvedVariables>;

/**
 * As the roles of an environment on AWS: it may read the values that Slipway stores for it, its template's values for
 * previews, and values that the customer made by hand and gave to Slipway.
 */
function mayRead(
  { isOurs, name }: ManagedValue,
  { environmentId, templateId }: ReleaseInput["service"],
): boolean {
  if (!isOurs || environmentId === undefined) return true;
  const [root, _project, environment, folder, ...rest] = name.replace(/^\//, "").split("/");
  if (root !== "slipway" || environment === undefined) return false;
  const isForPreviews = folder === "previews" && rest.length > 0;
  return environment === environmentId || (isForPreviews && environment === templateId);
}

/** The returned function throws VariableNotFound, and Refusal if the values cannot be read now. */
export function createResolveVariables(values: {
  parameters: ManagedValues;
  secrets: ManagedValues;
}): ResolveVariables {
  return async (accountId, { service, variables }) => {
    const managed: string[] = [];
    const read = async (name: string, { kind, reference }: ValueReference): Promise<string> => {
      const source = kind === "fromParameterStore" ? values.parameters : values.secrets;
      const found = await source.resolve(accountId, service.region, reference);
      if (found !== null && mayRead(found, service)) {
        managed.push(found.value);
        return found.value;
      }
      throw new VariableNotFound(
        `The variable ${name} refers to ${reference}, which the account does not have in ${service.region}, or which is another environment's.`,
      );
    };
    const join = async (name: string, parts: readonly (string | ValueReference)[]): Promise<string> => {
      const texts = await Promise.all(
        parts.map(async (part) => {
          if (typeof part === "string") return part;
          const encoded = encodeURIComponent(await read(name, part));
          managed.push(encoded);
          return encoded;
        }),
      );
      return texts.join("");
    };
    const readOne = async (variable: Variables["variables"][number]): Promise<[string, string]> => {
      const { name } = variable;
      if (variable.kind === "plainText") return [name, variable.value];
      return [name, await (variable.kind === "joined" ? join(name, variable.parts) : read(name, variable))];
    };
    const pairs = await Promise.all(variables.map(readOne));
    return { env: Object.fromEntries(pairs), managed };
  };
}
