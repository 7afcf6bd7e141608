/** What things of the platform are called in an account. Deterministic, so that everything is found again. Pure. */
import type { CloudAccount } from "../../../cloud.ts";
import type { PlatformService } from "../../../platform.ts";
import { tokenDigest } from "../../calls/tokens.ts";

/** Stacks and buckets know no underscore, and need no prefix twice. */
function slugOf(id: string): string {
  return id
    .toLowerCase()
    .replace(/^(?:svc|env)[_-]/, "")
    .replaceAll(/[^a-z0-9]/g, "-");
}

export type ServiceNames = {
  readonly stack: string;
  readonly environmentStack: string;
  /** Of the CodeBuild project and of the ECR repository. */
  readonly project: string;
  /** The bucket of a static service's files. */
  readonly files: string;
  readonly buildLog: string;
  readonly runLog: string;
};

export function namesOf(
  { accountId }: CloudAccount,
  { serviceId, environmentId }: PlatformService,
): ServiceNames {
  const slug = slugOf(serviceId);
  return {
    stack: serviceStackOf(serviceId),
    environmentStack: environmentStackOf(environmentId),
    project: `slipway-${slug}`,
    files: `slipway-${slug}-${accountId}`,
    buildLog: `/slipway/${slug}/build`,
    runLog: `/slipway/${slug}/run`,
  };
}

export function serviceStackOf(serviceId: string): string {
  return `slipway-svc-${slugOf(serviceId)}`;
}

export function environmentStackOf(environmentId: string): string {
  return `slipway-env-${slugOf(environmentId)}`;
}

/** The bucket, in us-east-1, that remembers builds and releases. Nobody who does not know the connection can guess it. */
export function recordsBucketOf({ accountId, connectionId }: CloudAccount): string {
  return `slipway-${accountId}-${tokenDigest(connectionId).slice(0, 16)}`;
}

/** Which of AWS's worlds an account is in: `aws`, `aws-cn`, `aws-us-gov`. */
export function partitionOf({ roleArn }: Pick<CloudAccount, "roleArn">): string {
  return roleArn.split(":", 2)[1] ?? "aws";
}

/** What the connection's stack makes (`stack/connection-v2.yaml`). */
export function deployRoleOf(account: CloudAccount): string {
  return iamArn(account, `role/slipway-deploy-${account.connectionId}`);
}
export function rolesFunctionOf({ connectionId }: CloudAccount): string {
  return `slipway-roles-${connectionId}`;
}

/** What stacks of version 1 made. */
export function runRoleOf(account: CloudAccount): string {
  return iamArn(account, `role/slipway-run-${account.connectionId}`);
}
export function buildBoundaryOf(account: CloudAccount): string {
  return iamArn(account, `policy/slipway-build-${account.connectionId}`);
}

function iamArn(account: CloudAccount, name: string): string {
  return `arn:${partitionOf(account)}:iam::${account.accountId}:${name}`;
}
