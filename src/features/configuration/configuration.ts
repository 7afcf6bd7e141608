/**
 * Reads a project's configuration. The JSON Schema says what each field may be; `configuration-rules.ts`
 * what must hold between fields. All faults are found at once, each with the JSON Pointer of its place.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { COMMON_FAULTS, type Fault } from "../../lib/errors.ts";
import { describeSchemaError } from "../../lib/json/schema-fault.ts";
import { findRuleFaults } from "./configuration-rules.ts";
import type { ConfiguredCloud } from "./setting-rules.ts";
import {
  CONFIGURATION_SCHEMA,
  type RawConfiguration,
  type RawService,
  type RawValue,
  type RawVariables,
} from "./configuration-schema.ts";
import { createdStoreOf, isStoreSettings, referencesOf } from "../projects/existing-values.ts";
import {
  type DeployTrigger,
  type PreviewRules,
  type Report,
  CONFIGURED_SERVICE_TYPES,
} from "../projects/project.ts";
import { COMMAND_LENGTH_MAX, COMMAND_WORDS_MAX, type TypedSettings } from "../projects/service-settings.ts";

/** What a variable of a configuration is set to. Services are named by their config ids. */
export type ConfiguredValue =
  | { readonly kind: "plainText"; readonly value: string }
  | { readonly kind: "fromService"; readonly serviceConfigId: string; readonly property: string }
  | { readonly kind: "fromParameterStore"; readonly reference: string }
  | { readonly kind: "fromSecretsManager"; readonly reference: string };

/** A list and not an object, so that `__proto__` is a name like any other. */
export type ConfiguredVariables = readonly {
  readonly name: string;
  readonly value: ConfiguredValue;
  /** What previews get instead; undefined: the value. */
  readonly previewValue?: string | undefined;
}[];

/** Its settings have their defaults filled in. */
export type ConfiguredService = TypedSettings & {
  readonly id: string;
  readonly name: string;
  readonly variables: ConfiguredVariables;
};

export type ConfiguredEnvironment = {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly branch: string;
  readonly trigger: DeployTrigger;
  readonly report: Report;
  /** A push deploys a service only if it changes one of these files; empty: any. */
  readonly watchPaths: readonly string[];
  readonly variables: ConfiguredVariables;
  readonly services: readonly ConfiguredService[];
  /** With `source.pr`: what previews are made from. The environment itself has no services and variables then. */
  readonly template: ConfiguredTemplate | null;
};

export type ConfiguredTemplate = {
  readonly rules: PreviewRules;
  readonly variables: ConfiguredVariables;
  readonly services: readonly ConfiguredService[];
};

export type Configuration = {
  /** For every environment; an environment's own variable of the name wins. */
  readonly variables: ConfiguredVariables;
  readonly environments: readonly ConfiguredEnvironment[];
};

/** The configuration is not valid. `faults` has every reason, with JSON Pointers from its root. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly faults: readonly Fault[];
  constructor(faults: readonly Fault[]) {
    super(`The configuration has ${faults.length} ${faults.length === 1 ? "fault" : "faults"}.`);
    this.faults = faults;
  }
}

/** Pure. @throws ConfigurationError */
export type ParseConfiguration = (value: unknown) => Configuration;

/** More would bury the first ones; who fixes these sees the rest the next time. */
const FAULTS_MAX = 100;

/**
 * Its first use compiles the schema, which takes a while: make one and keep it.
 * @param cloud which refuses what it cannot do; null: a configuration of any cloud
 */
export function createConfigurationParser(cloud: ConfiguredCloud | null): ParseConfiguration {
  let validate: ValidateFunction<RawConfiguration> | undefined;
  return (value) => {
    validate ??= new Ajv({
      allErrors: true,
      strict: false,
      discriminator: true,
      validateSchema: false,
    }).compile(CONFIGURATION_SCHEMA);
    const isValid = validate(value);
    const faults = isValid ? [] : toFaults(validate.errors ?? []);
    // Rules check all parts of the right shape, so that they report beside the schema.
    faults.push(...findRuleFaults(value, cloud));
    if (!isValid || faults.length > 0) throw new ConfigurationError(faults.slice(0, FAULTS_MAX));
    return readConfiguration(value);
  };
}

