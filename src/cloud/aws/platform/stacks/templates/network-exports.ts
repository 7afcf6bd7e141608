/** Names of the exports of a network's stack, which the stacks of its services import. Pure. */
import { environmentStackOf } from "../names.ts";

/** @param networkId the environment whose network it is */
export function networkExportsOf(networkId: string) {
  const stack = environmentStackOf(networkId);
  return {
    stack,
    network: `${stack}-network`,
    subnetA: `${stack}-subnet-a`,
    subnetB: `${stack}-subnet-b`,
    cluster: `${stack}-cluster`,
    balancer: `${stack}-balancer`,
    balancerAccess: `${stack}-balancer-access`,
    balancerDomain: `${stack}-balancer-domain`,
    listener: `${stack}-listener`,
    vpcOrigin: `${stack}-vpc-origin`,
  };
}
