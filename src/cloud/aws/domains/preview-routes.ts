/**
 * The distribution that previews share: an origin for each of their services, and a function that chooses one by the
 * host name. Both change in one update. A release finds the origin of its service there as in any other distribution.
 */
import type { DistributionConfig, Origin } from "@aws-sdk/client-cloudfront";
import type { CloudAccount } from "../../cloud.ts";
import { accessKeyOf, type PreviewAccess } from "../../preview-access.ts";
import { type Redirects, redirectsKeyOf } from "../../redirects.ts";
import { type Route, type Routes, routesKeyOf } from "../../routing.ts";
import type { Call } from "../calls/calls.ts";
import { cloudError, nullIfGone } from "../calls/errors.ts";
import { emptyOrigin, NO_HOST, originIdOf, PREVIEWS_ORIGIN } from "./distribution-config.ts";
import {
  type Answer,
  type Answers,
  hostOriginIdOf,
  type PreviewFunction,
  previewFunctionNameOf,
  previewKeysIn,
  readPreviewFunction,
  writePreviewFunction,
} from "./preview-function.ts";
import {
  FUNCTION_MAX_BYTES,
  isAppFunction,
  publishFunction,
  readCode,
  viewerFunctionOf,
  withViewerFunction,
} from "./redirect-functions.ts";
import { originFor, type Target } from "./service-origin.ts";
import { functionPrefixOf, nameIn } from "./viewer-functions.ts";

/** Where the live release of a service is; null without one. */
export type FindTarget = (account: CloudAccount, serviceId: string) => Promise<Target | null>;

/** A part that is left out stays as it is. */
type Desired = {
  readonly routes?: Routes;
  readonly access?: PreviewAccess;
  readonly redirects?: Redirects;
};

/** The keys of a distribution's function of previews, by the function's name; null if it has none. Pure. */
export function previewKeysOf(
  distributionId: string,
  functionArn: string | null,
): ReturnType<typeof previewKeysIn> {
  const name = functionArn === null ? "" : nameIn(functionArn);
  const prefix = functionPrefixOf(distributionId);
  return name.startsWith(prefix) ? previewKeysIn(name.slice(prefix.length)) : null;
}

/**
 * The configuration with these routes and this access, whose function is there now.
 * @throws CloudError `limit` `TOO_MANY_ROUTES`; `invalid` `REDIRECTS_REFUSED` for redirects, or if the customer has a function of their own
 */
export async function withPreviewState(
  call: Call,
  account: CloudAccount,
  distributionId: string,
  config: DistributionConfig,
  { routes, access, redirects = {} }: Desired,
  findTarget: FindTarget,
): Promise<DistributionConfig> {
  const present = viewerFunctionOf(config);
  const keys = previewKeysOf(distributionId, present);
  const isRouted = routes === undefined || (keys !== null && keys.routes === routesKeyOf(routes));
  const hasAccess = access === undefined || keys?.access === accessKeyOf(access);
  const isPlain = redirectsKeyOf(redirects) === null;
  if (isRouted && hasAccess && isPlain) return config;
  const lambdas = config.DefaultCacheBehavior?.LambdaFunctionAssociations?.Items ?? [];
  const isTaken = lambdas.some(({ EventType }) => EventType === "viewer-request");
  if (!isPlain || isTaken || (present !== null && keys === null))
    throw cloudError(["invalid", "REDIRECTS_REFUSED"], "cloudfront:UpdateDistribution");
  const before = keys === null || present === null ? NEW : await readPresent(call, account, present);
  const targets = await findTargets(account, routes ?? {}, before.answers, findTarget);
  const answers =
    routes === undefined
      ? before.answers
      : answersOf(routes, before.answers, await kindsOf(call, account, targets));
  const wanted = { access: access ?? before.access, answers };
  const routesKey = routes === undefined ? (keys?.routes ?? null) : routesKeyOf(routes);
  const arn = await ensureFunction(call, account, distributionId, routesKey, wanted);
  const routed = routes === undefined ? config : { ...config, ...originsFor(config, routes, targets) };
  return withViewerFunction(routed, arn);
}

const NEW: PreviewFunction = { access: null, answers: {} };

/** The configuration with a service's origin pointed to a release, in the labels of the service too. */
export async function withPreviewTarget(
  call: Call,
  account: CloudAccount,
  distributionId: string,
  config: DistributionConfig,
  serviceId: string,
  target: Target,
): Promise<DistributionConfig> {
  const items = (config.Origins?.Items ?? []).map((origin) =>
    origin.Id === originIdOf(serviceId) ? originFor(serviceId, target) : origin,
  );
  const pointed = { ...config, Origins: { Quantity: items.length, Items: items } };
  const present = viewerFunctionOf(config);
  const keys = previewKeysOf(distributionId, present);
  // Without Slipway's function, nothing is answered.
  if (present === null || keys === null) return pointed;
  const before = await readPresent(call, account, present);
  const answer = { kind: await kindOf(call, account, target), serviceId };
  const answers = Object.fromEntries(
    Object.entries(before.answers).map(([label, one]) => [
      label,
      "serviceId" in one && one.serviceId === serviceId ? answer : one,
    ]),
  );
  const arn = await ensureFunction(call, account, distributionId, keys.routes, { ...before, answers });
  return withViewerFunction(pointed, arn);
}

