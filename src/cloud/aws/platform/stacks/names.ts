/** The names of the platform's resources in an account. Deterministic, so that every resource can be found again. Pure. */
import type { CloudAccount } from "../../../cloud.ts";
import type { PlatformService } from "../../../platform.ts";
import { tokenDigest } from "../../calls/tags.ts";

/** Names of stacks and buckets cannot contain underscores, and need no duplicate prefix. */
function slugOf(id: string): string {
  return id
    .toLowerCase()
    .replace(/^(?:svc|env)[_-]/, "")
    .replaceAll(/[^a-z0-9]/g, "-");
}

export type ServiceNames = {
  readonly stack: string;
  /** The stack of its network, which the previews of a template share. */
  readonly networkStack: string;
  /** The name of the CodeBuild project and of the ECR repository. */
  readonly project: string;
  /** The task definition of the commands that run in a release's image. */
  readonly runs: string;
  /** The bucket with a static service's files. */
  readonly files: string;
  readonly buildLog: string;
  readonly runLog: string;
  /** What runs before a release: its stack, task definition and log. */
  readonly prepareStack: string;
  readonly prepares: string;
  readonly prepareLog: string;
};

export function namesOf({ accountId }: CloudAccount, service: Omit<PlatformService, "region">): ServiceNames {
  const { serviceId } = service;
  const slug = slugOf(serviceId);
  return {
    stack: serviceStackOf(serviceId),
    networkStack: environmentStackOf(networkOf(service)),
    project: `slipway-${slug}`,
    runs: `slipway-${slug}-run`,
    files: `slipway-${slug}-${accountId}`,
    buildLog: `/slipway/${slug}/build`,
    runLog: `/slipway/${slug}/run`,
    prepareStack: `${serviceStackOf(serviceId)}-prepare`,
    prepares: `slipway-${slug}-prepare-run`,
    prepareLog: `/slipway/${slug}-prepare/run`,
  };
}

/** The environment whose network the service uses. */
export function networkOf({
  environmentId,
  networkId = environmentId,
}: Pick<PlatformService, "environmentId" | "networkId">): string {
  return networkId;
}

export function serviceStackOf(serviceId: string): string {
  return `slipway-svc-${slugOf(serviceId)}`;
}

export function environmentStackOf(environmentId: string): string {
  return `slipway-env-${slugOf(environmentId)}`;
}

/** The stack of a data store, and its database or cache: at most 40 characters. */
export function storeStackOf(storeId: string): string {
  return `slipway-store-${slugOf(storeId)}`;
}

/** The bucket of a data store. Slipway's role, which may read its own buckets, `slipway-*`, may not read it. */
export function storeBucketOf(storeId: string, accountId: string): string {
  return `data-slipway-${slugOf(storeId)}-${accountId}`;
}

/** The bucket with the records of builds and releases, in us-east-1. It cannot be guessed without the connection. */
export function recordsBucketOf({ accountId, connectionId }: CloudAccount): string {
  return `slipway-${accountId}-${tokenDigest(connectionId).slice(0, 16)}`;
}

/** Whether a release's image is of a registry that its service names; otherwise it is the digest of a built one. */
export function isRegistryImage(artifact: string): boolean {
  return artifact.includes("@");
}

/** The AWS partition of an account: `aws`, `aws-cn`, `aws-us-gov`. */
export function partitionOf({ roleArn }: Pick<CloudAccount, "roleArn">): string {
  return roleArn.split(":", 2)[1] ?? "aws";
}

/** A role that the connection's stack creates (`stack/connection-v2.yaml`). */
export function deployRoleOf(account: CloudAccount): string {
  return iamArn(account, `role/slipway-deploy-${account.connectionId}`);
}
export function rolesFunctionOf({ connectionId }: CloudAccount): string {
  return `slipway-roles-${connectionId}`;
}

/** A role that stacks of version 1 created. */
export function runRoleOf(account: CloudAccount): string {
  return iamArn(account, `role/slipway-run-${account.connectionId}`);
}
export function buildBoundaryOf(account: CloudAccount): string {
  return iamArn(account, `policy/slipway-build-${account.connectionId}`);
}

function iamArn(account: CloudAccount, name: string): string {
  return `arn:${partitionOf(account)}:iam::${account.accountId}:${name}`;
}
