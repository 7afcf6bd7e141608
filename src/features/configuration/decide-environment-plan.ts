import { isDeepStrictEqual } from "node:util";
import { changedFields } from "../../lib/changed-fields.ts";
import { escapePointer, type Fault } from "../../lib/errors.ts";
import { member } from "../../lib/json/is-object.ts";
import {
  createdStoreOf,
  findProtectedStores,
  isStoreSettings,
  REMOVE_PROTECTION,
} from "../projects/existing-values.ts";
import { CONFIGURATION_FAULTS } from "./errors.ts";
import type { ConfiguredEnvironment } from "./configuration.ts";
import type { FailedStores } from "../data-stores/data-stores.ts";
import type { Environment, Service } from "../projects/project.ts";

/** What applying a configuration does to an environment; services by their config ids. */
export type EnvironmentPlan = {
  /** Fields of the environment itself that change. */
  readonly environment: readonly string[];
  readonly created: readonly string[];
  readonly changed: readonly { readonly service: string; readonly fields: readonly string[] }[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
};

/**
 * Compares an environment with what a configuration says of it. Pure. What cannot be changed in place is a
 * fault, with its JSON Pointer in the configuration, whose environments are counted by `index`.
 * @param failedStores by the ids of services
 */
export function decideEnvironmentPlan(
  environment: Environment,
  services: readonly Service[],
  configured: ConfiguredEnvironment,
  index: number,
  failedStores: FailedStores,
): { readonly plan: EnvironmentPlan; readonly faults: readonly Fault[] } {
  const at = `/environments/${index}`;
  const faults: Fault[] = [];
  if (configured.region !== environment.region) {
    const message = `is ${environment.region} and cannot change, because what runs there would stay behind; give the environment another id`;
    faults.push({ path: `${at}/region`, code: CONFIGURATION_FAULTS.CANNOT_CHANGE.code, message });
  }
  const known = new Map(services.map((service) => [service.configId, service]));
  const created: string[] = [];
  const changed: EnvironmentPlan["changed"][number][] = [];
  const unchanged: string[] = [];
  for (const [position, { id, name, type, settings }] of configured.services.entries()) {
    const service = known.get(id);
    known.delete(id);
    if (service === undefined) {
      created.push(id);
      continue;
    }
    const fields = [...(service.name === name ? [] : ["name"]), ...changedFields(service.settings, settings)];
    const fault = findFault(service, type, fields) ?? findStoreFault(service, settings, fields, failedStores);
    if (fault !== null) {
      const path = `${at}/services/${position}/${escapePointer(fault.field)}`;
      faults.push({ path, code: CONFIGURATION_FAULTS.CANNOT_CHANGE.code, message: fault.message });
    } else if (fields.length > 0) changed.push({ service: id, fields });
    else unchanged.push(id);
  }
  const plan = {
    environment: [
      ...(environment.name === configured.name ? [] : ["name"]),
      ...(environment.branch === configured.branch ? [] : ["branch"]),
      ...(environment.deployTrigger === configured.trigger ? [] : ["trigger"]),
      ...(environment.report === configured.report ? [] : ["report"]),
      ...(isDeepStrictEqual(environment.template, configured.template?.rules ?? null) ? [] : ["previews"]),
    ],
    created,
    changed,
    removed: [...known.keys()],
    unchanged,
  };
  const removed = services.filter(({ configId }) => known.has(configId));
  faults.push(...listProtectedFaults(removed, `${at}/services`));
  return { plan, faults };
}

/** For services that would be removed. Pure. @param path of what no longer has them */
export function listProtectedFaults(removed: readonly Service[], path: string): readonly Fault[] {
  return findProtectedStores(removed).map(({ configId }) => {
    const message = `must keep the data store ${configId}: its removal ${REMOVE_PROTECTION}`;
    return { path, code: CONFIGURATION_FAULTS.DATA_STORE_PROTECTED.code, message };
  });
}

/**
 * Changes of a data store that Slipway created which would replace it, or give up its data. If it could not be created,
 * there is none. Storage that could not grow is still smaller.
 */
function findStoreFault(
  service: Service,
  settings: object,
  fields: readonly string[],
  failedStores: FailedStores,
): { readonly field: string; readonly message: string } | null {
  if (!isStoreSettings(service)) return null;
  const by =
    "create a new data store under another id, move the data, and remove this one when nothing uses it";
  const isCreated = createdStoreOf(service) !== null;
  if (fields.includes("existing") && isCreated !== (member(settings, "existing") === undefined)) {
    const message = isCreated
      ? `REPLACES DATA: Slipway created this data store, and would forget it; ${by}`
      : `REPLACES DATA: the data store exists already, and a new one would be empty; ${by}`;
    return { field: "existing", message };
  }
  if (!isCreated || failedStores.get(service.id) === "creation") return null;
  if (fields.includes("snapshot") && member(settings, "snapshot") !== undefined) {
    const message =
      "REPLACES DATA: a data store gets data of a snapshot only when it is created; create a new data store under another id, and keep this field as it was or remove it";
    return { field: "snapshot", message };
  }
  const version = member(settings, "version");
  if (fields.includes("version") && version !== undefined) {
    const before = member(service.settings, "version");
    const present = typeof before === "string" ? before : "what the platform chose";
    return { field: "version", message: `REPLACES DATA: it is ${present} and cannot change; ${by}` };
  }
  const before = member(service.settings, "storageGb");
  const after = member(settings, "storageGb");
  const isGrown = failedStores.get(service.id) !== "change";
  if (isGrown && typeof before === "number" && typeof after === "number" && after < before)
    return { field: "storageGb", message: `REPLACES DATA: it is ${before} and cannot become less; ${by}` };
  return null;
}

function findFault(
  service: Service,
  type: string,
  fields: readonly string[],
): { readonly field: string; readonly message: string } | null {
  if (service.type !== type) {
    const message = `is ${service.type} and cannot change; give the service another id`;
    return { field: "type", message };
  }
  // The distribution gets the host name only when it is created.
  if (service.type === "external" && fields.includes("hostname")) {
    const message = `is ${service.settings.hostname} and cannot change; give the service another id`;
    return { field: "hostname", message };
  }
  return null;
}