/** The first name at which a distribution of previews answers for a service; null if it has none. */
export async function findPreviewName(
  call: Call,
  account: CloudAccount,
  distributionId: string,
  config: Pick<DistributionConfig, "Aliases" | "DefaultCacheBehavior">,
  serviceId: string,
): Promise<string | null> {
  const wildcard = config.Aliases?.Items?.find((alias) => alias.startsWith("*."));
  const present = viewerFunctionOf(config);
  if (wildcard === undefined || present === null || previewKeysOf(distributionId, present) === null)
    return null;
  const { answers } = await readPresent(call, account, present);
  const [label] =
    Object.entries(answers).find(([, answer]) => "serviceId" in answer && answer.serviceId === serviceId) ??
    [];
  return label === undefined ? null : `${label}${wildcard.slice(1)}`;
}

const serviceIdIn = (route: Route) => ("serviceId" in route ? [route.serviceId] : []);

/** The targets of services that get a label now; a release has set the others. */
async function findTargets(
  account: CloudAccount,
  routes: Routes,
  before: Answers,
  findTarget: FindTarget,
): Promise<ReadonlyMap<string, Target>> {
  const known = new Set(Object.values(before).flatMap((one) => ("serviceId" in one ? [one.serviceId] : [])));
  const found = new Map<string, Target>();
  for (const serviceId of new Set(Object.values(routes).flatMap(serviceIdIn)))
    if (!known.has(serviceId))
      found.set(serviceId, (await findTarget(account, serviceId)) ?? { kind: "nothing" });
  return found;
}

type Kind = Exclude<Answer["kind"], "host">;

async function kindsOf(
  call: Call,
  account: CloudAccount,
  targets: ReadonlyMap<string, Target>,
): Promise<ReadonlyMap<string, Kind>> {
  const kinds = new Map<string, Kind>();
  for (const [serviceId, target] of targets) kinds.set(serviceId, await kindOf(call, account, target));
  return kinds;
}

async function kindOf(call: Call, account: CloudAccount, target: Target): Promise<Kind> {
  switch (target.kind) {
    case "nothing":
      return "nothing";
    case "balancer":
      return "web";
    case "files":
      return (await isAppFunction(call, account, target.functionArn)) ? "app" : "files";
  }
}

/** What answers at each label. A service that had a label keeps what it is. Pure. */
export function answersOf(routes: Routes, before: Answers, kinds: ReadonlyMap<string, Kind>): Answers {
  const known = new Map(
    Object.values(before).flatMap((one) => ("serviceId" in one ? [[one.serviceId, one.kind] as const] : [])),
  );
  return Object.fromEntries(
    Object.entries(routes).map(([label, route]): [string, Answer] => {
      if (!("serviceId" in route)) return [label, { kind: "host" }];
      const { serviceId } = route;
      return [label, { kind: known.get(serviceId) ?? kinds.get(serviceId) ?? "nothing", serviceId }];
    }),
  );
}

/**
 * An origin for each route. That of a service that has one stays as its release has set it. That of a service without a
 * route stays until the service, before it is removed, points it to nothing, so that all edges have left it by then. Pure.
 */
export function originsFor(
  { Origins }: Pick<DistributionConfig, "Origins">,
  routes: Routes,
  targets: ReadonlyMap<string, Target>,
): Pick<DistributionConfig, "Origins"> {
  const present = Origins?.Items ?? [];
  const wanted = new Map<string, Origin>();
  for (const [label, route] of Object.entries(routes)) {
    const origin =
      "hostname" in route
        ? emptyOrigin(hostOriginIdOf(label), route.hostname)
        : (present.find(({ Id }) => Id === originIdOf(route.serviceId)) ??
          originFor(route.serviceId, targets.get(route.serviceId) ?? { kind: "nothing" }));
    wanted.set(origin.Id ?? "", origin);
  }
  const stays = ({ Id = "", DomainName }: Origin) =>
    !wanted.has(Id) && (!isOfRoute(Id) || (DomainName !== NO_HOST && !Id.startsWith(hostOriginIdOf(""))));
  const items = [...present.filter(stays), ...wanted.values()];
  return { Origins: { Quantity: items.length, Items: items } };
}

/** The customer may have added others. */
function isOfRoute(originId: string): boolean {
  return originId.startsWith("slipway-") && originId !== PREVIEWS_ORIGIN;
}

async function readPresent(call: Call, account: CloudAccount, arn: string): Promise<PreviewFunction> {
  const code = await readCode(call, account, nameIn(arn)).catch(nullIfGone);
  if (code !== null) return readPreviewFunction(code);
  // Another worker has changed the distribution since it was read.
  throw cloudError(["retryable", "STALE_ETAG"], "cloudfront:GetFunction");
}

async function ensureFunction(
  call: Call,
  account: CloudAccount,
  distributionId: string,
  routesKey: string | null,
  wanted: PreviewFunction,
): Promise<string> {
  const code = writePreviewFunction(wanted);
  if (Buffer.byteLength(code) > FUNCTION_MAX_BYTES)
    throw cloudError(["limit", "TOO_MANY_ROUTES"], "cloudfront:CreateFunction");
  return await publishFunction(call, account, previewFunctionNameOf(distributionId, routesKey, wanted), code);
}
