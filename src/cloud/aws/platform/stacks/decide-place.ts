/**
 * Which place a service has at the load balancer of its network: its port, and the priority of its rule. Places are
 * kept in a document of the account (`balancers/places.ts`), so that two services never have the same one, and a service keeps
 * its address. Pure.
 */

/**
 * A load balancer has at most 50 listeners: CloudFront's, and one for each service. AWS raises this limit on request,
 * but not that of 100 target groups
 * (https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html).
 */
export const MAX_PLACES = 49;
/** The port of the services at place 1 is the next one. */
const FIRST_PORT = 10_000;

/** Where services of the same network reach the service at a place of the load balancer, 1 to `MAX_PLACES`. */
export function portOf(place: number): number {
  if (!Number.isInteger(place) || place < 1 || place > MAX_PLACES)
    throw new RangeError(`The load balancer has no place ${place}.`);
  return FIRST_PORT + place;
}

/** The services at the places 1 to `MAX_PLACES`; null at a free place. */
export type Places = readonly (string | null)[];

export type PlaceDecision =
  | { readonly kind: "has"; readonly place: number }
  | { readonly kind: "take"; readonly place: number }
  /** All places are taken, perhaps by services that no longer exist. */
  | { readonly kind: "full" };

export function decidePlace(places: Places, serviceId: string): PlaceDecision {
  const present = places.indexOf(serviceId);
  if (present !== -1) return { kind: "has", place: present + 1 };
  const free = places.indexOf(null);
  const place = (free === -1 ? places.length : free) + 1;
  return place > MAX_PLACES ? { kind: "full" } : { kind: "take", place };
}

/** The places after a service took one. */
export function withPlace(places: Places, place: number, serviceId: string | null): Places {
  const length = Math.max(places.length, place);
  return Array.from({ length }, (_, index) => (index + 1 === place ? serviceId : (places[index] ?? null)));
}
