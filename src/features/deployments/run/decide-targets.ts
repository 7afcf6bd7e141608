import type { Configuration } from "../../configuration/configuration.ts";
import type { Environment } from "../../projects/project.ts";
import type { Deployment, DeploymentTrigger } from "../deployment.ts";

export type Targets = {
  /** Config ids of the environments that get a run; those without a row are created. */
  readonly deployed: readonly { readonly configId: string; readonly environmentId: string | null }[];
  /** Environments that followed the branch but are no longer in its configuration. */
  readonly removed: readonly Environment[];
};

/**
 * The environments of a deployment of a branch, by the configuration of its commit: those that follow
 * the branch (after a push: and deploy on pushes). It does not affect environments of other branches,
 * whatever its configuration says about them. A rollback is for the environments of the original deployment that
 * still exist, and removes none. Pure.
 */
export function decideTargets(
  { branch, trigger }: { readonly branch: string; readonly trigger: DeploymentTrigger },
  configuration: Configuration,
  present: readonly Environment[],
  /** Config ids of the environments of the deployment to roll back to. */
  before: readonly string[],
): Targets {
  const byConfigId = new Map(present.map((environment) => [environment.configId, environment]));
  const following = configuration.environments.filter((environment) => environment.branch === branch);
  if (trigger === "rollback") {
    const deployed = following.flatMap(({ id }) => {
      const environment = before.includes(id) ? byConfigId.get(id) : undefined;
      return environment === undefined ? [] : [{ configId: id, environmentId: environment.id }];
    });
    return { deployed, removed: [] };
  }
  const wanted = following.filter((environment) => trigger !== "push" || environment.trigger === "push");
  const named = new Set(configuration.environments.map(({ id }) => id));
  return {
    deployed: wanted.map(({ id }) => ({ configId: id, environmentId: byConfigId.get(id)?.id ?? null })),
    removed: present.filter(
      (environment) => environment.branch === branch && !named.has(environment.configId),
    ),
  };
}

/** Leaves only the environment that a deployment was requested for, if it was for one. Pure. */
export function limitTargets(
  { isForOneEnvironment, environmentId }: Pick<Deployment, "isForOneEnvironment" | "environmentId">,
  { deployed, removed }: Targets,
): Targets {
  if (!isForOneEnvironment) return { deployed, removed };
  return {
    deployed: deployed.filter((one) => one.environmentId !== null && one.environmentId === environmentId),
    removed: removed.filter(({ id }) => id === environmentId),
  };
}
