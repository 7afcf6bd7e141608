import { type Service, SERVICE_PROPERTIES } from "../../projects/project.ts";

/** Where a service answers: the host of its default distribution, and the live release's address in the environment. */
export type Addresses = { readonly host: string | null; readonly liveUrl: string | null };

/**
 * The present value of a link; null if it has none yet. A service with a live release is reached at the release's
 * address, any other service at its default distribution.
 */
export function resolveLink(service: Service, property: string, addresses: Addresses): string | null {
  if (!SERVICE_PROPERTIES[service.type].includes(property)) return null;
  const { host, liveUrl } = addresses;
  const live = liveUrl === null ? null : new URL(liveUrl);
  switch (property) {
    case "url":
      return liveUrl ?? (host === null ? null : `https://${host}`);
    case "host":
      return live?.hostname ?? host;
    case "port":
      if (live !== null && live.port !== "") return live.port;
      return service.type === "web" ? String(service.settings.port) : null;
    default:
      return null;
  }
}
