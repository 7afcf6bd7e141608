import type { Sql } from "../../../db/database.ts";
import { findLiveUrls } from "../../releases/queries.ts";
import { findDefaultDistributionHost } from "../../distributions/commands.ts";
import { listEnvironmentServices } from "../../projects/queries.ts";
import { getVariableScope } from "../queries.ts";
import { decideEffective } from "./decide-effective.ts";
import type { EnvVariable } from "../env-variable.ts";
import { resolveLink } from "./resolve-link.ts";
import { envVariables } from "../store.ts";

export type EffectiveVariable = {
  readonly variable: EnvVariable & { readonly from: "environment" | "service" };
  /** The present value of a link; null if it has none yet. */
  readonly linkedValue: string | null;
};

/** What a service gets at runtime, ordered by name. @throws AppError `NOT_FOUND` */
export async function listEffectiveVariables(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<readonly EffectiveVariable[]> {
  const { environmentId } = await getVariableScope(sql, organizationId, { serviceId });
  const inForce = await envVariables.listInForce(sql, organizationId, environmentId, serviceId);
  const effective = decideEffective(inForce, serviceId);
  const linkedIds = new Set(effective.flatMap(({ linkedServiceId }) => linkedServiceId ?? []));
  const liveUrls = await findLiveUrls(sql, organizationId, [...linkedIds]);
  const services = await listEnvironmentServices(sql, organizationId, environmentId);
  const linked = new Map(
    await Promise.all(
      services
        .filter(({ id }) => linkedIds.has(id))
        .map(async (service) => {
          const host = await findDefaultDistributionHost(sql, organizationId, service.id);
          return [service.id, { service, host, liveUrl: liveUrls.get(service.id) ?? null }] as const;
        }),
    ),
  );
  return effective.map((variable) => {
    const target = linked.get(variable.linkedServiceId ?? "");
    const linkedValue =
      target === undefined ? null : resolveLink(target.service, variable.linkedProperty ?? "", target);
    return { variable, linkedValue };
  });
}
