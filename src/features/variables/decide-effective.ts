import { type CreatedStore, isUsable } from "../data-stores/data-stores.ts";
import {
  type EffectiveVariable,
  type EnvVariable,
  type Deletion,
  PLAIN_KINDS,
  type VariableKind,
  type VariableTime,
} from "./env-variable.ts";
import { createdStoreOf, isStoreSettings, readStoreValue } from "../projects/existing-values.ts";
import { type PendingRedeploy, type Service, type ServiceType, propertiesOf } from "../projects/project.ts";

/** Whether a preview gets a variable of its template. The cloud gives it no other managed value either. Pure. */
export function isInherited(
  { kind, inPreviews }: Pick<EnvVariable, "kind" | "inPreviews">,
  isFork: boolean,
): boolean {
  if (isFork) return kind === "plainText";
  return inPreviews === true || PLAIN_KINDS.some((one) => one === kind);
}

/** Whether the preview of a fork may have a variable of its own: none that leads to a secret. Pure. */
export function isForForks(kind: VariableKind): boolean {
  return kind === "plainText" || kind === "fromService";
}

/**
 * What a service gets at runtime, ordered by name. Its own variables take precedence over its environment's
 * (specification, "Environment and service variables"), and those of a preview over its template's; within a scope,
 * variables set with the API over those of the configuration.
 * @param scopeIds the environments, then the service
 */
export function decideEffective<T extends Pick<EnvVariable, "name" | "scopeId" | "source">>(
  variables: readonly T[],
  scopeIds: readonly string[],
): readonly (T & { readonly from: "environment" | "service" })[] {
  const rank = ({ scopeId, source }: T): number => scopeIds.indexOf(scopeId) * 2 + (source === "api" ? 1 : 0);
  const winners = new Map<string, T>();
  for (const variable of variables) {
    const other = winners.get(variable.name);
    if (other === undefined || rank(other) < rank(variable)) winners.set(variable.name, variable);
  }
  return [...winners.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((variable) => ({
      ...variable,
      from: variable.scopeId === scopeIds.at(-1) ? "service" : "environment",
    }));
}

/**
 * The variables that changed since a release of a service was given its own; null if there are none. Pure.
 * @param times of the variables of the service and its environment @param deletions of both
 */
export function decidePendingRedeploy(
  { serviceId, since }: { readonly serviceId: string; readonly since: Date },
  times: readonly VariableTime[],
  deletions: readonly Deletion[],
): PendingRedeploy | null {
  const effective = new Map(decideEffective(times, [serviceId]).map((one) => [one.name, one]));
  const changed = [...effective.values()]
    .filter(({ updatedAt }) => updatedAt > since)
    .map(({ name, from, updatedAt }) => ({ name, from, changedAt: updatedAt, isDeleted: false }));
  const known = new Set(changed.map(({ name }) => name));
  for (const { scopeId, name, at, firstSetAt } of deletions) {
    const from = scopeId === serviceId ? ("service" as const) : ("environment" as const);
    // The release never had it, or it was hidden by the service's own.
    if (at <= since || firstSetAt === null || firstSetAt > since || known.has(name)) continue;
    const now = effective.get(name);
    if (from === "environment" && now?.from === "service") continue;
    known.add(name);
    changed.push({ name, from, changedAt: at, isDeleted: now === undefined });
  }
  if (changed.length === 0) return null;
  return { since, variables: changed.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** Where a service answers: the host of its default distribution, and the live release's address in the environment. */
export type Addresses = {
  /** The type of the service that gets the value: visitors' browsers read what is in a static site. */
  readonly reader: ServiceType;
  readonly host: string | null;
  readonly liveUrl: string | null;
  /** Of a data store that Slipway creates. */
  readonly store: Pick<CreatedStore, "status" | "values"> | null;
};

/**
 * The present value of a link; null if it has none yet. A service with a live release is reached at the release's
 * address, any other service at its default distribution. A static site always gets the distribution's, if there is
 * one: browsers reach no address of the environment.
 */
export function resolveLink(
  service: Service,
  property: string,
  addresses: Addresses,
): EffectiveVariable["linkedValue"] {
  if (!propertiesOf(service.type).includes(property)) return null;
  if (createdStoreOf(service) !== null) {
    const { store } = addresses;
    return store !== null && isUsable(store) ? (store.values[property] ?? null) : null;
  }
  if (isStoreSettings(service)) {
    const read = readStoreValue(service, property);
    return "value" in read ? read.value : { kind: "withheld" };
  }
  const value = addressOf(service, property, addresses);
  return value === null ? null : { kind: "plainText", value };
}

function addressOf(service: Service, property: string, addresses: Addresses): string | null {
  const { host, reader } = addresses;
  const isPublic = reader === "static" && service.type !== "web-private";
  const publicUrl = host === null ? null : `https://${host}`;
  const url = isPublic ? publicUrl : (addresses.liveUrl ?? publicUrl);
  const live = isPublic || addresses.liveUrl === null ? null : new URL(addresses.liveUrl);
  switch (property) {
    case "url":
      return url;
    case "host":
      return live?.hostname ?? host;
    case "port":
      if (live !== null && live.port !== "") return live.port;
      return service.type === "web" || service.type === "web-private" ? String(service.settings.port) : null;
    default:
      return null;
  }
}