function readConfiguration(raw: RawConfiguration): Configuration {
  const common = readVariables(raw.envVariables);
  return {
    variables: common,
    environments: raw.environments.map(({ id, name, region, source, envVariables, services }) => {
      const parts = { variables: readVariables(envVariables), services: services.map(readService) };
      const { branch, trigger = "manual", report = "comment", pr = false } = source;
      const of = { id, name: name ?? id, region, branch, report, watchPaths: [] };
      const watchPaths = source.filter?.watchPaths ?? [];
      if (!pr) return { ...of, ...parts, watchPaths, trigger, template: null };
      const rules = readRules(
        source,
        [common, parts.variables, ...parts.services.map((one) => one.variables)],
        parts.services,
      );
      return { ...of, trigger: "manual", variables: [], services: [], template: { rules, ...parts } };
    }),
  };
}

type RawSource = RawConfiguration["environments"][number]["source"];

function readRules(
  { branch, filter = {}, previews = {} }: RawSource,
  variables: readonly ConfiguredVariables[],
  services: readonly ConfiguredService[],
): PreviewRules {
  const { labels = [], toBranches = [branch], fromBranches = [], watchPaths = [] } = filter;
  const { max = 10, lifetimeDays = 14, sleepAfterMinutes = null } = previews;
  const { access = "protected", domain = null } = previews;
  // A commit must not get a secret by the removal of its value for previews.
  const references = variables
    .flat()
    .flatMap(({ name, value, previewValue }) =>
      "reference" in value && previewValue === undefined ? { name, reference: value.reference } : [],
    );
  const filters = { labels, toBranches, fromBranches, watchPaths };
  const known = [...references, ...services.flatMap(listStoreReferences)];
  const rules = { ...filters, max, lifetimeDays, sleepAfterMinutes, access, domain, references: known };
  const stores = services
    .filter((service) => createdStoreOf(service) !== null)
    .map(({ name: _name, variables: _variables, ...store }) => store);
  return stores.length === 0 ? rules : { ...rules, stores };
}

/** The references of a data store, named so that no variable has the name: `db.password`. */
export function listStoreReferences(service: ConfiguredService): PreviewRules["references"] {
  if (!isStoreSettings(service)) return [];
  return [...referencesOf(service)].map(([field, { reference }]) => ({
    name: `${service.id}.${field}`,
    reference,
  }));
}

function readService(raw: RawService): ConfiguredService {
  const { id, name = id } = raw;
  return { id, name, variables: readVariables(raw.envVariables), ...readSettings(raw) };
}

function readSettings(raw: RawService): TypedSettings {
  const dependsOn: readonly string[] = [];
  switch (raw.type) {
    case "static":
      return { type: raw.type, settings: { dependsOn, ...settingsOf(raw) } };
    case "web":
    case "web-private":
      return {
        type: raw.type,
        settings: { dependsOn, healthCheckPath: "/", ...sizeOf(raw), ...settingsOf(raw) },
      };
    case "worker":
      return { type: raw.type, settings: { dependsOn, ...sizeOf(raw), ...settingsOf(raw) } };
    case "scheduler":
      return { type: raw.type, settings: { dependsOn, cpu: 0.25, memoryGb: 0.5, ...settingsOf(raw) } };
    case "external":
      return { type: raw.type, settings: { dependsOn, ...settingsOf(raw) } };
    case "postgres":
      return { type: raw.type, settings: { dependsOn, ...settingsOf(raw) } };
    case "mysql":
      return { type: raw.type, settings: { dependsOn, ...settingsOf(raw) } };
    case "redis":
      return { type: raw.type, settings: { dependsOn, ...settingsOf(raw) } };
    case "bucket":
      return { type: raw.type, settings: { dependsOn, ...settingsOf(raw) } };
  }
}

