/** What things of the platform are called in an account. Deterministic, so that everything is found again. Pure. */
import type { CloudAccount } from "../../cloud.ts";
import type { PlatformService } from "../../platform.ts";
import { tokenDigest } from "../tokens.ts";

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
    stack: `slipway-svc-${slug}`,
    environmentStack: environmentStackOf(environmentId),
    project: `slipway-${slug}`,
    files: `slipway-${slug}-${accountId}`,
    buildLog: `/slipway/${slug}/build`,
    runLog: `/slipway/${slug}/run`,
  };
}

export function environmentStackOf(environmentId: string): string {
  return `slipway-env-${slugOf(environmentId)}`;
}

/** The bucket, in us-east-1, that remembers builds and releases. Nobody who does not know the connection can guess it. */
export function recordsBucketOf({ accountId, connectionId }: CloudAccount): string {
  return `slipway-${accountId}-${tokenDigest(connectionId).slice(0, 16)}`;
}

/** Roles and policies that the connection's stack makes (`stack/connection-v1.yaml`). */
export function deployRoleOf({ accountId, connectionId }: CloudAccount): string {
  return `arn:aws:iam::${accountId}:role/slipway-deploy-${connectionId}`;
}
export function runRoleOf({ accountId, connectionId }: CloudAccount): string {
  return `arn:aws:iam::${accountId}:role/slipway-run-${connectionId}`;
}
export function buildBoundaryOf({ accountId, connectionId }: CloudAccount): string {
  return `arn:aws:iam::${accountId}:policy/slipway-build-${connectionId}`;
}
