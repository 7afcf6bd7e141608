/** What a variable can take from another service, written as `api.url`. Pure. */
import type { Service, ServiceLink, ServiceProperty } from "../../../sdk/src/generated/types.ts";

const PROPERTIES: Readonly<Record<ServiceProperty, string>> = {
  url: "Address (https://…)",
  host: "Host name",
  port: "Port",
};

/** Nothing reaches a worker, and only web services have a port: `ServiceProperty` of the API. */
function propertiesOf({ type }: Pick<Service, "type">): readonly ServiceProperty[] {
  if (type === "worker" || type === "previews") return [];
  return type === "web" || type === "web-private" ? ["url", "host", "port"] : ["url", "host"];
}

/** The value of a choice: the id of the service, and its property. */
export function referenceOf(link: ServiceLink | null): string {
  return link === null ? "" : `${link.id}.${link.value}`;
}

/** The link that a choice stands for. */
export function linkOf(reference: string): ServiceLink {
  const dot = reference.lastIndexOf(".");
  return { id: reference.slice(0, dot), value: reference.slice(dot + 1) };
}

/** Every property of each service, as choices that are found by the service's id in the configuration. */
export function referenceChoices(
  services: readonly Pick<Service, "id" | "configId" | "name" | "type">[],
): readonly { readonly value: string; readonly label: string; readonly detail: string }[] {
  return services.flatMap((service) =>
    propertiesOf(service).map((property) => ({
      value: referenceOf({ id: service.id, value: property }),
      label: `${service.configId}.${property}`,
      detail: `${PROPERTIES[property]} of ${service.name}`,
    })),
  );
}
