import type { Configuration } from "../configuration/configuration.ts";
import { type Environment, isProtected } from "../projects/project.ts";
import type { Deployment, DeploymentError } from "./deployment.ts";

export type Target =
  | { readonly kind: "branch"; readonly branch: string; readonly environmentId: string | null }
  /** The request names no branch, and the environments follow several branches. */
  | { readonly kind: "ambiguous"; readonly branches: readonly string[] };

/**
 * The branch of a deployment, and its environment; see `Deployment.environmentId`. Pure.
 * @param only the environment that the request names; null: all that follow the branch
 */
export function decideTarget(
  environments: readonly Environment[],
  branchName: string | null,
  only: Environment | null = null,
): Target {
  if (only !== null) return { kind: "branch", branch: branchName ?? only.branch, environmentId: only.id };
  const deployed = environments.filter(({ template }) => template === null);
  const branches = [...new Set(deployed.map(({ branch }) => branch))].sort();
  const branch = branchName ?? (branches.length === 1 ? branches[0] : undefined);
  if (branch === undefined) return { kind: "ambiguous", branches };
  const [first, ...others] = deployed.filter((environment) => environment.branch === branch);
  return { kind: "branch", branch, environmentId: others.length === 0 ? (first?.id ?? null) : null };
}

export type Targets = {
  /** Config ids of the environments that get a run; those without a row are created. */
  readonly deployed: readonly { readonly configId: string; readonly environmentId: string | null }[];
  /** Environments that followed the branch but are no longer in its configuration. */
  readonly removed: readonly Environment[];
};

/**
 * The present environments that a deployment may reach, by their own rows: before its commit's configuration is read,
 * and for protected ones also after it. Pure.
 * @param before config ids of the environments of the deployment to roll back to
 */
export function decideReached(
  {
    branch,
    trigger,
    isForOneEnvironment = false,
    environmentId,
  }: Pick<Deployment, "branch" | "trigger"> &
    Partial<Pick<Deployment, "isForOneEnvironment" | "environmentId">>,
  present: readonly Environment[],
  before: readonly string[] = [],
): readonly Environment[] {
  if (isForOneEnvironment) return present.filter(({ id }) => id === environmentId);
  if (trigger === "rollback") return present.filter(({ configId }) => before.includes(configId));
  return present.filter(
    (environment) =>
      environment.template === null &&
      environment.branch === branch &&
      (trigger !== "push" || environment.deployTrigger === "push"),
  );
}

/**
 * The environments of a deployment of a branch, by the configuration of its commit: the environments that follow
 * the branch and, after a push, deploy on pushes. It does not affect environments of other branches,
 * whatever its configuration says about them. For a protected environment, its own row says whether it follows the
 * branch and deploys on pushes, and not the commit. If only the commit says that it follows the branch, it is
 * named too, so that it is refused (`decide-begin.ts`). A rollback is for the environments of the original deployment
 * that still exist, and removes none. Pure.
 */
export function decideTargets(
  { branch, trigger }: Pick<Deployment, "branch" | "trigger">,
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
  const desired = configuration.environments.filter((configured) => {
    const environment = byConfigId.get(configured.id);
    if (configured.template !== null) return false;
    const isOn = configured.branch === branch;
    if (environment === undefined || !isProtected(environment))
      return isOn && (trigger !== "push" || configured.trigger === "push");
    return (
      (isOn || environment.branch === branch) && (trigger !== "push" || environment.deployTrigger === "push")
    );
  });
  const named = new Set(configuration.environments.map(({ id }) => id));
  return {
    deployed: desired.map(({ id }) => ({ configId: id, environmentId: byConfigId.get(id)?.id ?? null })),
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

/** No environment of a commit's configuration can be deployed. Pure. */
export function noEnvironment({
  trigger,
  branch,
  isForOneEnvironment,
  isPreview,
}: Deployment): DeploymentError {
  const message = isPreview
    ? "The configuration of this commit does not have the environment that the preview is made from."
    : trigger === "rollback"
      ? "None of the deployment's environments still exists and follows the branch."
      : isForOneEnvironment
        ? `In the configuration of this commit, the environment does not follow the branch ${branch}.`
        : `No environment of the configuration${trigger === "push" ? " deploys on pushes to" : " follows"} the branch ${branch}.`;
  return { code: "NO_ENVIRONMENT", message };
}
