/**
 * How requests reach a web service from its next release on. Services of earlier versions have a load balancer of their
 * own. They move to that of their network without a failed request, in two releases or more:
 *
 * | load balancers now | condition                                             | next   |
 * |--------------------|-------------------------------------------------------|--------|
 * | none               | CloudFront has room for one more way to the network   | shared |
 * | none               | it has none                                           | full   |
 * | own                | the connection may not create rules, or has no room   | own    |
 * | own                | otherwise                                             | both   |
 * | own and shared     | a distribution or a running release uses the old one  | both   |
 * | own and shared     | otherwise                                             | shared |
 * | shared             |                                                       | shared |
 *
 * Each release decides from what it finds, so it does not matter at which step an earlier one ended. Pure.
 */
export type FoundRouting = {
  readonly hasOwn: boolean;
  readonly hasShared: boolean;
  /** Connections of version 1 may not create rules. */
  readonly mayShare: boolean;
  /** CloudFront can connect the service's distributions to the shared load balancer. */
  readonly isRoom: boolean;
  /** A distribution points to the service's own load balancer, or a running release knows its address. */
  readonly isOwnUsed: boolean;
};

export type RoutingStep = "own" | "both" | "shared" | "full";

export function decideRouting(found: FoundRouting): RoutingStep {
  const { hasOwn, hasShared, mayShare, isRoom, isOwnUsed } = found;
  if (hasShared) return hasOwn && isOwnUsed ? "both" : "shared";
  if (!mayShare) return "own";
  if (hasOwn) return isRoom ? "both" : "own";
  return isRoom ? "shared" : "full";
}
