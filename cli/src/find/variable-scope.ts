import type { Context } from "../context.ts";
import type { Input } from "../table/input.ts";
import { findEnvironment, findService } from "./scope.ts";

/** Whose variables: an environment's, or with `-s` those of one of its services. */
export type VariableScope = {
  readonly owner: { readonly environmentId: string } | { readonly serviceId: string };
  /** For people. */
  readonly name: string;
  readonly environmentId: string;
};

export async function findVariableScope(context: Context, input: Input): Promise<VariableScope> {
  if (input.text("service") !== undefined) {
    const service = await findService(context, input);
    return {
      owner: { serviceId: service.id },
      name: `service ${service.configId}`,
      environmentId: service.environmentId,
    };
  }
  const environment = await findEnvironment(context, input);
  return {
    owner: { environmentId: environment.id },
    name: `environment ${environment.configId}`,
    environmentId: environment.id,
  };
}
