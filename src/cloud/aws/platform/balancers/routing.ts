/** Reads how requests reach a web service now, for the decision about its next release (`decide-routing.ts`). */
import type { CloudAccount } from "../../../cloud.ts";
import type { PlatformService } from "../../../platform.ts";
import { listDistributions } from "../../domains/distributions.ts";
import { countWays, isUsedBy } from "../origins.ts";
import { releaseKeyOf, servicesPrefix } from "../records.ts";
import { namesOf, networkOf } from "../stacks/names.ts";
import type { ObservedStack, PlatformParts } from "../stacks/stacks.ts";
import { KEPT_OUTPUT, PLACE_OUTPUT } from "../stacks/templates/balancer-resources.ts";
import type { Routing } from "../stacks/templates/container-resources.ts";
import { decideRouting } from "./decide-routing.ts";
import { takePlace } from "./places.ts";

type Parts = Pick<PlatformParts, "call" | "records" | "stacks">;

/** What the records of services and releases contain of it. */
type KnownService = {
  readonly service: PlatformService;
  readonly wanted: string | null;
  readonly live: string | null;
};
type KnownRelease = { readonly variables: readonly { readonly kind: string; readonly value?: string }[] };

/**
 * How many distributions CloudFront connects to one VPC origin
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html).
 */
const MAX_DISTRIBUTIONS = 50;

export class NoRoomError extends Error {}

/**
 * @param network its stack
 * @param mayShare false in a connection of version 1
 * @throws NoRoomError with a sentence for users; CloudError
 */
export async function findRouting(
  parts: Parts,
  account: CloudAccount,
  service: PlatformService,
  network: ObservedStack,
  mayShare: boolean,
): Promise<Routing> {
  const { region } = service;
  const stack = await parts.stacks.describe(account, { region, name: namesOf(account, service).stack });
  const { VpcOrigin: way } = network.outputs;
  const { OriginDomain: domain, OriginVpc, [PLACE_OUTPUT]: had, [KEPT_OUTPUT]: kept } = stack?.outputs ?? {};
  const hasShared = had !== undefined;
  // The stack of a static service has a domain too.
  const own = hasShared ? kept : OriginVpc === undefined ? undefined : domain;
  const mayMove = mayShare && way !== undefined;
  const step = decideRouting({
    hasOwn: own !== undefined,
    hasShared,
    mayShare: mayMove,
    isRoom: hasShared || !mayMove || (await hasRoom(parts, account, service, way)),
    isOwnUsed: hasShared && own !== undefined && (await isUsed(parts, account, service, own)),
  });
  if (step === "own") return { kind: "own" };
  if (step === "full") {
    throw new NoRoomError(
      `CloudFront connects at most ${MAX_DISTRIBUTIONS} distributions to the load balancer of an environment. Delete services or groups of domains, or move services to another environment.`,
    );
  }
  const place = await takePlace(parts, account, service);
  if (place !== null) return { kind: step, place };
  if (own !== undefined && !hasShared) return { kind: "own" };
  throw new NoRoomError(
    "The load balancer of the environment has no place left for another web service. Delete services, or move some to another environment.",
  );
}

async function hasRoom(
  { call }: Parts,
  account: CloudAccount,
  { serviceId }: PlatformService,
  way: string,
): Promise<boolean> {
  let ways = 0;
  for await (const distribution of listDistributions(call, account))
    ways += countWays(distribution, serviceId, way);
  return ways <= MAX_DISTRIBUTIONS;
}

/** Whether requests may still come to the service's own load balancer. */
async function isUsed(
  { call, records }: Parts,
  account: CloudAccount,
  service: PlatformService,
  own: string,
): Promise<boolean> {
  for await (const distribution of listDistributions(call, account))
    if (isUsedBy(distribution, service.serviceId, own)) return true;
  const network = networkOf(service);
  for (const key of await records.list(account, servicesPrefix)) {
    const known = (await records.read<KnownService>(account, key))?.value;
    if (known === undefined || networkOf(known.service) !== network) continue;
    for (const digest of new Set([known.live, known.wanted])) {
      if (digest === null) continue;
      const release = (await records.read<KnownRelease>(account, releaseKeyOf(digest)))?.value;
      if (release?.variables.some(({ value }) => value?.includes(own) === true) === true) return true;
    }
  }
  return false;
}
