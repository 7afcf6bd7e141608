/** From the text of a `flightcontrol.json` to its environments and services. Pure. */
import { COMMON_FAULTS, AppError, type DeclaredFault, type Fault, faultAt } from "../../lib/errors.ts";
import { findJsonFault } from "../../lib/json-fault.ts";
import { isObject } from "../../lib/json/is-object.ts";
import { parseJsonBody } from "../../lib/json/json-body.ts";
import { ONE_LINE } from "../../lib/shown-text.ts";
import { CONFIGURATION_FAULTS } from "../configuration/errors.ts";
import { findCycles } from "../configuration/find-cycles.ts";
import {
  ENVIRONMENTS_PER_PROJECT_MAX,
  SERVICES_PER_ENVIRONMENT_MAX,
  VARIABLES_PER_SCOPE_MAX,
} from "../projects/limits.ts";
import { IMPORT_ERRORS } from "./errors.ts";

export type Raw = Readonly<Record<string, unknown>>;

export type WrittenService = {
  readonly raw: Raw;
  readonly path: string;
  readonly id: string;
  readonly type: string;
};

export type WrittenEnvironment = {
  readonly raw: Raw;
  readonly path: string;
  readonly id: string;
  readonly region: string;
  readonly source: Raw;
  readonly services: readonly WrittenService[];
};

export type WrittenFile = { readonly raw: Raw; readonly environments: readonly WrittenEnvironment[] };

/** Policies and options of log routers are nested more deeply than bodies of the API. */
const DEPTH_MAX = 24;
const REGION = /^[a-z]{2,4}(-[a-z]{2,12}){1,2}-[1-9]$/;
const FAULTS_MAX = 100;
/** Of ids, types, regions and branches. */
const TEXT_LENGTH_MAX = 255;
const LINE = new RegExp(ONE_LINE, "u");

const { REQUIRED, WRONG_TYPE, WRONG_FORM, DUPLICATE, TOO_LARGE } = COMMON_FAULTS;

type Report = (path: string, fault: DeclaredFault, message: string) => void;

/** @throws AppError `IMPORT_FILE_INVALID` with all faults */
export function readFlightcontrolFile(text: string): WrittenFile {
  const raw = parse(text.replace(/^\uFEFF/, ""));
  const faults: Fault[] = [];
  const report: Report = (path, fault, message) => void faults.push(faultAt(path, fault, message));
  const file = readFile(raw, report);
  if (file !== null && faults.length === 0) return file;
  throw new AppError(
    IMPORT_ERRORS.IMPORT_FILE_INVALID,
    `The file is not a configuration of Flightcontrol: it has ${faults.length === 1 ? "one fault" : `${faults.length} faults`}.`,
    { faults: faults.slice(0, FAULTS_MAX) },
  );
}

function parse(text: string): unknown {
  if (text.trim() === "") throw invalid("The file is empty.");
  try {
    return parseJsonBody(Buffer.from(text), DEPTH_MAX);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const fault = findJsonFault(text);
    if (fault === null)
      throw invalid(
        `The file is not usable JSON: it has a duplicate key, is nested deeper than ${DEPTH_MAX} levels, or contains a NUL character or an unpaired surrogate.`,
      );
    const found = fault.found === "" ? "the end of the file" : JSON.stringify(fault.found);
    throw invalid(
      `The file is not JSON: ${found} is unexpected at line ${fault.line}, column ${fault.column}. JSON has no comments, and no comma before } or ].`,
    );
  }
}

function invalid(message: string): AppError {
  return new AppError(IMPORT_ERRORS.IMPORT_FILE_INVALID, message);
}

function readFile(raw: unknown, report: Report): WrittenFile | null {
  if (!isObject(raw)) {
    report("", WRONG_TYPE, "must be an object with environments, as in a flightcontrol.json");
    return null;
  }
  checkSize(raw, "", report);
  const environments = readList(raw, "environments", "", ENVIRONMENTS_PER_PROJECT_MAX, report).flatMap(
    (one, index) => readEnvironment(one, `/environments/${index}`, report) ?? [],
  );
  if (Array.isArray(raw["environments"]) && raw["environments"].length === 0)
    report("/environments", REQUIRED, "must have an environment");
  checkIds(environments, "environment", report);
  return { raw, environments };
}

