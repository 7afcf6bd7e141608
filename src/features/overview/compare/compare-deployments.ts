import type { Sql } from "../../../db/database.ts";
import { requireSeen } from "../../../lib/access.ts";
import type { Actor } from "../../../lib/actor.ts";
import {
  type Configuration,
  ConfigurationError,
  type ParseConfiguration,
} from "../../configuration/configuration.ts";
import {
  findAppliedDeployment,
  findDeploymentConfiguration,
  findPreviousSuccess,
  getDeployment,
  isLive,
  listRestorableRuns,
} from "../../deployments/commands.ts";
import { findEnvironment } from "../../projects/queries.ts";
import type { Comparison, RollbackPlan } from "./comparison.ts";
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

/**
 * What a rollback to a deployment changes in each environment that it ran in and that still exists.
 * @throws AppError `NOT_FOUND`, `DEPLOYMENT_NOT_RESTORABLE`
 */
export async function planRollback(
  sql: Sql,
  { organizationId }: Actor,
  parse: ParseConfiguration,
  deploymentId: string,
): Promise<readonly RollbackPlan[]> {
  const runs = await listRestorableRuns(sql, organizationId, deploymentId);
  const configurationOf = async (id: string | null) =>
    id === null ? null : read(parse, await findDeploymentConfiguration(sql, organizationId, id));
  const target = await configurationOf(deploymentId);
  const plans = runs.map(async (run): Promise<RollbackPlan | null> => {
    const environment = await findEnvironment(sql, organizationId, run.environmentId);
    if (environment === null) return null;
    const { id, name, configId } = environment;
    const applied = await configurationOf(await findAppliedDeployment(sql, organizationId, id));
    const changes =
      applied === null || target === null
        ? null
        : decideDifferences(onlyEnvironment(applied, configId), onlyEnvironment(target, configId));
    return { id, name, isLive: await isLive(sql, run), changes };
  });
  return (await Promise.all(plans)).filter((plan) => plan !== null);
}

function onlyEnvironment(configuration: Configuration, configId: string): Configuration {
  return { ...configuration, environments: configuration.environments.filter(({ id }) => id === configId) };
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
