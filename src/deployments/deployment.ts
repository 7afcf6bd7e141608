/**
 * A deployment: one commit of a project's repository, to be built and released.
 *
 *   PENDING  accepted; the commit is fixed. Nothing leaves it in this release, which has no builds yet.
 */
export const DEPLOYMENT_STATUSES = ["PENDING"] as const;
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number];

/** Said of every new deployment, so that nobody waits for a release that does not come. */
export const NOT_RELEASED_YET =
  "Recorded with its commit. This release of Slipway does not build or release deployments yet, so it stays PENDING.";

export type Deployment = {
  readonly organizationId: string;
  readonly id: string;
  readonly projectId: string;
  /**
   * Where exactly one environment of the project has the branch as its source. Null: the deployment is for
   * every environment that has it when it is released, which may be several, or none for a branch that no
   * environment follows.
   */
  readonly environmentId: string | null;
  readonly branch: string;
  /** 40 hex digits (64 in a SHA-256 repository): what the branch was at when the deployment was accepted. */
  readonly commitHash: string;
  readonly status: DeploymentStatus;
  readonly statusReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};
