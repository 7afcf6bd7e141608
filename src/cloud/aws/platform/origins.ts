/**
 * How requests reach a release: Slipway points the service's distributions (created with the service and with
 * each group of its domains) to the load balancer or to the folder of files. It finds them by the id of their
 * origin, which `distribution-config.ts` sets. A customer who changes that id takes over the choice of the
 * origin.
 */
import {
  type CustomErrorResponses,
  type DistributionConfig,
  type DistributionSummary,
  GetDistributionConfigCommand,
  type Origin,
  type Origins,
  UpdateDistributionCommand,
} from "@aws-sdk/client-cloudfront";
import { CloudError, type CloudAccount } from "../../cloud.ts";
import { type Call, required } from "../calls/calls.ts";
import { listDistributions } from "../domains/distributions.ts";
import { findPreviewName, withPreviewTarget } from "../domains/preview-routes.ts";
import {
  associationsOf,
  forgetFormerFunctions,
  viewerFunctionFor,
  viewerFunctionOf,
} from "../domains/redirect-functions.ts";
import { originFor, type Target } from "../domains/service-origin.ts";
import { ALL_VIEWER, originIdOf, sharesPreviews } from "../domains/distribution-config.ts";

export type Pointing =
  /** All of them point to the target; `isDeployed`: at all edges; `isEnabled`: one of them answers visitors. */
  | {
      readonly kind: "pointed";
      readonly isDeployed: boolean;
      readonly isEnabled: boolean;
      readonly domains: readonly string[];
    }
  /** Some were changed just now; `isMore`: others still have to be. */
  | { readonly kind: "changing"; readonly isMore: boolean }
  | { readonly kind: "none" };

/** A limit, so that one step does not use up the account's rate. The next step continues. */
const CHANGES_AT_ONCE = 5;

/**
 * Takes one step towards pointing all distributions of a service (its own and those of its domain groups) to
 * the target.
 * @throws CloudError
 */
export async function pointTo(
  call: Call,
  account: CloudAccount,
  serviceId: string,
  target: Target,
): Promise<Pointing> {
  const found = await listOfService(call, account, serviceId);
  if (found.length === 0) return { kind: "none" };
  // The list includes the origins, so a distribution that is already right costs no call.
  const others = found.filter((one) => !isPointedTo(one.Origins, serviceId, target));
  const isMore = others.length > CHANGES_AT_ONCE;
  let hasChanged = isMore;
  for (const { Id } of others.slice(0, CHANGES_AT_ONCE)) {
    if (Id !== undefined && (await pointOne(call, account, Id, serviceId, target))) hasChanged = true;
  }
  if (hasChanged) return { kind: "changing", isMore };
  return {
    kind: "pointed",
    isDeployed: found.every(({ Status }) => Status === "Deployed"),
    isEnabled: found.some(({ Enabled }) => Enabled === true),
    domains: await findNames(call, account, serviceId, found, target),
  };
}

/** Where visitors find the service: the distributions' own names, and its name among previews. */
async function findNames(
  call: Call,
  account: CloudAccount,
  serviceId: string,
  found: readonly DistributionSummary[],
  target: Target,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const one of found) {
    const { Id: id = "", DomainName: own = null } = one;
    // Of other services, the load balancer's address is shown.
    const isAsked = target.kind === "files" && sharesPreviews(one);
    const name = isAsked ? await findPreviewName(call, account, id, one, serviceId) : own;
    if (name !== null) names.push(name);
  }
  return names;
}

/** @returns whether the distribution was changed */
export async function pointOne(
  call: Call,
  account: CloudAccount,
  id: string,
  serviceId: string,
  target: Target,
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await pointOnce(call, account, id, serviceId, target);
    } catch (error) {
      // Another worker has changed it since it was read, often another service of the previews that share it.
      const isStale = error instanceof CloudError && error.code === "STALE_ETAG";
      if (!isStale || tries === TRIES) throw error;
    }
  }
}

const TRIES = 3;

async function pointOnce(
  call: Call,
  account: CloudAccount,
  id: string,
  serviceId: string,
  target: Target,
): Promise<boolean> {
  const api = "cloudfront:GetDistributionConfig";
  const get = new GetDistributionConfigCommand({ Id: id });
  const { DistributionConfig, ETag } = await call(account, api, get);
  const present = required(DistributionConfig, api);
  if (isPointedTo(present.Origins, serviceId, target)) return false;
  const isShared = sharesPreviews(present);
  const pointed = isShared
    ? await withPreviewTarget(call, account, id, present, serviceId, target)
    : await withOwnTarget(call, account, id, present, serviceId, target);
  const update = new UpdateDistributionCommand({
    Id: id,
    // Do not overwrite a concurrent change of names, certificate or routes.
    IfMatch: required(ETag, api),
    DistributionConfig: pointed,
  });
  await call(account, "cloudfront:UpdateDistribution", update);
  if (isShared && viewerFunctionOf(pointed) !== viewerFunctionOf(present))
    await forgetFormerFunctions(call, account, id);
  return true;
}

