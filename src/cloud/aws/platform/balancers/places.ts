/** The places of services at the load balancer of a network, in a document of the account. */
import type { CloudAccount } from "../../../cloud.ts";
import type { PlatformService } from "../../../platform.ts";
import { networkOf, serviceStackOf } from "../stacks/names.ts";
import { networkKey } from "../records.ts";
import type { PlatformParts } from "../stacks/stacks.ts";
import { decidePlace, type Places, withPlace } from "../stacks/decide-place.ts";

type NetworkRecord = {
  readonly service: Pick<PlatformService, "region">;
  readonly places: Places;
};

/**
 * The service's place, which it takes if it has none. A place is free again once its service's stack is deleted, and
 * with it what that service had there.
 * @returns null if all places are taken
 * @throws CloudError `retryable` if another worker has written first
 */
export async function takePlace(
  { records, stacks }: Pick<PlatformParts, "records" | "stacks">,
  account: CloudAccount,
  service: PlatformService,
): Promise<number | null> {
  const { serviceId, region } = service;
  const key = networkKey(networkOf(service));
  const present = await records.read<NetworkRecord>(account, key);
  let places = present?.value.places ?? [];
  let decision = decidePlace(places, serviceId);
  if (decision.kind === "full") {
    for (const [index, holder] of places.entries()) {
      if (holder !== null && (await isGone(holder))) places = withPlace(places, index + 1, null);
    }
    decision = decidePlace(places, serviceId);
  }
  if (decision.kind === "full") return null;
  const { place } = decision;
  if (decision.kind === "has") return place;
  const value = { service: { region }, places: withPlace(places, place, serviceId) };
  await records.write(account, key, value, present?.etag ?? null);
  return place;

  async function isGone(holder: string): Promise<boolean> {
    const stack = await stacks.describe(account, { region, name: serviceStackOf(holder) });
    return stack === null || stack.status === "DELETE_COMPLETE";
  }
}
