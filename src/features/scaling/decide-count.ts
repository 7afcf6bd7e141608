import type { InstanceLimits, ScalingRequest, Scaling } from "./scaling.ts";

/** The number that a request asks for, or why it cannot be. Pure. */
export function decideCount(
  { operation, count }: ScalingRequest,
  present: number,
  limits: InstanceLimits,
): { readonly count: number } | { readonly refusal: string } {
  const wanted = operation === "set" ? count : operation === "add" ? present + count : present - count;
  const refusal = wanted === present ? null : whyOutside(wanted, limits);
  return refusal === null ? { count: wanted } : { refusal };
}

/** Why a service cannot have this number of instances; null if it can. Pure. */
export function whyOutside(count: number, { minInstances, maxInstances }: InstanceLimits): string | null {
  if (count >= minInstances && count <= maxInstances) return null;
  const asked = `The service would have ${count} ${count === 1 ? "instance" : "instances"}`;
  if (minInstances === maxInstances)
    return `${asked}, and its live release has exactly ${minInstances}: minInstances and maxInstances are equal. Change them in the configuration and deploy.`;
  return `${asked}, and its live release has ${minInstances} to ${maxInstances}. Choose a number in between, or change minInstances or maxInstances in the configuration and deploy.`;
}

/**
 * How many instances a service is to have: what a client asked for last, unless the platform changed it since. Pure.
 * @param takesBefore the number of takes before the platform was asked
 * @param observed what the platform said
 */
export function desiredOf({ count, taken, takes }: Scaling, takesBefore: number, observed: number): number {
  // Its answer may miss a number that it took meanwhile.
  return count ?? (takes === takesBefore ? observed : (taken ?? observed));
}
