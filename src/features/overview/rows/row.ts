import type { DeploymentStatus } from "../../deployments/deployment.ts";

/** What a deployment's row shows of other resources. */
export type DeploymentFacts = {
  readonly id: string;
  readonly projectName: string;
  /** Of the environment that it was for when it was accepted. */
  readonly environmentName: string | null;
  /** Null for a git integration, and for a deleted user. */
  readonly startedByName: string | null;
  readonly environments: readonly {
    readonly id: string;
    readonly name: string;
    readonly status: DeploymentStatus;
    readonly isLive: boolean;
  }[];
};

/** What a domain's row shows of other resources. */
export type DomainFacts = {
  readonly id: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly environmentId: string;
  readonly environmentName: string;
  readonly projectId: string;
  readonly projectName: string;
  /** Of the newest certificate with the name that was issued; null before the first. */
  readonly certificateExpiresAt: Date | null;
};
