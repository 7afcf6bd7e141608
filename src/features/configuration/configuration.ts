/**
 * Reads a project's configuration. The JSON Schema says what each field may be; `configuration-rules.ts`
 * what must hold between fields. All faults are found at once, each with the JSON Pointer of its place.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Fault } from "../../lib/errors.ts";
import { describeSchemaError } from "../../lib/schema-fault.ts";
import { findRuleFaults } from "./configuration-rules.ts";
import { CONFIGURATION_SCHEMA } from "./configuration-schema.ts";
import { type DeployTrigger, SERVICE_TYPES, type ServiceType } from "../projects/project.ts";

/** What a variable of a configuration is set to. Services are named by their config ids. */
export type ConfiguredValue =
  | { readonly kind: "plainText"; readonly value: string }
  | { readonly kind: "fromService"; readonly serviceConfigId: string; readonly property: string }
  | { readonly kind: "fromParameterStore"; readonly reference: string }
  | { readonly kind: "fromSecretsManager"; readonly reference: string };

/** A list and not an object, so that a variable named `__proto__` is one like any other. */
export type ConfiguredVariables = readonly { readonly name: string; readonly value: ConfiguredValue }[];

export type ConfiguredService = {
  readonly id: string;
  readonly name: string;
  readonly type: ServiceType;
  /** The fields of the type, defaults filled in, and `dependsOn`. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly variables: ConfiguredVariables;
};

export type ConfiguredEnvironment = {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly branch: string;
  readonly trigger: DeployTrigger;
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

/** Its first use compiles the schema, which takes a while: make one and keep it. */
export function createConfigurationParser(): ParseConfiguration {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= new Ajv({ allErrors: true, strict: false, discriminator: true }).compile(
      CONFIGURATION_SCHEMA,
    );
    const faults = validate(value) ? [] : toFaults(validate.errors ?? []);
    // Rules look at whatever has the right shape, so that they report beside the schema.
    faults.push(...findRuleFaults(value));
    if (faults.length > 0) throw new ConfigurationError(faults.slice(0, FAULTS_MAX));
    return readConfiguration(value as RawConfiguration);
  };
}

type RawValue =
  | string
  | { readonly fromService: { readonly id: string; readonly value: string } }
  | { readonly fromParameterStore: string }
  | { readonly fromSecretsManager: string };
type RawVariables = { readonly [name: string]: RawValue };
type RawService = {
  readonly id: string;
  readonly name?: string;
  readonly type: ServiceType;
  readonly envVariables?: RawVariables;
} & { readonly [field: string]: unknown };
type RawEnvironment = {
  readonly id: string;
  readonly name?: string;
  readonly region: string;
  readonly source: { readonly branch: string; readonly trigger?: DeployTrigger };
  readonly envVariables?: RawVariables;
  readonly services: readonly RawService[];
};
type RawConfiguration = {
  readonly envVariables?: RawVariables;
  readonly environments: readonly RawEnvironment[];
};

function readConfiguration(raw: RawConfiguration): Configuration {
  return {
    variables: readVariables(raw.envVariables),
    environments: raw.environments.map(({ id, name, region, source, envVariables, services }) => ({
      id,
      name: name ?? id,
      region,
      branch: source.branch,
      trigger: source.trigger ?? "manual",
      variables: readVariables(envVariables),
      services: services.map(readService),
    })),
  };
}

function readService({ id, name, type, envVariables, ...settings }: RawService): ConfiguredService {
  return {
    id,
    name: name ?? id,
    type,
    settings: { ...defaultsOf(type, settings), ...settings },
    variables: readVariables(envVariables),
  };
}

function defaultsOf(type: ServiceType, settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const dependsOn: readonly string[] = [];
  const minInstances = settings["minInstances"] ?? 1;
  const size = { cpu: 0.25, memoryGb: 0.5, minInstances, maxInstances: minInstances };
  switch (type) {
    case "static":
    case "external":
      return { dependsOn };
    case "web":
      return { dependsOn, ...size, healthCheckPath: "/" };
    case "worker":
      return { dependsOn, ...size };
  }
}

function readVariables(raw: RawVariables = {}): ConfiguredVariables {
  return Object.entries(raw).map(([name, value]) => ({ name, value: readValue(value) }));
}

function readValue(raw: RawValue): ConfiguredValue {
  if (typeof raw === "string") return { kind: "plainText", value: raw };
  if ("fromService" in raw) {
    return { kind: "fromService", serviceConfigId: raw.fromService.id, property: raw.fromService.value };
  }
  if ("fromParameterStore" in raw) return { kind: "fromParameterStore", reference: raw.fromParameterStore };
  return { kind: "fromSecretsManager", reference: raw.fromSecretsManager };
}

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
  switch (keyword) {
    case "additionalProperties":
      return {
        ...describeSchemaError(error),
        message: "is not a field of the configuration; remove it or correct its name",
      };
    case "discriminator":
      return {
        path: `${path}/type`,
        code: "NOT_ALLOWED",
        message: `must be one of ${SERVICE_TYPES.join(", ")}`,
      };
    case "anyOf":
      return {
        path,
        code: "WRONG_FORM",
        message:
          "must be text, or an object with exactly one of fromService {id, value: url, host or port}, fromParameterStore, fromSecretsManager",
      };
    case "uniqueItems":
      return { path, code: "DUPLICATE", message: "must not name a service twice" };
    default:
      return describeSchemaError(error);
  }
}
