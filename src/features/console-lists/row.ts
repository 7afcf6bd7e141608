import type { AwsAccountStatus } from "../cloud-accounts/aws-account.ts";
import type { DeploymentStatus } from "../deployments/deployment.ts";
import { type Environment, isReleased, type ProjectDetails, type ServiceType } from "../projects/project.ts";

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

/** A deployment as one environment has it: status and end are of its run there. */
export type LastDeployment = {
  readonly environmentId: string;
  readonly id: string;
  readonly status: DeploymentStatus;
  readonly statusReason: string | null;
  readonly branch: string;
  readonly commitHash: string;
  readonly commitMessage: string | null;
  readonly commitAuthor: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
};

export type ServiceFacts = {
  readonly id: string;
  readonly environmentId: string;
  readonly name: string;
  readonly type: ServiceType;
  /** The newest deployment that released it; null before the first. */
  readonly liveDeploymentId: string | null;
  /** Of its default distribution; null until that exists. */
  readonly cdnDomainName: string | null;
  /** Some of the names that it is served under. */
  readonly domainNames: readonly string[];
};

export type DomainTrouble = {
  readonly environmentId: string;
  readonly inError: number;
  readonly awaitingRecords: number;
};

export type AccountFacts = { readonly id: string; readonly name: string; readonly status: AwsAccountStatus };

/** Whether the services of an environment were released; not whether they answer now. */
export const ENVIRONMENT_STATES = ["LIVE", "PARTLY_LIVE", "NOT_LIVE"] as const;

export const ATTENTION_CODES = [
  "ACCOUNT_NOT_CONNECTED",
  "DEPLOYMENT_FAILED",
  "APPROVAL_AWAITED",
  "FORK_AWAITS_APPROVAL",
  "DOMAINS_IN_ERROR",
  "DOMAINS_AWAIT_RECORDS",
  "REDEPLOY_PENDING",
] as const;

/** Something that a person should check. */
export type Attention = {
  readonly code: (typeof ATTENTION_CODES)[number];
  /** Null if it is about the whole project. */
  readonly environmentId: string | null;
  /** Of how many domains, services, deployments or pull requests it is true. */
  readonly count: number;
};

/** Facts about the resources of one project. */
export type ProjectFacts = {
  readonly project: ProjectDetails;
  readonly account: AccountFacts | null;
  readonly environments: readonly EnvironmentRow[];
};

export type EnvironmentRow = {
  readonly environment: Environment;
  readonly lastDeployment: LastDeployment | null;
  readonly services: readonly ServiceFacts[];
  readonly trouble: DomainTrouble | null;
  /** Whether a deployment waits there until a second person approves it. */
  readonly awaitsApproval: boolean;
  /** Of how many pull requests from other repositories a commit waits until a member approves it. */
  readonly forksAwaited: number;
  /** How many services run without their newest variables. */
  readonly redeploysPending: number;
};

/** Whether the newest deployments released all, some or none of its services. Pure. */
export function stateOf({ services }: EnvironmentRow): (typeof ENVIRONMENT_STATES)[number] {
  const released = services.filter(({ type }) => isReleased(type));
  const live = released.filter(({ liveDeploymentId }) => liveDeploymentId !== null);
  if (live.length === released.length && services.length > 0) return "LIVE";
  return live.length === 0 ? "NOT_LIVE" : "PARTLY_LIVE";
}

/** Where people reach a service: its domains, or the host of its distribution if something is behind it. Pure. */
export function urlsOf({
  type,
  liveDeploymentId,
  cdnDomainName,
  domainNames,
}: ServiceFacts): readonly string[] {
  if (domainNames.length > 0) return domainNames.map((name) => `https://${name}`);
  const answers = type === "external" || liveDeploymentId !== null;
  return cdnDomainName === null || !answers ? [] : [`https://${cdnDomainName}`];
}

/** What needs attention, the most urgent first. Pure. */
export function attentionOf({ account, environments }: Omit<ProjectFacts, "project">): readonly Attention[] {
  const found: readonly Attention[] = environments.flatMap((row) => {
    const { id: environmentId } = row.environment;
    const status = row.lastDeployment?.status;
    return [
      {
        code: "DEPLOYMENT_FAILED",
        environmentId,
        count: status === "ERROR" || status === "BUILD_ERROR" ? 1 : 0,
      },
      { code: "APPROVAL_AWAITED", environmentId, count: row.awaitsApproval ? 1 : 0 },
      { code: "FORK_AWAITS_APPROVAL", environmentId, count: row.forksAwaited },
      { code: "DOMAINS_IN_ERROR", environmentId, count: row.trouble?.inError ?? 0 },
      { code: "DOMAINS_AWAIT_RECORDS", environmentId, count: row.trouble?.awaitingRecords ?? 0 },
      { code: "REDEPLOY_PENDING", environmentId, count: row.redeploysPending },
    ] as const;
  });
  const ofAccount: Attention = {
    code: "ACCOUNT_NOT_CONNECTED",
    environmentId: null,
    count: account?.status === "CONNECTED" ? 0 : 1,
  };
  return [ofAccount, ...found]
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => ATTENTION_CODES.indexOf(a.code) - ATTENTION_CODES.indexOf(b.code));
}
