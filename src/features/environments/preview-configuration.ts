/**
 * What a commit's configuration says of an environment. A preview is configured by the part of its template, with what
 * the commit must not decide taken from the rows: whether it exists, its region, and its secrets. Pure.
 */
import {
  type Configuration,
  type ConfiguredEnvironment,
  type ConfiguredService,
  type ConfiguredVariables,
  listStoreReferences,
} from "../configuration/configuration.ts";
import {
  createdStoreOf,
  type DataStore,
  isStoreSettings,
  withoutValues,
  withSettingsOf,
} from "../projects/existing-values.ts";
import type { Environment, PreviewRules, Service } from "../projects/project.ts";

export type Configured = {
  readonly configuration: Configuration;
  readonly configured: ConfiguredEnvironment;
  /** Where it is among the environments of the configuration. */
  readonly index: number;
};

/**
 * @param template of a preview; null for another environment, and for a preview whose template was deleted
 * @param present the services of the environment; their data stores, which have data, stay as they were created
 * @returns null if the commit has no such environment
 */
export function configuredOf(
  configuration: Configuration,
  environment: Environment,
  template: Environment | null,
  present: readonly Service[] = [],
): Configured | null {
  // A commit must not configure it under the preview's own name.
  if (template === null && environment.templateId !== null) return null;
  const configId = template?.configId ?? environment.configId;
  const index = configuration.environments.findIndex(({ id }) => id === configId);
  const written = configuration.environments[index];
  if (written === undefined) return null;
  if (template === null) return { configuration, configured: written, index };
  // A commit that makes an ordinary environment of it still says which services there are.
  const { services, variables } = written.template ?? written;
  const limit = (list: ConfiguredVariables) => forPreview(list, environment, template.template);
  const { configId: id, name, region, branch, deployTrigger: trigger, report } = environment;
  return {
    configuration: { ...configuration, variables: limit(configuration.variables) },
    configured: {
      id,
      name,
      region,
      branch,
      trigger,
      report,
      watchPaths: [],
      template: null,
      variables: limit(variables),
      services: services.map((service) => ({
        ...limitStore(service, environment, template.template, present),
        variables: limit(service.variables),
      })),
    },
    index,
  };
}

/**
 * A data store with a secret that the base branch does not refer to has no values; all of them do for a fork. What
 * Slipway creates is as the base branch has it.
 */
function limitStore(
  service: ConfiguredService,
  { isFork }: Environment,
  rules: PreviewRules | null,
  present: readonly Service[],
): ConfiguredService {
  if (!isStoreSettings(service)) return service;
  if (createdStoreOf(service) !== null) {
    const kept = present.find((one) => one.configId === service.id && createdStoreOf(one) !== null);
    if (kept !== undefined) return withSettingsOf(service, kept) ?? service;
    const own = withSettingsOf(
      service,
      rules?.stores?.find(({ id }) => id === service.id),
    );
    return own === null ? withoutValues(service) : ofPreview(own, isFork);
  }
  const known = isFork || rules === null ? [] : rules.references;
  const isKnown = listStoreReferences(service).every((one) =>
    known.some(({ name, reference }) => name === one.name && reference === one.reference),
  );
  return isKnown ? service : withoutValues(service);
}

/** Its data ends with the preview. A fork's begins empty, because its commits may be anyone's. */
function ofPreview<T extends DataStore>(store: T, isFork: boolean): T {
  const { snapshot, ...rest } = { snapshot: undefined, ...store.settings };
  const data = snapshot === undefined || isFork ? {} : { snapshot };
  return { ...store, settings: { ...rest, ...data, deletionProtection: false } };
}

/** Values for previews, and only secrets that the base branch refers to; none for the commits of another repository. */
function forPreview(
  variables: ConfiguredVariables,
  { isFork }: Environment,
  rules: PreviewRules | null,
): ConfiguredVariables {
  const known = isFork || rules === null ? [] : rules.references;
  return variables
    .map(({ name, value, previewValue }) =>
      previewValue === undefined
        ? { name, value }
        : { name, value: { kind: "plainText" as const, value: previewValue } },
    )
    .filter(
      ({ name, value }) =>
        !("reference" in value) ||
        known.some((one) => one.name === name && one.reference === value.reference),
    );
}
