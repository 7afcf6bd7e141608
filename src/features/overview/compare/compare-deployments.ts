import type { Sql } from "../../../db/database.ts";
import { requireSeen } from "../../../lib/access.ts";
import type { Actor } from "../../../lib/actor.ts";
import {
  type Configuration,
  ConfigurationError,
  type ParseConfiguration,
} from "../../configuration/configuration.ts";
import {
  findDeploymentConfiguration,
  findPreviousSuccess,
  getDeployment,
} from "../../deployments/commands.ts";
import type { Comparison } from "./comparison.ts";
import { decideDifferences } from "./decide-differences.ts";

/**
 * Compares a deployment with another one, or with the successful one before it.
 * @throws AppError `NOT_FOUND`
 */
export async function compareDeployments(
  sql: Sql,
  actor: Actor,
  parse: ParseConfiguration,
  deploymentId: string,
  otherId: string | null,
): Promise<Comparison> {
  const { organizationId } = actor;
  const deployment = await getDeployment(sql, organizationId, deploymentId);
  const comparedWith =
    otherId === null
      ? await findPreviousSuccess(sql, deployment)
      : await getDeployment(sql, organizationId, otherId);
  if (comparedWith === null) return { deployment, comparedWith, configuration: null };
  requireSeen(actor, comparedWith.projectId);
  const [before, after] = await Promise.all(
    [comparedWith, deployment].map(async ({ id }) =>
      read(parse, await findDeploymentConfiguration(sql, organizationId, id)),
    ),
  );
  const configuration =
    before === undefined || before === null || after === undefined || after === null
      ? null
      : decideDifferences(before, after);
  return { deployment, comparedWith, configuration };
}

/** Null if there is none, or it is not valid, which is why its deployment failed. */
function read(parse: ParseConfiguration, config: unknown): Configuration | null {
  if (config === null) return null;
  try {
    return parse(config);
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}
