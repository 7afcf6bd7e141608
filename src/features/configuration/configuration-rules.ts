/**
 * The rules of a configuration that a schema cannot say. They run on whatever was sent, beside the schema,
 * so they check parts of the right shape and leave the others to it. Objects are read by their own
 * members only and ids kept in Maps: `__proto__` and `constructor` are names like any other.
 */
import { isIP } from "node:net";
import { COMMON_FAULTS, escapePointer, type Fault } from "../../lib/errors.ts";
import { isObject, member } from "../../lib/json/is-object.ts";
import { CONFIGURATION_FAULTS } from "./errors.ts";
import { findCycles } from "./find-cycles.ts";
import { checkSettings, checkStore, type ConfiguredCloud, type Report } from "./setting-rules.ts";
import { VARIABLE_FAULTS } from "../variables/errors.ts";
import { ENVIRONMENTS_PER_PROJECT_MAX, SERVICES_PER_ENVIRONMENT_MAX } from "../projects/limits.ts";
import { readDomainName } from "../custom-domains/domain-name.ts";
import { findNameFault, findValueFault } from "../variables/body.ts";
import { findStoreProblem, isStoreSettings } from "../projects/existing-values.ts";
import { CONFIGURED_SERVICE_TYPES, propertiesOf, type ServiceType } from "../projects/project.ts";
import { isTypedSettings } from "../projects/service-settings.ts";

const { DUPLICATE, NOT_ALLOWED, WRONG_FORM } = COMMON_FAULTS;
const { SELF_REFERENCE, UNKNOWN_SERVICE } = VARIABLE_FAULTS;

/** The faults of an arbitrary value against the rules, in the order of the text. */
export function findRuleFaults(value: unknown, cloud: ConfiguredCloud | null): readonly Fault[] {
  const faults: Fault[] = [];
  const report: Report = (path, { code }, message) => void faults.push({ path, code, message });
  const environments = arrayOf(member(value, "environments")).map((raw, index) => ({
    path: `/environments/${index}`,
    raw,
    services: readServices(raw, index),
  }));
  // The schema refuses it; looking through it would only cost time.
  if (environments.length > ENVIRONMENTS_PER_PROJECT_MAX) return [];
  if (environments.some(({ services }) => services.length > SERVICES_PER_ENVIRONMENT_MAX)) return [];
  checkVariables(member(value, "envVariables"), "/envVariables", report, (reference) => {
    // A variable of all environments must mean something in each of them.
    for (const { services } of environments) checkReference(reference, services, null, cloud, report);
  });
  reportDuplicates(
    environments.map(({ raw, path }) => ({ id: member(raw, "id"), path })),
    "environment",
    report,
  );
  const domains = new Set<string>();
  for (const { raw, path, services } of environments) {
    const source = member(raw, "source");
    if (member(source, "pr") !== true) checkOrdinarySource(source, `${path}/source`, report);
    if (member(member(source, "previews"), "sleepAfterMinutes") !== undefined && cloud?.sleeps === false)
      report(
        `${path}/source/previews/sleepAfterMinutes`,
        NOT_ALLOWED,
        `is not possible in the cloud ${cloud.kind}; remove it, and previews run until they are deleted`,
      );
    checkPreviewDomain(source, path, domains, report);
    checkVariables(member(raw, "envVariables"), `${path}/envVariables`, report, (reference) =>
      checkReference(reference, services, null, cloud, report),
    );
    reportDuplicates(services, "service of the environment", report);
    for (const service of services) {
      checkService(service, services, cloud, report);
      checkStore(service.raw, service.path, cloud, member(source, "pr") === true, report);
    }
    reportCycles(services, report);
  }
  return dropRepeated(faults);
}

/** The source of an ordinary environment: its filter has only the files that a push must change. */
function checkOrdinarySource(source: unknown, path: string, report: Report): void {
  const filter = member(source, "filter");
  const ofFilter = isObject(filter) ? Object.keys(filter).filter((field) => field !== "watchPaths") : [];
  const fields = ofFilter.map((field) => `filter/${field}`);
  if (member(source, "previews") !== undefined) fields.push("previews");
  for (const field of fields)
    report(`${path}/${field}`, NOT_ALLOWED, "is for a template of previews; add pr: true, or remove it");
  if (filter !== undefined && member(source, "trigger") !== "push")
    report(
      `${path}/filter`,
      NOT_ALLOWED,
      'is for pushes and pull requests; add trigger: "push", or remove it',
    );
}

