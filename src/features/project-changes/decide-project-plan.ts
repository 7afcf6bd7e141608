/**
 * What applying a configuration would do to a whole project, and why it may be refused. Pure. The configuration's ids
 * identify services and environments; names identify variables, whose values are never shown.
 */
import { type Fault, faultAt } from "../../lib/errors.ts";
import { PROJECT_CHANGE_FAULTS } from "./errors.ts";
import { decideConfiguredChanges } from "../variables/decide-plan.ts";
import type { EnvVariable, PlainVariable } from "../variables/env-variable.ts";
import type { PresentEnvironment } from "../environments/apply-configuration.ts";
import type {
  Configuration,
  ConfiguredEnvironment,
  ConfiguredService,
  ConfiguredVariables,
} from "../configuration/configuration.ts";
import { describeLink } from "../environments/remove-services.ts";
import { toStoredVariables } from "../environments/configured-variables.ts";
import { decideEnvironmentPlan, listProtectedFaults } from "../configuration/decide-environment-plan.ts";
import type { FailedStores } from "../data-stores/data-stores.ts";
import { createdStoreOf, snapshotIdOf } from "../projects/existing-values.ts";
import { isStore, type Service } from "../projects/project.ts";

export const PLANNED_CHANGES = ["CREATED", "CHANGED", "REMOVED", "UNCHANGED"] as const;
export type PlannedChange = (typeof PLANNED_CHANGES)[number];

export type PlannedVariable = {
  readonly name: string;
  readonly change: Exclude<PlannedChange, "UNCHANGED">;
};

export type PlannedService = {
  readonly configId: string;
  /** Null for a service that is created. */
  readonly id: string | null;
  readonly change: PlannedChange;
  /** Its changed fields. */
  readonly fields: readonly string[];
  readonly variables: readonly PlannedVariable[];
  /** Sentences about what it does to data stores. */
  readonly notes: readonly string[];
};

export type PlannedEnvironment = PlannedService & { readonly services: readonly PlannedService[] };

export type PresentProject = {
  readonly environments: readonly PresentEnvironment[];
  /** The variables in effect, of all environments and services. */
  readonly variables: readonly EnvVariable[];
  /** The names of their domains, by ids of services that have domain certificate groups. */
  readonly domains: ReadonlyMap<string, readonly string[]>;
  /** By the ids of services. */
  readonly failedStores: FailedStores;
};

export type ProjectPlan = {
  readonly environments: readonly PlannedEnvironment[];
  /** With JSON Pointers from the configuration's root. */
  readonly faults: readonly Fault[];
};

/** @param branch the only branch whose environments the configuration is for; null for all of them */
export function decideProjectPlan(
  present: PresentProject,
  configuration: Configuration,
  branch: string | null,
): ProjectPlan {
  const faults: Fault[] = [];
  const planned: PlannedEnvironment[] = [];
  const byConfigId = new Map(present.environments.map((one) => [one.environment.configId, one]));
  const named = new Set(configuration.environments.map(({ id }) => id));
  const gone = present.environments.filter(
    ({ environment }) =>
      !named.has(environment.configId) && (branch === null || environment.branch === branch),
  );
  const context = { present, configuration, faults };
  for (const [index, configured] of configuration.environments.entries()) {
    if (branch !== null && configured.branch !== branch) continue;
    const known = byConfigId.get(configured.id);
    planned.push(
      known === undefined
        ? createdEnvironment(configured)
        : changedEnvironment(context, known, configured, index),
    );
  }
  for (const one of gone) {
    planned.push(removedEnvironment(one));
    faults.push(...listProtectedFaults(one.services, "/environments"));
    faults.push(
      ...findAttached(present, one.services, "/environments", `the environment ${one.environment.configId}`),
    );
  }
  return { environments: planned, faults };
}

type Context = {
  readonly present: PresentProject;
  readonly configuration: Configuration;
  readonly faults: Fault[];
};

function changedEnvironment(
  { present, configuration, faults }: Context,
  { environment, services }: PresentEnvironment,
  configured: ConfiguredEnvironment,
  index: number,
): PlannedEnvironment {
  const { plan, faults: found } = decideEnvironmentPlan(
    environment,
    services,
    configured,
    index,
    present.failedStores,
  );
  faults.push(...found);
  const gone = services.filter(({ configId }) => plan.removed.includes(configId));
  const at = `/environments/${index}/services`;
  faults.push(...findAttached(present, gone, at, null), ...findLinked(present, services, gone, at));

  const configIds = new Map(services.map(({ id, configId }) => [id, configId]));
  const changes = (scopeId: string, lists: readonly ConfiguredVariables[]): readonly PlannedVariable[] =>
    findVariableChanges(
      present.variables.filter((variable) => variable.scopeId === scopeId),
      toStoredVariables(new Map(configured.services.map(({ id }) => [id, id])), ...lists),
      configIds,
    );
  const plannedServices = configured.services.map((written): PlannedService => {
    const { id: configId, variables } = written;
    const service = services.find((one) => one.configId === configId);
    if (service === undefined) return createdService(written);
    const fields = plan.changed.find((one) => one.service === configId)?.fields ?? [];
    const notes = isStore(service.type) && fields.includes("existing") ? [MOVED_STORE] : [];
    return withChange({
      configId,
      id: service.id,
      fields,
      variables: changes(service.id, [variables]),
      notes,
    });
  });
  const own = withChange({
    configId: environment.configId,
    id: environment.id,
    fields: plan.environment,
    variables: changes(environment.id, [configuration.variables, configured.variables]),
    notes: notesOfTemplate(configured),
  });
  const all = [...plannedServices, ...gone.map(removedService)];
  const isChanged = all.some(({ change }) => change !== "UNCHANGED");
  return { ...own, change: isChanged ? "CHANGED" : own.change, services: all };
}

