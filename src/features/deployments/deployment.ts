/**
 * A deployment: one commit of a project's repository, deployed to every environment that follows its branch.
 * It has a run in each of them, and each service has a status in a run. All three use these statuses:
 *
 *   PENDING      waiting: a deployment until its configuration is read, a run until the environment is free,
 *                a service until its build
 *   PENDING_APPROVAL  a second person has to approve it first (not for services)
 *   INPROGRESS   a run whose configuration is applied; a service that is built and waits for its release
 *   BUILDING     services are being built, in parallel
 *   DEPLOYING    services are being released in the order of `dependsOn`, independent ones in parallel
 *   SUCCESS      the commit is live
 *   BUILD_ERROR  a build failed; nothing of the run was released
 *   ERROR        anything else failed; what was released before stays
 *   CANCELLED    by request; or a service that was not started because another one failed
 *   SUPERSEDED   a newer deployment replaced it while it waited (not for services)
 *
 *   PENDING ──▶ INPROGRESS ──▶ BUILDING ──▶ DEPLOYING ──▶ SUCCESS
 *      │             └──────────────┴────────────┴──▶ ERROR, BUILD_ERROR, CANCELLED
 *      └──▶ SUPERSEDED, CANCELLED, ERROR
 *
 * If an environment requires an approval, a run exists once it is decided: it is PENDING, or it has ended
 * (`queue-runs.ts`).
 *
 * An environment has one run at a time. The newest waiting run is next, and supersedes the other waiting ones; a restart
 * of a service supersedes none (`restart-service.ts`).
 * The deployment's own status sums up its runs (`record.ts`).
 */
import type { Workload } from "../../cloud/platform.ts";
import type { Fault } from "../../lib/errors.ts";
import type { EnvironmentPlan } from "../configuration/decide-environment-plan.ts";
import type { Deployers, ServiceType } from "../projects/project.ts";

export const DEPLOYMENT_STATUSES = [
  "PENDING",
  "PENDING_APPROVAL",
  "INPROGRESS",
  "BUILDING",
  "DEPLOYING",
  "SUCCESS",
  "ERROR",
  "BUILD_ERROR",
  "CANCELLED",
  "SUPERSEDED",
] as const;
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number];

export const SERVICE_STATUSES = [
  "PENDING",
  "INPROGRESS",
  "BUILDING",
  "DEPLOYING",
  "SUCCESS",
  "ERROR",
  "BUILD_ERROR",
  "CANCELLED",
] as const;
export type ServiceStatus = (typeof SERVICE_STATUSES)[number];

const ENDED: ReadonlySet<DeploymentStatus> = new Set([
  "SUCCESS",
  "ERROR",
  "BUILD_ERROR",
  "CANCELLED",
  "SUPERSEDED",
]);

/** Whether a status is final. */
export function hasEnded(status: DeploymentStatus): boolean {
  return ENDED.has(status);
}

export const DEPLOYMENT_TRIGGERS = ["api", "push", "rollback", "restart"] as const;
export type DeploymentTrigger = (typeof DEPLOYMENT_TRIGGERS)[number];

/** Why something failed. May be shown to users. */
export type DeploymentError = {
  readonly code: string;
  readonly message: string;
  /** With an invalid configuration: every fault, with its JSON Pointer in the file. */
  readonly faults?: readonly Fault[];
};

