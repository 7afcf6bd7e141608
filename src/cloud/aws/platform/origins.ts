/**
 * How requests get to a release: the service's distribution, made by Slipway when the service was made, is
 * pointed to the load balancer or to the folder of files. It is known by the id of its origin, which
 * `distribution-config.ts` gives it; whoever gives it another takes the choice of the origin on himself.
 */
import {
  type DistributionConfig,
  GetDistributionCommand,
  ListDistributionsCommand,
  type Origin,
  UpdateDistributionCommand,
} from "@aws-sdk/client-cloudfront";
import type { CloudAccount } from "../../cloud.ts";
import { type Call, required } from "../calls.ts";
import { ALL_VIEWER, emptyOrigin, originIdOf } from "../distribution-config.ts";

export type Target =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "files";
      readonly domain: string;
      readonly path: string;
      readonly access: string;
      readonly functionArn: string;
    }
  | { readonly kind: "balancer"; readonly domain: string; readonly vpcOriginId: string };

export type Pointing =
  /** It points there already; `isDeployed`: at all edges. */
  | { readonly kind: "pointed"; readonly isDeployed: boolean; readonly domain: string }
  | { readonly kind: "changed" }
  | { readonly kind: "none" };

/** One step towards a distribution that points to the target. @throws CloudError */
export async function pointTo(
  call: Call,
  account: CloudAccount,
  serviceId: string,
  target: Target,
): Promise<Pointing> {
  const id = await findDistribution(call, account, serviceId);
  if (id === null) return { kind: "none" };
  const api = "cloudfront:GetDistribution";
  const get = new GetDistributionCommand({ Id: id });
  const { Distribution, ETag } = await call(account, api, (cdn, options) => cdn.send(get, options));
  const { DistributionConfig: config, Status, DomainName } = required(Distribution, api);
  const present = required(config, api);
  if (isPointedTo(present, serviceId, target)) {
    return { kind: "pointed", isDeployed: Status === "Deployed", domain: required(DomainName, api) };
  }
  const update = new UpdateDistributionCommand({
    Id: id,
    // Whoever changes names and certificate meanwhile is not written over.
    IfMatch: required(ETag, api),
    DistributionConfig: withTarget(present, serviceId, target),
  });
  await call(account, "cloudfront:UpdateDistribution", (cdn, options) => cdn.send(update, options));
  return { kind: "changed" };
}

async function findDistribution(
  call: Call,
  account: CloudAccount,
  serviceId: string,
): Promise<string | null> {
  const api = "cloudfront:ListDistributions";
  let marker: string | undefined;
  do {
    const command = new ListDistributionsCommand({ Marker: marker });
    const answer = await call(account, api, (cdn, options) => cdn.send(command, options));
    const { Items = [], NextMarker } = required(answer.DistributionList, api);
    const found = Items.find(({ Origins }) => Origins?.Items?.some(({ Id }) => Id === originIdOf(serviceId)));
    if (found?.Id !== undefined) return found.Id;
    marker = NextMarker === "" ? undefined : NextMarker;
  } while (marker !== undefined);
  return null;
}

function isPointedTo(config: DistributionConfig, serviceId: string, target: Target): boolean {
  const origin = config.Origins?.Items?.find(({ Id }) => Id === originIdOf(serviceId));
  const wanted = originFor(serviceId, target);
  return origin?.DomainName === wanted.DomainName && (origin?.OriginPath ?? "") === (wanted.OriginPath ?? "");
}

/** The whole configuration with the service's origin at the target, and all else as it is. Pure. */
export function withTarget(
  config: DistributionConfig,
  serviceId: string,
  target: Target,
): DistributionConfig {
  const items = config.Origins?.Items ?? [];
  const origins = items.map((origin) =>
    origin.Id === originIdOf(serviceId) ? originFor(serviceId, target) : origin,
  );
  const {
    OriginRequestPolicyId: _policy,
    FunctionAssociations: _functions,
    ...behavior
  } = config.DefaultCacheBehavior ?? { TargetOriginId: undefined, ViewerProtocolPolicy: undefined };
  return {
    ...config,
    Origins: { Quantity: origins.length, Items: origins },
    DefaultCacheBehavior: {
      ...behavior,
      // Files take nothing of a request but its path; a program gets all of it, the customer's host included.
      ...(target.kind === "files"
        ? {
            FunctionAssociations: {
              Quantity: 1,
              Items: [{ EventType: "viewer-request", FunctionARN: target.functionArn }],
            },
          }
        : { OriginRequestPolicyId: ALL_VIEWER }),
    },
  };
}

function originFor(serviceId: string, target: Target): Origin {
  const Id = originIdOf(serviceId);
  switch (target.kind) {
    case "nothing":
      return emptyOrigin(Id);
    case "files":
      return {
        Id,
        DomainName: target.domain,
        OriginPath: target.path,
        OriginAccessControlId: target.access,
        // Empty: the older way of access is not used.
        S3OriginConfig: { OriginAccessIdentity: "" },
      };
    case "balancer":
      return { Id, DomainName: target.domain, VpcOriginConfig: { VpcOriginId: target.vpcOriginId } };
  }
}
