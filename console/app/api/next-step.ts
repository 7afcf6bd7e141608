/** The step after the first deployment of a project: a domain of the organization. Pure. */
import type { EnvironmentRow, Service } from "../../../sdk/src/generated/types.ts";

/**
 * The service for the first domain; null if nothing is live, if there is a domain, or if no service can have one.
 * `urls` of an environment are its domains, otherwise the hosts of its distributions.
 */
export function serviceWithoutDomain(
  environments: readonly Pick<EnvironmentRow, "id" | "state" | "urls">[],
  services: readonly Pick<Service, "id" | "name" | "type" | "environmentId" | "cdnDomainName">[],
): Pick<Service, "id" | "name"> | null {
  const hosts = new Set(services.map(({ cdnDomainName }) => cdnDomainName));
  const hasDomain = environments.some(({ urls }) => urls.some((url) => !hosts.has(new URL(url).hostname)));
  if (hasDomain) return null;
  const live = new Set(environments.filter(({ state }) => state !== "NOT_LIVE").map(({ id }) => id));
  const served = services.filter(
    ({ environmentId, cdnDomainName }) => live.has(environmentId) && cdnDomainName !== null,
  );
  return served.find(({ type }) => type === "static" || type === "web") ?? null;
}
