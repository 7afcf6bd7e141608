import type { EnvVariable } from "../../../../sdk/src/index.ts";
import type { Input } from "../../command.ts";
import type { Context } from "../../context.ts";
import { collect, findEnvironment, findService, PAGE } from "../../lookup.ts";

export type Owner = { readonly environmentId: string } | { readonly serviceId: string };

/** Whose variables: an environment's, or with `-s` those of one of its services. */
export type VariableScope = {
  readonly owner: Owner;
  /** For people. */
  readonly name: string;
  readonly environmentId: string;
};

export async function findVariableScope(context: Context, input: Input): Promise<VariableScope> {
  if (input.isSet("service")) {
    const { id, configId, environmentId } = await findService(context, input);
    return { owner: { serviceId: id }, name: `service ${configId}`, environmentId };
  }
  const { id, configId } = await findEnvironment(context, input);
  return { owner: { environmentId: id }, name: `environment ${configId}`, environmentId: id };
}

export async function listVariables({ client }: Context, owner: Owner): Promise<readonly EnvVariable[]> {
  return await collect(client.variables.list(owner, { limit: PAGE }));
}
