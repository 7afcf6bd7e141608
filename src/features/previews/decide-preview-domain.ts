/**
 * Brings the domain of a template's previews to what the base branch says. A service of its own, the gateway, has the
 * domain: its default distribution is shared by all previews, and its group has the certificate for `*.domain`.
 */
import type { DomainStatus } from "../custom-domains/custom-domain.ts";
import type { Service } from "../projects/project.ts";

export type DomainFacts = {
  /** Null: previews have distributions of their own, or the template was deleted. */
  readonly domain: string | null;
  readonly gateway: Service | null;
  /** Of the gateway. */
  readonly group: {
    readonly id: string;
    readonly isDeleting: boolean;
    readonly domains: readonly {
      readonly id: string;
      readonly name: string;
      readonly status: DomainStatus;
      readonly isDesired: boolean;
    }[];
  } | null;
  /** The HTTP services of the previews. */
  readonly services: readonly PreviewService[];
};

export type PreviewService = {
  readonly service: Service;
  /** The host of its own distribution; `"pending"` until the provider has created it, null if there is none. */
  readonly ownHost: string | null;
};

export type DomainStep =
  | { readonly kind: "none" }
  /** Another reconciler works on it. `isShort`: it does not wait for a person. */
  | { readonly kind: "wait"; readonly isShort: boolean }
  | { readonly kind: "createGateway" }
  | { readonly kind: "createGroup"; readonly serviceId: string; readonly name: string }
  | { readonly kind: "addDomain"; readonly groupId: string; readonly name: string }
  /** The domain is served: gives these services names below it, instead of what they have. */
  | { readonly kind: "moveIn"; readonly services: readonly Service[]; readonly domain: string }
  | { readonly kind: "deleteDomain"; readonly groupId: string; readonly domainId: string }
  /** These services need distributions of their own before the domain goes. */
  | { readonly kind: "distribute"; readonly services: readonly Service[] }
  /** Their distributions exist: gives these services the names of those. */
  | { readonly kind: "moveOut"; readonly services: readonly Service[] }
  | { readonly kind: "deleteGroup"; readonly groupId: string }
  | { readonly kind: "removeGateway"; readonly gateway: Service };

/** The host of a distribution that the provider has not created yet. */
export const PENDING_HOST = "pending";

/** In which a person has to act. */
const LONG_STATUSES: readonly DomainStatus[] = [
  "AWAITING_VERIFICATION_RECORDS_TO_BE_SET",
  "ERROR_ATTACHING",
  "ERROR_DETACHING",
];

/** Pure. */
export function decidePreviewDomain({ domain, gateway, group, services }: DomainFacts): DomainStep {
  if (group?.isDeleting === true) return { kind: "wait", isShort: true };
  if (domain === null) return decideRemoval(gateway, group, services);
  if (gateway === null) return { kind: "createGateway" };
  const name = `*.${domain}`;
  if (group === null) return { kind: "createGroup", serviceId: gateway.id, name };
  const present = group.domains.find((one) => one.name === name);
  if (present === undefined) return { kind: "addDomain", groupId: group.id, name };
  if (!present.isDesired) return { kind: "wait", isShort: true };
  if (present.status !== "ATTACHED")
    return { kind: "wait", isShort: !LONG_STATUSES.some((status) => status === present.status) };
  const elsewhere = services.filter(({ service }) => !isBelow(service, domain)).map(({ service }) => service);
  if (elsewhere.length > 0) return { kind: "moveIn", services: elsewhere, domain };
  const former = group.domains.find((one) => one.isDesired && one.name !== name);
  if (former !== undefined) return { kind: "deleteDomain", groupId: group.id, domainId: former.id };
  return group.domains.length > 1 ? { kind: "wait", isShort: true } : { kind: "none" };
}

function decideRemoval(
  gateway: Service | null,
  group: DomainFacts["group"],
  services: DomainFacts["services"],
): DomainStep {
  const routed = services.filter(({ service }) => service.previewHost !== null);
  const without = routed.filter(({ ownHost }) => ownHost === null);
  if (without.length > 0) return { kind: "distribute", services: without.map(({ service }) => service) };
  if (routed.some(({ ownHost }) => ownHost === PENDING_HOST)) return { kind: "wait", isShort: true };
  if (routed.length > 0) return { kind: "moveOut", services: routed.map(({ service }) => service) };
  if (gateway === null) return { kind: "none" };
  return group === null ? { kind: "removeGateway", gateway } : { kind: "deleteGroup", groupId: group.id };
}

function isBelow({ previewHost }: Service, domain: string): boolean {
  return previewHost !== null && previewHost.slice(previewHost.indexOf(".") + 1) === domain;
}