function readEnvironment(raw: unknown, path: string, report: Report): WrittenEnvironment | null {
  if (!isObject(raw)) {
    report(path, WRONG_TYPE, "must be an object");
    return null;
  }
  checkSize(raw, path, report);
  const id = readText(raw, "id", path, report);
  const region = readText(raw, "region", path, report);
  if (region !== "" && !REGION.test(region))
    report(`${path}/region`, WRONG_FORM, "must be an AWS region, such as us-west-2");
  const { source } = raw;
  if (!isObject(source))
    report(`${path}/source`, source === undefined ? REQUIRED : WRONG_TYPE, "must be an object");
  else if (source["pr"] !== true) {
    const branch = readText(source, "branch", `${path}/source`, report);
    if (!LINE.test(branch)) report(`${path}/source/branch`, WRONG_FORM, "must be in one line");
  }
  const services = readList(raw, "services", path, SERVICES_PER_ENVIRONMENT_MAX, report).flatMap(
    (one, index) => readService(one, `${path}/services/${index}`, report) ?? [],
  );
  checkIds(services, "service of the environment", report);
  reportCycles(services, report);
  return { raw, path, id, region, source: isObject(source) ? source : {}, services };
}

function readService(raw: unknown, path: string, report: Report): WrittenService | null {
  if (!isObject(raw)) {
    report(path, WRONG_TYPE, "must be an object");
    return null;
  }
  checkSize(raw, path, report);
  return { raw, path, id: readText(raw, "id", path, report), type: readText(raw, "type", path, report) };
}

function readText(of: Raw, name: string, path: string, report: Report): string {
  const value = of[name];
  if (typeof value === "string" && value.length > TEXT_LENGTH_MAX)
    report(`${path}/${name}`, TOO_LARGE, `must have at most ${TEXT_LENGTH_MAX} characters`);
  if (typeof value === "string" && value.trim() !== "") return value;
  const isMissing = value === undefined || value === "";
  report(`${path}/${name}`, isMissing ? REQUIRED : WRONG_TYPE, isMissing ? "is required" : "must be text");
  return "";
}

function readList(of: Raw, name: string, path: string, max: number, report: Report): readonly unknown[] {
  const value = of[name];
  if (!Array.isArray(value)) {
    const isMissing = value === undefined;
    report(
      `${path}/${name}`,
      isMissing ? REQUIRED : WRONG_TYPE,
      isMissing ? "is required" : "must be an array",
    );
    return [];
  }
  if (value.length <= max) return value;
  report(`${path}/${name}`, TOO_LARGE, `must have at most ${max} items`);
  return [];
}

function checkSize(of: Raw, path: string, report: Report): void {
  const { envVariables } = of;
  if (isObject(envVariables) && Object.keys(envVariables).length > VARIABLES_PER_SCOPE_MAX)
    report(`${path}/envVariables`, TOO_LARGE, `must have at most ${VARIABLES_PER_SCOPE_MAX} variables`);
}

function checkIds(
  items: readonly { readonly id: string; readonly path: string }[],
  what: string,
  report: Report,
): void {
  const ids = new Set<string>();
  for (const { id, path } of items) {
    if (id !== "" && ids.has(id)) report(`${path}/id`, DUPLICATE, `another ${what} has this id`);
    ids.add(id);
  }
}

function reportCycles(services: readonly WrittenService[], report: Report): void {
  const byId = new Map(services.map((service) => [service.id, service]));
  const dependencies = new Map(services.map((service) => [service.id, dependenciesOf(service)]));
  for (const cycle of findCycles(dependencies)) {
    const [first = ""] = cycle;
    report(
      `${byId.get(first)?.path}/dependsOn`,
      CONFIGURATION_FAULTS.CYCLE,
      `services depend on each other in a circle: ${cycle.join(", ")}`,
    );
  }
}

function dependenciesOf({ raw }: WrittenService): readonly string[] {
  const { dependsOn } = raw;
  return Array.isArray(dependsOn) ? dependsOn.filter((id) => typeof id === "string") : [];
}
