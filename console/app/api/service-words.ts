import type { Service, ServiceType } from "../../../sdk/src/generated/types.ts";

const TYPES: Readonly<Record<ServiceType, string>> = {
  static: "Static site",
  web: "Web service",
  "web-private": "Private web service",
  worker: "Worker",
  scheduler: "Scheduler",
  external: "External service",
  previews: "Names of previews",
  postgres: "PostgreSQL database",
  mysql: "MySQL database",
  redis: "Redis cache",
  bucket: "Bucket",
};

/** Whether it is a data store: nothing is built, released or served. */
export function isStore(type: ServiceType): boolean {
  return type === "postgres" || type === "mysql" || type === "redis" || type === "bucket";
}

/** What kind of service it is, in words. */
export function formatServiceType(type: ServiceType): string {
  return TYPES[type];
}

/** Whether visitors reach it, so that it may have domains. */
export function isPublic({ type }: Pick<Service, "type">): boolean {
  return type !== "worker" && type !== "scheduler" && type !== "web-private" && !isStore(type);
}

/** Whether it answers requests over HTTP, of visitors or of other services. */
export function answersRequests({ type }: Pick<Service, "type">): boolean {
  return isPublic({ type }) || type === "web-private";
}

/** Whether its processes run in the account, so that they can be restarted. */
export function hasProcess({ type }: Pick<Service, "type">): boolean {
  return type === "web" || type === "web-private" || type === "worker";
}

/** Whether commands run in its release: typed by hand, or as jobs. */
export function runsCommands(service: Pick<Service, "type">): boolean {
  return hasProcess(service) || service.type === "scheduler";
}

/** The fields of a service in the configuration, in the order in which they are shown. */
const SETTINGS: readonly (readonly [field: string, words: string, unit?: string])[] = [
  ["hostname", "Runs at"],
  ["image", "Image"],
  ["dockerfilePath", "Dockerfile"],
  ["dockerContext", "Files that the Dockerfile sees"],
  ["installCommand", "Before the build"],
  ["buildCommand", "Build command"],
  ["outputDirectory", "Folder with the files"],
  ["singlePageApp", "Single-page app"],
  ["preDeployCommand", "Before a release"],
  ["postDeployCommand", "After a release"],
  ["startCommand", "Start command"],
  ["port", "Port"],
  ["healthCheckPath", "Healthy while this path answers"],
  ["healthCheckIntervalSeconds", "Between two health checks", "s"],
  ["healthCheckTimeoutSeconds", "Answer to a health check within", "s"],
  ["healthCheckGracePeriodSeconds", "Healthy within, after a start", "s"],
  ["logRetentionDays", "Logs are kept for", "days"],
  ["cpu", "Virtual CPUs of an instance"],
  ["memoryGb", "Memory of an instance", "GiB"],
];

/** The values of an existing data store. */
const STORE_VALUES: readonly (readonly [field: string, words: string])[] = [
  ["host", "Host"],
  ["port", "Port"],
  ["tls", "TLS"],
  ["dbName", "Database"],
  ["username", "User"],
  ["password", "Password"],
  ["authToken", "Password"],
  ["dbConnectionString", "Connection string"],
  ["connectionString", "Connection string"],
  ["bucketName", "Bucket"],
];

function formatValue(value: unknown): string | null {
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value !== "object" || value === null) return null;
  if ("fromSecretsManager" in value) return `Secrets Manager: ${String(value.fromSecretsManager)}`;
  if ("fromParameterStore" in value) return `Parameter Store: ${String(value.fromParameterStore)}`;
  return null;
}

/** Of a data store that Slipway creates. */
const CREATED_STORE: readonly (readonly [field: string, words: string, unit?: string])[] = [
  ["version", "Version"],
  ["size", "Size"],
  ["storageGb", "Storage", "GiB"],
  ["backupRetentionDays", "Daily backups are kept for", "days"],
  ["snapshot", "Created from the snapshot"],
];

/**
 * Where an existing data store is, or how Slipway creates it, in words. Secrets are references, whose values Slipway
 * never reads. Pure.
 */
export function formatStore({
  settings,
  dataStore,
}: Pick<Service, "settings" | "dataStore">): readonly (readonly [string, string])[] {
  const { existing } = settings;
  if (dataStore !== null) {
    const shown = { ...settings, version: dataStore.version ?? settings["version"] };
    const isProtected = settings["deletionProtection"] !== false;
    return [...formatFields(shown, CREATED_STORE), ["Protected from deletion", isProtected ? "Yes" : "No"]];
  }
  if (typeof existing !== "object" || existing === null) return [];
  return STORE_VALUES.flatMap(([field, words]) => {
    const value = formatValue(Reflect.get(existing, field));
    return value === null ? [] : [[words, value] as const];
  });
}

const THRESHOLDS: readonly (readonly [field: string, words: (value: number) => string])[] = [
  ["cpuThreshold", (value) => `${value} % CPU`],
  ["memoryThreshold", (value) => `${value} % memory`],
  ["requestsPerTarget", (value) => `${value} requests a minute, per instance`],
];

function formatFields(
  settings: Service["settings"],
  fields: readonly (readonly [field: string, words: string, unit?: string])[],
): (readonly [string, string])[] {
  return fields.flatMap(([field, words, unit]) => {
    const value = settings[field];
    if (value === true) return [[words, "Yes"] as const];
    // The words of a command, as they are written.
    if (Array.isArray(value)) return [[words, JSON.stringify(value)] as const];
    if (typeof value !== "string" && typeof value !== "number") return [];
    return [[words, unit === undefined ? String(value) : `${value} ${unit}`] as const];
  });
}

/** How a service is configured, in words: pairs of name and value. Pure. */
export function formatSettings({
  settings,
  dataStore,
}: Pick<Service, "settings" | "dataStore">): readonly (readonly [string, string])[] {
  const told = [...formatFields(settings, SETTINGS), ...formatStore({ settings, dataStore })];
  const { autoscaling } = settings;
  if (typeof autoscaling === "object" && autoscaling !== null)
    for (const [field, words] of THRESHOLDS) {
      const value: unknown = Reflect.get(autoscaling, field);
      if (typeof value === "number") told.push(["Instances are added above", words(value)]);
    }
  const { minInstances, maxInstances = minInstances, dependsOn } = settings;
  if (typeof minInstances === "number" && typeof maxInstances === "number") {
    const words = minInstances === maxInstances ? `${minInstances}` : `${minInstances} to ${maxInstances}`;
    told.push(["Instances", words]);
  }
  if (Array.isArray(dependsOn) && dependsOn.length > 0) told.push(["Released after", dependsOn.join(", ")]);
  return told;
}
