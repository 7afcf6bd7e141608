import { SERVICE_PROPERTIES } from "../projects/configuration-rules.ts";
import type { Service } from "../projects/project.ts";

/** A linked value as it is now; null while it is not known. `host` is that of the service's default distribution. */
export function resolveLink(service: Service, property: string, host: string | null): string | null {
  if (!SERVICE_PROPERTIES[service.type].includes(property)) return null;
  switch (property) {
    case "url":
      return host === null ? null : `https://${host}`;
    case "host":
      return host;
    case "port": {
      const port = service.settings["port"];
      return typeof port === "number" ? String(port) : null;
    }
    default:
      return null;
  }
}
