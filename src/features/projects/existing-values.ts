/** Data stores: the values of existing ones, for the services that refer to them, and what Slipway creates. Pure. */
import type { StoreSettings, StoreType } from "../../cloud/data-stores.ts";
import type { RuntimeValue, ValueReference } from "../../cloud/platform.ts";
import { pick } from "../../lib/pick.ts";
import { isStore } from "./project.ts";
import type { TypedSettings } from "./service-settings.ts";

export type DataStore = Extract<TypedSettings, { readonly type: StoreType }>;

/** Whether the settings are those of a data store. */
export function isStoreSettings<T extends TypedSettings>(service: T): service is T & DataStore {
  return isStore(service.type);
}

type Written =
  | string
  | number
  | { readonly fromParameterStore: string }
  | { readonly fromSecretsManager: string };

/** The scheme and the usual port of each type that has them. */
const ENDPOINTS = {
  postgres: { scheme: "postgresql", port: 5432 },
  mysql: { scheme: "mysql", port: 3306 },
  redis: { scheme: "redis", port: 6379 },
} as const;

/** The value of a property; if the store does not have what it takes, the fields that are missing. */
export function readStoreValue(
  store: DataStore,
  property: string,
): { readonly value: RuntimeValue } | { readonly missing: readonly string[] } {
  const written = fieldsOf(store).get(property);
  if (written !== undefined) return { value: toValue(written) };
  if (store.type === "bucket") return { missing: [property] };
  const { existing = {} } = store.settings;
  if (property === "port" && existing.host !== undefined)
    return { value: toValue(ENDPOINTS[store.type].port) };
  if (property === "dbConnectionString" || property === "connectionString") return connectionStringOf(store);
  return { missing: [property] };
}

/** The references of a store, by the field that has each. */
export function referencesOf(store: DataStore): ReadonlyMap<string, ValueReference> {
  return new Map(
    [...fieldsOf(store)].flatMap(([field, written]) => {
      const value = toValue(written);
      return "reference" in value ? [[field, value] as const] : [];
    }),
  );
}

function fieldsOf({ settings }: DataStore): ReadonlyMap<string, Written> {
  return new Map(
    Object.entries(settings.existing ?? {}).filter(
      (entry): entry is [string, Written] => entry[1] !== undefined && typeof entry[1] !== "boolean",
    ),
  );
}

function toValue(written: Written): Exclude<RuntimeValue, { readonly kind: "joined" }> {
  if (typeof written !== "object") return { kind: "plainText", value: String(written) };
  return "fromParameterStore" in written
    ? { kind: "fromParameterStore", reference: written.fromParameterStore }
    : { kind: "fromSecretsManager", reference: written.fromSecretsManager };
}

function connectionStringOf(store: Exclude<DataStore, { readonly type: "bucket" }>) {
  const { scheme, port: usualPort } = ENDPOINTS[store.type];
  const fields = fieldsOf(store);
  const needed = store.type === "redis" ? ["host"] : ["host", "dbName", "username"];
  const missing = needed.filter((field) => !fields.has(field));
  if (missing.length > 0) return { missing };
  const part = (field: string) => toPart(fields.get(field) ?? "");
  const secret = store.type === "redis" ? "authToken" : "password";
  const isTls = store.type === "redis" && store.settings.existing?.tls === true;
  return {
    value: join([
      `${scheme}${isTls ? "s" : ""}://`,
      part("username"),
      ...(fields.has(secret) ? [":", part(secret)] : []),
      ...(fields.has("username") || fields.has(secret) ? ["@"] : []),
      toHost(fields.get("host") ?? ""),
      ":",
      toPart(fields.get("port") ?? usualPort),
      ...(store.type === "redis" ? [] : ["/", part("dbName")]),
    ]),
  };
}

function toPart(written: Written): string | ValueReference {
  const value = toValue(written);
  return "reference" in value ? value : encodeURIComponent(value.value);
}

/** An IPv6 address is in brackets. */
function toHost(written: Written): string | ValueReference {
  const value = toValue(written);
  if ("reference" in value) return value;
  return value.value.includes(":") ? `[${value.value}]` : value.value;
}

function join(parts: readonly (string | ValueReference)[]): RuntimeValue {
  const merged: (string | ValueReference)[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (typeof part === "string" && typeof last === "string") merged[merged.length - 1] = last + part;
    else merged.push(part);
  }
  const [only] = merged;
  if (merged.length === 1 && typeof only === "string") return { kind: "plainText", value: only };
  return { kind: "joined", parts: merged };
}

/**
 * Why a variable cannot have a property of a store, which its type has: the end of a sentence. Null if it can.
 * @param id of the store in the configuration
 */
export function findStoreProblem(
  id: string,
  store: DataStore,
  property: string,
  cloud: { readonly kind: string; readonly joinsValues: boolean } | null,
): string | null {
  const created = createdStoreOf(store);
  if (created !== null) return null;
  const read = readStoreValue(store, property);
  if ("missing" in read) {
    const fields = read.missing.map((field) => `existing.${field}`).join(", ");
    return `needs ${fields} of the data store ${id}; add ${read.missing.length === 1 ? "it" : "them"}`;
  }
  if (read.value.kind !== "joined" || cloud?.joinsValues !== false) return null;
  return `cannot be put together from references in the cloud ${cloud.kind}; store the whole connection string in Secrets Manager or Parameter Store, and refer to it with existing.${property} of the data store ${id}`;
}

/** The store without its values. Pure. */
export function withoutValues<T extends DataStore>(store: T): T {
  return { ...store, settings: { ...store.settings, existing: {} } };
}

/** The store with the settings of another one; null if that has another type. Pure. */
export function withSettingsOf<T extends DataStore>(store: T, other: TypedSettings | undefined): T | null {
  return other?.type === store.type ? { ...store, settings: other.settings } : null;
}

/** What Slipway creates; null for an existing data store, which it never changes. Pure. */
export function createdStoreOf(service: TypedSettings): StoreSettings | null {
  if (!isStoreSettings(service) || service.settings.existing !== undefined) return null;
  const { type, settings } = service;
  const { deletionProtection = true } = settings;
  switch (type) {
    case "bucket":
      return { type, deletionProtection };
    case "redis":
      return { type, deletionProtection, ...pick(settings, ["version", "size"]) };
    case "postgres":
    case "mysql":
      return {
        type,
        deletionProtection,
        ...pick(settings, ["version", "size", "storageGb", "backupRetentionDays"]),
      };
  }
}

/** The snapshot that the data of what Slipway creates comes from; null for an empty data store. Pure. */
export function snapshotIdOf(service: TypedSettings): string | null {
  if (createdStoreOf(service) === null || !("snapshot" in service.settings)) return null;
  return service.settings.snapshot ?? null;
}

/** Of some services that would be removed, the data stores that must not be deleted. Pure. */
export function findProtectedStores<T extends TypedSettings>(services: readonly T[]): readonly T[] {
  return services.filter((service) => createdStoreOf(service)?.deletionProtection === true);
}

/** What to do before the removal of such a data store: the end of a sentence. */
export const REMOVE_PROTECTION =
  "DELETES DATA, and its deletionProtection forbids that. To delete it nevertheless, apply deletionProtection: false to it first, and remove it after that";
