import type { ConfiguredEnvironment } from "../configuration/configuration.ts";
import { type Environment, isProtected, type Protection } from "../projects/project.ts";
import type { DeploymentError, DeploymentTrigger } from "./deployment.ts";

/** The present state of a deployment and of the environment in which it is about to begin. */
export type Beginning = {
  readonly environment: Pick<Environment, keyof Protection | "branch">;
  readonly trigger: DeploymentTrigger;
  /** What the commit says of it; null where it removes the environment. */
  readonly configured: Pick<ConfiguredEnvironment, "branch"> | null;
  /** Whether the user who started it may deploy there now. */
  readonly starterMay: boolean;
  /** Whether the person who approved it may still do so; null without an approval. */
  readonly approverMay: boolean | null;
};

/**
 * Whether a deployment may begin in an environment: `held` until a second person approves it; `as-configured` without a
 * change of its configuration. Pure.
 *
 * A push has no user whose role could be checked. If an admin lets pushes deploy and requires no approval, the push
 * deploys its code, and the rest of the commit changes nothing.
 */
export type Begin = "free" | "held" | "as-configured" | DeploymentError;

export function decideBegin({ environment, trigger, configured, starterMay, approverMay }: Beginning): Begin {
  if (!isProtected(environment)) return "free";
  if (configured?.branch !== environment.branch) return MOVED;
  if (approverMay !== null) return approverMay ? "free" : APPROVER_LOST;
  if (trigger !== "push" && !starterMay) return STARTER_LOST;
  if (environment.approvers !== null) return "held";
  return trigger === "push" ? "as-configured" : "free";
}

const protectedFrom = (message: string): DeploymentError => ({ code: "ENVIRONMENT_PROTECTED", message });

/** A protected environment is not removed, and follows no other branch, because a configuration says so. */
export const MOVED = protectedFrom(
  "The environment is protected, and the configuration removes it or changes its branch. An admin of the project has to remove its protection first.",
);
const STARTER_LOST = protectedFrom(
  "The environment is protected, and the user who started this deployment may not deploy there. Ask a user who may deploy there to deploy again.",
);
const APPROVER_LOST = protectedFrom(
  "The environment is protected, and the user who approved this deployment may no longer do so. Deploy again.",
);
/** It was accepted before the environment required an approval. */
export const NOT_APPROVED = protectedFrom(
  "The environment requires an approval since this deployment was accepted. Deploy again.",
);
/** A push changes the configuration in an environment that requires no approval. @param what changes */
export const configurationChanged = (what: string): DeploymentError =>
  protectedFrom(
    `The environment is protected, and this push changes its configuration: ${what}. A user who may deploy there has to deploy the commit.`,
  );