/** A label of a preview's name and its dot have at most 64 characters, and a name at most 253. */
const PREVIEW_DOMAIN_MAX = 189;

/** @param known those of the environments before */
function checkPreviewDomain(source: unknown, path: string, known: Set<string>, report: Report): void {
  const domain = member(member(source, "previews"), "domain");
  if (typeof domain !== "string") return;
  const at = `${path}/source/previews/domain`;
  if (domain.startsWith("*."))
    return report(at, WRONG_FORM, "must be a domain without the wildcard, such as preview.example.com");
  const read = readDomainName(domain);
  if ("fault" in read) return report(at, read.fault, read.fault.message);
  if (read.name !== domain)
    return report(at, WRONG_FORM, `must be in lower case, without a final dot: ${read.name}`);
  if (domain.length > PREVIEW_DOMAIN_MAX)
    return report(
      at,
      COMMON_FAULTS.TOO_LARGE,
      `must have at most ${PREVIEW_DOMAIN_MAX} characters, so that names of previews fit below it`,
    );
  if (known.has(domain)) report(at, DUPLICATE, "another template has this domain; each needs one of its own");
  known.add(domain);
}

type WrittenService = {
  readonly id: unknown;
  /** Null for an unknown type, which the schema reports. */
  readonly type: ServiceType | null;
  readonly raw: unknown;
  readonly path: string;
};

function readServices(environment: unknown, index: number): readonly WrittenService[] {
  return arrayOf(member(environment, "services")).map((raw, at) => {
    const type = member(raw, "type");
    return {
      id: member(raw, "id"),
      type: CONFIGURED_SERVICE_TYPES.find((known) => known === type) ?? null,
      raw,
      path: `/environments/${index}/services/${at}`,
    };
  });
}

function checkService(
  service: WrittenService,
  services: readonly WrittenService[],
  cloud: ConfiguredCloud | null,
  report: Report,
): void {
  const { raw, path } = service;
  checkSettings(raw, path, cloud, report);
  checkExisting(member(raw, "existing"), `${path}/existing`, report);
  arrayOf(member(raw, "dependsOn")).forEach((id, index) => {
    if (typeof id !== "string") return;
    const at = `${path}/dependsOn/${index}`;
    if (id === service.id) report(at, SELF_REFERENCE, "a service cannot depend on itself");
    else if (!services.some((other) => other.id === id)) report(at, UNKNOWN_SERVICE, unknownService(id));
  });
  checkVariables(member(raw, "envVariables"), `${path}/envVariables`, report, (reference) =>
    checkReference(reference, services, service, cloud, report),
  );
}

