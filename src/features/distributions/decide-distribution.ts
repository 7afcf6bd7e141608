import type { DistributionSeen } from "../../cloud/cloud.ts";
import { stragglesUntilMs } from "../../cloud/calls/stragglers.ts";
import type { Distribution } from "./distribution.ts";

export type DistributionStep =
  | { readonly kind: "create" }
  /** Nothing to do: a group's reconciler sets aliases and certificate. */
  | { readonly kind: "rest" }
  /** Tell the provider where the files of the repository are now. */
  | { readonly kind: "moveOrigin"; readonly from: DistributionSeen }
  /** Take it out of service, as the provider demands before a delete. */
  | { readonly kind: "disable"; readonly etag: string }
  | { readonly kind: "waitForDeploy"; readonly since: Date }
  /** A creation may still arrive; as long as what its token made is there, it makes nothing. */
  | { readonly kind: "waitForStraggler"; readonly until: Date }
  | { readonly kind: "delete"; readonly etag: string }
  /** The cloud's side is gone, or never was. */
  | { readonly kind: "forget" };

/**
 * The one next step of a distribution. `seen` is null when the provider knows none of its id, and where it is not
 * looked for: one that is wanted and made, but for an origin that moved.
 */
export function decideDistribution(
  distribution: Distribution,
  seen: DistributionSeen | null,
  now: Date,
): DistributionStep {
  if (distribution.isWanted) {
    if (distribution.providerId === null) return { kind: "create" };
    return distribution.originMoved && seen !== null ? { kind: "moveOrigin", from: seen } : { kind: "rest" };
  }
  if (distribution.providerId === null) {
    // A creation may have been asked for and its answer lost: creating again finds it, then it is deleted.
    return distribution.requestedAt === null ? { kind: "forget" } : { kind: "create" };
  }
  if (seen !== null && (seen.enabled || seen.aliases.length > 0)) return { kind: "disable", etag: seen.etag };
  const until = new Date(stragglesUntilMs(distribution.createStartedAt));
  if (until > now) return { kind: "waitForStraggler", until };
  if (seen === null) return { kind: "forget" };
  return seen.deployed
    ? { kind: "delete", etag: seen.etag }
    : { kind: "waitForDeploy", since: seen.changedAt };
}