export type Deployment = {
  readonly organizationId: string;
  readonly id: string;
  readonly projectId: string;
  /**
   * The environment, if the deployment had exactly one target when it was accepted. Null: it is for every
   * environment that follows the branch in the commit's own configuration, which may be several.
   */
  readonly environmentId: string | null;
  /** It was requested for `environmentId` only, although others may follow the branch. */
  readonly isForOneEnvironment: boolean;
  /** `environmentId` is a preview, so `branch` is a pull request's and may have the name of another branch. */
  readonly isPreview: boolean;
  readonly branch: string;
  /** 40 hex digits (64 in a SHA-256 repository): the branch's commit when the deployment was accepted. */
  readonly commitHash: string;
  /** Null until it is read, and if the git host does not give it. */
  readonly commitMessage: string | null;
  /** The author's name; null like the message. */
  readonly commitAuthor: string | null;
  readonly trigger: DeploymentTrigger;
  /** A user, or for a push the git integration; null in deployments of earlier releases. */
  readonly startedBy: string | null;
  readonly rollbackOf: string | null;
  /** The service whose live release it repeats with the present variables; null for every other trigger than `restart`. */
  readonly restartedServiceId: string | null;
  readonly status: DeploymentStatus;
  readonly statusReason: string | null;
  readonly error: DeploymentError | null;
  readonly cancelRequestedAt: Date | null;
  /** When its runs were created. */
  readonly configReadAt: Date | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** What a deployment is about, before it is accepted. */
export type PreparedDeployment = Pick<
  Deployment,
  "projectId" | "environmentId" | "isForOneEnvironment" | "isPreview" | "branch" | "commitHash"
>;

/** Why a deployment is accepted, and what it releases again. */
export type DeploymentSource = Pick<Deployment, "trigger" | "rollbackOf"> & {
  /** With the trigger `restart`: the service, and the deployment that it runs. */
  readonly restarts?: { readonly serviceId: string; readonly deploymentId: string };
};

/** How a deployment changes an environment as a whole. */
export const ENVIRONMENT_CHANGES = ["CREATED", "KEPT", "REMOVED"] as const;
export type EnvironmentChange = (typeof ENVIRONMENT_CHANGES)[number];

/** A service that a push left as it was, because it changed none of its files. */
export type KeptService = {
  /** Its id in the configuration. */
  readonly service: string;
  readonly serviceId: string;
  /** The deployment whose release continues. */
  readonly deploymentId: string;
  /** The commit of that release. */
  readonly commitHash: string;
};

/** The reason of a successful run that built nothing and removed nothing. */
export const NOTHING_WATCHED = "No service watches the changed files. All releases continue.";

/** What a run does. Runs of earlier releases of Slipway have no `kept`. */
export type RunPlan = EnvironmentPlan & { readonly kept?: readonly KeptService[] };

export type Run = {
  readonly organizationId: string;
  readonly deploymentId: string;
  readonly environmentId: string;
  readonly configId: string;
  readonly change: EnvironmentChange;
  readonly status: DeploymentStatus;
  readonly statusReason: string | null;
  readonly error: DeploymentError | null;
  /** Null until the configuration is applied, and in a restart, which applies none. */
  readonly plan: RunPlan | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
};

export const POST_DEPLOY_STATUSES = ["RUNNING", "SUCCEEDED", "FAILED"] as const;

/** The execution of `postDeployCommand`. Its outcome changes neither the service's status nor the deployment's. */
export type PostDeploy = {
  readonly executionId: string;
  /** `RUNNING` from its creation to its end. */
  readonly status: (typeof POST_DEPLOY_STATUSES)[number];
  readonly error: DeploymentError | null;
};

export type DeployedService = {
  readonly organizationId: string;
  readonly deploymentId: string;
  readonly environmentId: string;
  readonly serviceId: string;
  readonly configId: string;
  readonly name: string;
  readonly type: ServiceType;
  /** Null for an external service. */
  readonly workload: Workload | null;
  /** Ids of services that must be released first. */
  readonly dependsOn: readonly string[];
  readonly status: ServiceStatus;
  readonly error: DeploymentError | null;
  readonly artifact: string | null;
  readonly url: string | null;
  /** Null without a `postDeployCommand`, and until the release is live. */
  readonly postDeploy: PostDeploy | null;
  readonly buildStartedAt: Date | null;
  readonly buildEndedAt: Date | null;
  readonly releaseStartedAt: Date | null;
  readonly endedAt: Date | null;
};

export const APPROVAL_STATUSES = [
  "WAITING",
  "APPROVED",
  "REJECTED",
  "TIMED_OUT",
  "CANCELLED",
  "SUPERSEDED",
] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** The approval that an environment required before a deployment may run there, and the decision. */
export type Approval = {
  readonly organizationId: string;
  readonly deploymentId: string;
  readonly environmentId: string;
  readonly configId: string;
  /** As the environment required it then; a later change of its protection does not change it. */
  readonly approvers: Deployers;
  readonly status: ApprovalStatus;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  /** The user who approved or rejected; null while it waits, and if it ended without a decision. */
  readonly decidedBy: string | null;
  /** When it stopped waiting. */
  readonly decidedAt: Date | null;
  readonly comment: string | null;
  /** Whether an admin bypassed the approval, in an emergency. */
  readonly isBypass: boolean;
};

/** A deployment with its runs and services. */
export type DeploymentDetails = {
  readonly deployment: Deployment;
  readonly runs: readonly Run[];
  readonly services: readonly DeployedService[];
  readonly approvals: readonly Approval[];
};

/** The platform's token for a service's build and for its release; repeated steps use the same token. */
export function tokenOf({
  deploymentId,
  serviceId,
}: Pick<DeployedService, "deploymentId" | "serviceId">): string {
  return `${deploymentId}-${serviceId}`;
}