/** The fields of a service, without the fields that all services have. */
function settingsOf<T extends RawService>(raw: T) {
  const { id: _id, name: _name, type: _type, envVariables: _variables, ...settings } = raw;
  return settings;
}

function sizeOf({ minInstances = 1 }: { readonly minInstances?: number }) {
  return { cpu: 0.25, memoryGb: 0.5, minInstances, maxInstances: minInstances };
}

function readVariables(raw: RawVariables = {}): ConfiguredVariables {
  return Object.entries(raw).map(([name, value]) => ({
    name,
    value: readValue(value),
    ...(typeof value === "object" && "previewValue" in value ? { previewValue: value.previewValue } : {}),
  }));
}

function readValue(raw: RawValue): ConfiguredValue {
  if (typeof raw === "string") return { kind: "plainText", value: raw };
  if ("value" in raw) return { kind: "plainText", value: raw.value };
  if ("fromService" in raw) {
    return { kind: "fromService", serviceConfigId: raw.fromService.id, property: raw.fromService.value };
  }
  if ("fromParameterStore" in raw) return { kind: "fromParameterStore", reference: raw.fromParameterStore };
  return { kind: "fromSecretsManager", reference: raw.fromSecretsManager };
}

/** Values of data stores that are only given as references. */
const SECRETS: ReadonlySet<string> = new Set([
  "password",
  "authToken",
  "dbConnectionString",
  "connectionString",
]);

/** Where a value may take one of several forms, what each form lacks is noise; one sentence is kept. */
function toFaults(errors: readonly ErrorObject[]): Fault[] {
  const choices = errors.filter(({ keyword }) => keyword === "anyOf").map(({ instancePath }) => instancePath);
  const isNoise = ({ keyword, instancePath, params }: ErrorObject): boolean =>
    (keyword !== "anyOf" && choices.some((at) => instancePath === at || instancePath.startsWith(`${at}/`))) ||
    // `required` says the same.
    (keyword === "discriminator" && params["tagValue"] === undefined);
  return errors.filter((error) => !isNoise(error)).map(toFault);
}

function toFault(error: ErrorObject): Fault {
  const { keyword, instancePath: path } = error;
  const described = describeSchemaError(error);
  switch (keyword) {
    case "additionalProperties":
      return {
        ...described,
        message: "is not a field of the configuration; remove it or correct its name",
      };
    case "discriminator": {
      const message = `must be one of ${CONFIGURED_SERVICE_TYPES.join(", ")}`;
      return { path: `${path}/type`, code: COMMON_FAULTS.NOT_ALLOWED.code, message };
    }
    case "anyOf": {
      return { path, code: COMMON_FAULTS.WRONG_FORM.code, message: formOf(path) };
    }
    case "uniqueItems":
      return { ...described, message: "must not name a service twice" };
    default:
      return described;
  }
}

/** What a value has to be that may take one of several forms. */
function formOf(path: string): string {
  if (/\/services\/\d+\/\w+Command$/.test(path))
    return `must be a line of 1 to ${COMMAND_LENGTH_MAX} characters, or a list of 1 to ${COMMAND_WORDS_MAX} texts: a program and its arguments`;
  const value = /\/existing\/(\w+)$/.exec(path)?.[1];
  if (value === undefined)
    return "must be text, or an object with exactly one of fromService {id, value: url, host, port or another property}, fromParameterStore, fromSecretsManager, or with value and previewValue";
  if (SECRETS.has(value))
    return "must be an object with fromParameterStore or fromSecretsManager; a secret itself is never part of a configuration";
  const form = value === "port" ? "a number from 1 to 65535" : "a line of 1 to 255 characters";
  return `must be ${form}, or an object with fromParameterStore or fromSecretsManager`;
}