async function withOwnTarget(
  call: Call,
  account: CloudAccount,
  id: string,
  present: DistributionConfig,
  serviceId: string,
  target: Target,
): Promise<DistributionConfig> {
  const indexArn = target.kind === "files" ? target.functionArn : null;
  const viewerFunction = await viewerFunctionFor(call, account, id, present, indexArn);
  return withTarget(present, serviceId, target, viewerFunction);
}

async function listOfService(
  call: Call,
  account: CloudAccount,
  serviceId: string,
): Promise<readonly DistributionSummary[]> {
  const found: DistributionSummary[] = [];
  for await (const one of listDistributions(call, account))
    if (originIn(one.Origins, serviceId) !== undefined) found.push(one);
  return found;
}

/** Whether requests to a distribution of a service may still reach this host. */
export function isUsedBy({ Origins, Status }: DistributionSummary, serviceId: string, host: string): boolean {
  const origin = originIn(Origins, serviceId);
  return origin !== undefined && (origin.DomainName === host || Status !== "Deployed");
}

/** 1 if a distribution is connected to a VPC origin, or will be when the service points to it; otherwise 0. */
export function countWays({ Origins }: DistributionSummary, serviceId: string, vpcOriginId: string): 0 | 1 {
  const isConnected = Origins?.Items?.some(
    ({ VpcOriginConfig }) => VpcOriginConfig?.VpcOriginId === vpcOriginId,
  );
  return isConnected === true || originIn(Origins, serviceId) !== undefined ? 1 : 0;
}

function originIn(origins: Origins | undefined, serviceId: string): Origin | undefined {
  return origins?.Items?.find(({ Id }) => Id === originIdOf(serviceId));
}

function isPointedTo(origins: Origins | undefined, serviceId: string, target: Target): boolean {
  const origin = originIn(origins, serviceId);
  // The customer has replaced the origin, and decides.
  if (origin === undefined) return true;
  const desired = originFor(serviceId, target);
  return origin.DomainName === desired.DomainName && (origin.OriginPath ?? "") === (desired.OriginPath ?? "");
}

/**
 * The whole configuration with the service's origin pointed to the target; everything else is unchanged. Pure.
 * @param viewerFunction what is to run for each request of a visitor: the static site's function, or one for redirects
 */
export function withTarget(
  config: DistributionConfig,
  serviceId: string,
  target: Target,
  viewerFunction: string | null,
): DistributionConfig {
  const items = config.Origins?.Items ?? [];
  const origins = items.map((origin) =>
    origin.Id === originIdOf(serviceId) ? originFor(serviceId, target) : origin,
  );
  const associations = associationsOf(viewerFunction);
  const {
    OriginRequestPolicyId: _policy,
    FunctionAssociations: _functions,
    ...behavior
  } = config.DefaultCacheBehavior ?? { TargetOriginId: undefined, ViewerProtocolPolicy: undefined };
  return {
    ...config,
    Origins: { Quantity: origins.length, Items: origins },
    ...errorsFor(config.CustomErrorResponses, target),
    DefaultCacheBehavior: {
      ...behavior,
      // Files need nothing of a request but its path. A program gets everything, including the visitor's Host.
      ...(target.kind === "files" ? {} : { OriginRequestPolicyId: ALL_VIEWER }),
      ...(associations.length === 0
        ? {}
        : { FunctionAssociations: { Quantity: associations.length, Items: associations } }),
    },
  };
}

/** The page of a static site for missing files, by convention its `404.html`. */
const NOT_FOUND_PAGE = {
  ErrorCode: 404,
  ResponseCode: "404",
  ResponsePagePath: "/404.html",
  ErrorCachingMinTTL: 0,
} as const;

/** Another page that the customer chose stays. */
function errorsFor(
  present: CustomErrorResponses | undefined,
  { kind }: Target,
): Pick<DistributionConfig, "CustomErrorResponses"> {
  const others = (present?.Items ?? []).filter(
    ({ ErrorCode, ResponsePagePath }) =>
      ErrorCode !== NOT_FOUND_PAGE.ErrorCode || ResponsePagePath !== NOT_FOUND_PAGE.ResponsePagePath,
  );
  const isChosen = others.some(({ ErrorCode }) => ErrorCode === NOT_FOUND_PAGE.ErrorCode);
  const items = kind === "files" && !isChosen ? [...others, NOT_FOUND_PAGE] : others;
  if (items.length === 0 && present === undefined) return {};
  return {
    CustomErrorResponses: { Quantity: items.length, ...(items.length > 0 ? { Items: items } : {}) },
  };
}