function createdEnvironment(configured: ConfiguredEnvironment): PlannedEnvironment {
  return {
    ...created(configured.id, configured.variables, notesOfTemplate(configured)),
    services: configured.services.map(createdService),
  };
}

const ADOPTED_STORE = "The existing data store is used as it is. Slipway never changes or deletes it.";
const MOVED_STORE =
  "Services get the values of another data store, or other values, with their next deployment. No data is moved or changed.";
const FORGOTTEN_STORE = "The existing data store stays as it is, with its data. Slipway forgets where it is.";

const CREATED_STORE =
  "Slipway creates the data store. Services that refer to it are released when it is available.";
const DELETED_STORE =
  "DELETES DATA: the data store is deleted with its data. A last snapshot is taken first, and stays in the cloud account.";

function createdService(service: ConfiguredService): PlannedService {
  const { id, type, variables } = service;
  const note = createdStoreOf(service) === null ? ADOPTED_STORE : CREATED_STORE;
  const snapshotId = snapshotIdOf(service);
  const from = snapshotId === null ? [] : [`Its data comes from the snapshot ${snapshotId}.`];
  return created(id, variables, isStore(type) ? [note, ...from] : []);
}

/** What its previews share, and what each of them gets. */
function notesOfTemplate({ template }: ConfiguredEnvironment): readonly string[] {
  const stores = (template?.services ?? []).filter(({ type }) => isStore(type));
  const shared = stores.filter((store) => createdStoreOf(store) === null).map(({ id }) => id);
  const own = stores.filter((store) => createdStoreOf(store) !== null);
  const ofOwn = own.map((store) => {
    const snapshotId = snapshotIdOf(store);
    const data = snapshotId === null ? "" : `, with the data of the snapshot ${snapshotId}`;
    return `Slipway creates a data store ${store.id} for each preview${data}. It is deleted with the preview, without a last snapshot.`;
  });
  if (shared.length === 0) return ofOwn;
  const [stored, their] = shared.length === 1 ? ["store", "its"] : ["stores", "their"];
  return [
    `All previews use the same data ${stored} ${shared.join(", ")}, and share ${their} data.`,
    ...ofOwn,
  ];
}

function created(configId: string, variables: ConfiguredVariables, notes: readonly string[]): PlannedService {
  return {
    configId,
    id: null,
    change: "CREATED",
    fields: [],
    variables: variables.map(({ name }) => ({ name, change: "CREATED" })),
    notes,
  };
}

function removedEnvironment({ environment, services }: PresentEnvironment): PlannedEnvironment {
  return { ...removed(environment, []), services: services.map(removedService) };
}

function removedService(service: Service): PlannedService {
  const note = createdStoreOf(service) === null ? FORGOTTEN_STORE : DELETED_STORE;
  return removed(service, isStore(service.type) ? [note] : []);
}

function removed(
  { configId, id }: Pick<Service, "configId" | "id">,
  notes: readonly string[],
): PlannedService {
  return { configId, id, change: "REMOVED", fields: [], variables: [], notes };
}

function withChange(planned: Omit<PlannedService, "change">): PlannedService {
  const isSame = planned.fields.length === 0 && planned.variables.length === 0;
  return { ...planned, change: isSame ? "UNCHANGED" : "CHANGED" };
}

/** @param what is removed, if not the services themselves */
function findAttached(
  { domains }: PresentProject,
  going: readonly Service[],
  path: string,
  what: string | null,
): readonly Fault[] {
  return going.flatMap(({ id, configId }): readonly Fault[] => {
    const names = domains.get(id);
    if (names === undefined) return [];
    const kept = what === null ? `the service ${configId}, which` : `${what}, whose service ${configId}`;
    const attached = names.join(", ") || "an empty one";
    const message = `must keep ${kept} has domain certificate groups (${attached}); delete those first`;
    return [faultAt(path, PROJECT_CHANGE_FAULTS.HAS_DOMAINS, message)];
  });
}

/** @param services those of the environment */
function findLinked(
  { variables }: PresentProject,
  services: readonly Service[],
  gone: readonly Service[],
  path: string,
): readonly Fault[] {
  const links = variables.filter(
    ({ source, scopeId }) => source === "api" && !gone.some(({ id }) => id === scopeId),
  );
  return gone.flatMap(({ id, configId }): readonly Fault[] => {
    const linked = links.filter(({ linkedServiceId }) => linkedServiceId === id);
    if (linked.length === 0) return [];
    const names = linked.map(({ name, scopeId }) => {
      const serviceConfigId = services.find((one) => one.id === scopeId)?.configId ?? null;
      return describeLink({ name, serviceConfigId });
    });
    const message = `must keep the service ${configId}, which variables link to (${names.join(", ")}); delete or change those first`;
    return [faultAt(path, PROJECT_CHANGE_FAULTS.IS_LINKED, message)];
  });
}

/**
 * @param after with services named by their ids in the configuration
 * @param configIds of the existing services, by id
 */
function findVariableChanges(
  before: readonly EnvVariable[],
  after: readonly PlainVariable[],
  configIds: ReadonlyMap<string, string>,
): readonly PlannedVariable[] {
  const configured = before
    .filter(({ source }) => source === "config")
    .map(({ linkedServiceId: id, ...one }) => ({
      ...one,
      linkedServiceId: id === null ? null : (configIds.get(id) ?? id),
    }));
  const changes = decideConfiguredChanges(configured, after).map(({ name, change }) => ({ name, change }));
  return changes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