/** Where a data store is. */
function checkExisting(existing: unknown, path: string, report: Report): void {
  if (!isObject(existing)) return;
  for (const [field, value] of Object.entries(existing))
    for (const kind of ["fromParameterStore", "fromSecretsManager"] as const) {
      const fault = findValueFault(kind, member(value, kind));
      if (fault !== null) report(`${path}/${escapePointer(field)}/${kind}`, fault, fault.message);
    }
  const host = existing["host"];
  if (typeof host === "string" && isIP(host) === 0 && !/^[\w.-]+$/.test(host))
    report(
      `${path}/host`,
      WRONG_FORM,
      "must be a host name such as db.example.com, or an IP address; the port is a field of its own",
    );
  const bucket = existing["bucketName"];
  if (typeof bucket === "string" && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    report(`${path}/bucketName`, WRONG_FORM, "must be the name of an S3 bucket, such as acme-uploads");
}

type Reference = { readonly id: string; readonly property: unknown; readonly path: string };

function checkVariables(
  variables: unknown,
  path: string,
  report: Report,
  checkServiceReference: (reference: Reference) => void,
): void {
  if (!isObject(variables)) return;
  for (const [name, value] of Object.entries(variables)) {
    const at = `${path}/${escapePointer(name)}`;
    for (const fault of [findNameFault(name), findValueFault("plainText", value)]) {
      if (fault !== null) report(at, fault, fault.message);
    }
    for (const kind of ["fromParameterStore", "fromSecretsManager"] as const) {
      const fault = findValueFault(kind, member(value, kind));
      if (fault !== null) report(`${at}/${kind}`, fault, fault.message);
    }
    for (const field of ["value", "previewValue"]) {
      const fault = findValueFault("plainText", member(value, field));
      if (fault !== null) report(`${at}/${field}`, fault, fault.message);
    }
    const fromService = member(value, "fromService");
    const id = member(fromService, "id");
    if (typeof id !== "string") continue;
    checkServiceReference({ id, property: member(fromService, "value"), path: `${at}/fromService` });
  }
}

function checkReference(
  reference: Reference,
  services: readonly WrittenService[],
  from: WrittenService | null,
  cloud: ConfiguredCloud | null,
  report: Report,
): void {
  const target = services.find(({ id }) => id === reference.id);
  if (from !== null && from.id === reference.id) {
    report(
      `${reference.path}/id`,
      SELF_REFERENCE,
      "a variable of a service cannot refer to that service itself",
    );
  } else if (target === undefined) {
    report(`${reference.path}/id`, UNKNOWN_SERVICE, unknownService(reference.id));
  } else if (target.type !== null && typeof reference.property === "string") {
    const properties = propertiesOf(target.type);
    if (properties.includes(reference.property)) {
      const problem = findProblemOfStore(target, reference.property, cloud);
      if (problem !== null) report(`${reference.path}/value`, NOT_ALLOWED, problem);
      return;
    }
    report(
      `${reference.path}/value`,
      NOT_ALLOWED,
      properties.length === 0
        ? `a ${target.type} service has no property that can be linked to`
        : `a ${target.type} service has ${properties.join(", ")} only`,
    );
  }
}

/** Null if it is another service, or is not of the right shape, which the schema reports. */
function findProblemOfStore(
  { id, type, raw }: WrittenService,
  property: string,
  cloud: ConfiguredCloud | null,
): string | null {
  if (typeof id !== "string" || type === null) return null;
  const existing = member(raw, "existing");
  const store = { type, settings: { dependsOn: [], ...(existing === undefined ? {} : { existing }) } };
  if (!isTypedSettings(store) || !isStoreSettings(store)) return null;
  return findStoreProblem(id, store, property, cloud);
}

function unknownService(id: string): string {
  return `the environment has no service with the id ${JSON.stringify(id)}`;
}

function reportDuplicates(
  items: readonly { readonly id: unknown; readonly path: string }[],
  what: string,
  report: Report,
): void {
  const ids = new Set<string>();
  for (const { id, path } of items) {
    if (typeof id !== "string") continue;
    if (ids.has(id)) report(`${path}/id`, DUPLICATE, `another ${what} has this id`);
    ids.add(id);
  }
}

/** References by `fromService` are not dependencies: two services can know each other's address. */
function reportCycles(services: readonly WrittenService[], report: Report): void {
  const paths = new Map<string, string>();
  const dependencies = new Map<string, readonly string[]>();
  for (const { id, raw, path } of services) {
    if (typeof id !== "string" || paths.has(id)) continue;
    const dependsOn = arrayOf(member(raw, "dependsOn")).filter((other) => typeof other === "string");
    paths.set(id, path);
    dependencies.set(
      id,
      dependsOn.filter((other) => other !== id),
    );
  }
  for (const cycle of findCycles(dependencies)) {
    const [first = ""] = cycle;
    report(
      `${paths.get(first)}/dependsOn`,
      CONFIGURATION_FAULTS.CYCLE,
      `services depend on each other in a circle: ${[...cycle, first].join(" → ")}`,
    );
  }
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A variable of all environments is checked in each, and may fail alike in several. */
function dropRepeated(faults: readonly Fault[]): readonly Fault[] {
  const keys = new Set<string>();
  return faults.filter((fault) => {
    const key = JSON.stringify(fault);
    return keys.has(key) ? false : keys.add(key) !== undefined;
  });
}
