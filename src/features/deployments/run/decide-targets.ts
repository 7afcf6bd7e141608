import type { Configuration } from "../../configuration/configuration.ts";
import type { Environment } from "../../projects/project.ts";
import type { DeploymentTrigger } from "../deployment.ts";

export type Targets = {
  /** Config ids of environments that the deployment has a run in; those without a row are created. */
  readonly deployed: readonly { readonly configId: string; readonly environmentId: string | null }[];
  /** Environments that followed the branch and that its configuration no longer has. */
  readonly removed: readonly Environment[];
};

/**
 * Which environments a deployment of a branch is for, by the configuration of its commit: those that follow
 * the branch (of a push: and are deployed by pushes). Other branches' environments are none of its business,
 * whatever its configuration says of them. A rollback is for those that it was for before, as far as they
 * are still there, and removes none. Pure.
 */
export function decideTargets(
  { branch, trigger }: { readonly branch: string; readonly trigger: DeploymentTrigger },
  configuration: Configuration,
  present: readonly Environment[],
  /** Config ids of the environments of the deployment that a rollback goes back to. */
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
