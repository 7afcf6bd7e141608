/** What a variable can take from another service, written as `api.url`. Pure. */
import type { Service, ServiceLink, ServiceProperty, ServiceType } from "../../../sdk/src/generated/types.ts";

const PROPERTIES: Readonly<Record<ServiceProperty, string>> = {
  url: "Address (https://…)",
  host: "Host name",
  port: "Port",
  dbConnectionString: "Connection string",
  connectionString: "Connection string",
  username: "User name",
  password: "Password",
  authToken: "Password",
  dbName: "Name of the database",
  bucketName: "Name of the bucket",
};

const OF_DATABASE = ["dbConnectionString", "username", "password", "dbName", "host", "port"] as const;

/** By type: `ServiceProperty` of the API. */
const PROPERTIES_OF: Readonly<Record<ServiceType, readonly ServiceProperty[]>> = {
  static: ["url", "host"],
  web: ["url", "host", "port"],
  "web-private": ["url", "host", "port"],
  worker: [],
  scheduler: [],
  external: ["url", "host"],
  previews: [],
  postgres: OF_DATABASE,
  mysql: OF_DATABASE,
  redis: ["connectionString", "host", "port", "authToken"],
  bucket: ["bucketName"],
};

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
    PROPERTIES_OF[service.type].map((property) => ({
      value: referenceOf({ id: service.id, value: property }),
      label: `${service.configId}.${property}`,
      detail: `${PROPERTIES[property]} of ${service.name}`,
    })),
  );
}
