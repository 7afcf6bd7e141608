import { isDeepStrictEqual } from "node:util";
import { changedFields } from "../../lib/changed-fields.ts";
import { escapePointer, type Fault } from "../../lib/errors.ts";
import { CONFIGURATION_FAULTS } from "./errors.ts";
import type { ConfiguredEnvironment } from "./configuration.ts";
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
 */
export function decideEnvironmentPlan(
  environment: Environment,
  services: readonly Service[],
  configured: ConfiguredEnvironment,
  index: number,
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
    const fault = findFault(service, type, fields);
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
  return { plan, faults };
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
