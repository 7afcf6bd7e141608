import type { ObservedDistribution } from "../../cloud/cloud.ts";
import { stragglesUntilMs } from "../../cloud/calls/stragglers.ts";
import { type Routes, routesKeyOf } from "../../cloud/routing.ts";
import type { Distribution } from "./distribution.ts";

export type DistributionStep =
  | { readonly kind: "create" }
  /** Nothing to do: a group's reconciler sets aliases and certificate. */
  | { readonly kind: "rest" }
  /** Set the new origin of the service's files at the provider. */
  | { readonly kind: "moveOrigin"; readonly from: ObservedDistribution }
  /** Give it the access that the preview's template says. */
  | { readonly kind: "setAccess"; readonly from: ObservedDistribution }
  /** Set the routes to the services of previews at the provider. */
  | { readonly kind: "route"; readonly from: ObservedDistribution; readonly routes: Routes }
  /** Disable it: the provider requires this before a deletion. */
  | { readonly kind: "disable"; readonly etag: string }
  | { readonly kind: "waitForDeploy"; readonly since: Date }
  /** Wait: a creation may still arrive. While the distribution with its token exists, it creates no other. */
  | { readonly kind: "waitForStraggler"; readonly until: Date }
  | { readonly kind: "delete"; readonly etag: string }
  /** Nothing is left in the cloud: delete the row. */
  | { readonly kind: "forget" };

/**
 * The next step of a distribution. `seen` is null when the provider does not know its id. It is also null when nothing
 * needs to be read: the distribution is wanted and created, its origin has not moved, and it serves no preview.
 * @param routes of a distribution of previews; null for another
 * @param accessKey what access it is to have (`accessKeyOf`); null if it serves no preview
 */
export function decideDistribution(
  distribution: Distribution,
  seen: ObservedDistribution | null,
  routes: Routes | null,
  now: Date,
  accessKey: string | null = null,
): DistributionStep {
  if (distribution.isDesired) {
    if (distribution.providerId === null) return { kind: "create" };
    if (accessKey !== null && seen !== null) {
      if (seen.accessKey !== accessKey) return { kind: "setAccess", from: seen };
      if (!seen.deployed) return { kind: "waitForDeploy", since: seen.changedAt };
    }
    if (routes !== null && seen !== null && seen.routesKey !== routesKeyOf(routes))
      return { kind: "route", from: seen, routes };
    return distribution.originMoved && seen !== null ? { kind: "moveOrigin", from: seen } : { kind: "rest" };
  }
  if (distribution.providerId === null) {
    // A creation may have been sent and its answer lost: creating it again finds it. After that it is deleted.
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
