/** A service that is imported. Pure. */
import { type Autoscaling, type HealthCheckTimes, LOG_RETENTION_DAYS } from "../../cloud/platform.ts";
import { isObject } from "../../lib/json/is-object.ts";
import { type Build, decideBuild, decideHook, type Hook } from "./decide-build.ts";
import { decideHealthTimes } from "./decide-health-times.ts";
import { linesOfJobs, readJobs, sizeOfJobs } from "./decide-jobs.ts";
import { decideSize, type Size } from "./decide-size.ts";
import {
  changed,
  ignored,
  type ImportCloud,
  type ImportedType,
  isServer,
  mapped,
  type Verdict,
  wrongForm,
} from "./flightcontrol-import.ts";
import { containsSecret } from "./looks-secret.ts";
import type { WrittenService } from "./read-flightcontrol-file.ts";

const IMPORTED_TYPES: ReadonlyMap<string, ImportedType> = new Map<string, ImportedType>([
  ["static", "static"],
  ["web", "web"],
  ["web-private", "web-private"],
  ["fargate", "web"],
  ["worker", "worker"],
  ["fargate-worker", "worker"],
  ["scheduler", "scheduler"],
]);

/** The type in the proposal; null if the proposal does not have the service. A scheduler needs a job. */
export function importedTypeOf({ type, raw }: WrittenService): ImportedType | null {
  if (type === "scheduler" && readJobs(raw) === null) return null;
  return IMPORTED_TYPES.get(type) ?? null;
}

/** What a service of the file becomes. */
export type Proposed = {
  /** Its id in the proposal. */
  readonly id: string;
  /** The id of its environment in the proposal. */
  readonly environment: string;
  readonly type: ImportedType;
  readonly build: Build;
  readonly preDeploy: Hook;
  readonly postDeploy: Hook;
  readonly size: Size;
  readonly instances: { readonly min: number; readonly max: number };
  readonly port: number;
  readonly healthCheckPath: string;
  readonly healthTimes: HealthCheckTimes;
  /** Null if the cloud does not keep logs by days, or the file does not say. */
  readonly logRetentionDays: number | null;
  /** Null if the cloud does not scale, the number of instances is fixed, or the file has none. */
  readonly autoscaling: Autoscaling | null;
  readonly dependsOn: { readonly ids: readonly string[]; readonly verdict: Verdict };
};

const PORT = 3000;

/** @param given.ids the ids in the proposal of the services that are imported, by their ids in the file */
export function decideService(
  { raw, id, type: written }: WrittenService,
  given: {
    readonly environment: string;
    readonly ids: ReadonlyMap<string, string>;
    readonly cloud: ImportCloud;
  },
): Proposed {
  const { environment, ids, cloud } = given;
  const type = IMPORTED_TYPES.get(written) ?? "web";
  const min = readCount(raw["minInstances"]);
  const max = Math.max(min, readCount(raw["maxInstances"]));
  const { cpu, memory } = type === "scheduler" ? sizeOfJobs(raw) : { cpu: raw["cpu"], memory: raw["memory"] };
  return {
    id: ids.get(id) ?? id,
    environment,
    type,
    build: decideBuild(raw, type, cloud, type === "scheduler" ? linesOfJobs(raw) : []),
    preDeploy: decideHook(raw["preDeployCommand"]),
    postDeploy: decideHook(raw["postDeployCommand"]),
    size: decideSize(cpu, memory),
    instances: { min, max },
    port: readPort(raw["port"]) ?? PORT,
    healthCheckPath: readPath(raw["healthCheckPath"]) ?? "/",
    healthTimes: isServer(type) ? decideHealthTimes(raw) : {},
    logRetentionDays: cloud.keepsLogsByDays ? readRetention(raw["logging"]) : null,
    autoscaling: cloud.scalesInstances && max > min ? readAutoscaling(raw["autoscaling"], type) : null,
    dependsOn: decideDependencies(raw["dependsOn"], ids),
  };
}

/** Its settings in the order in which people write them, without name and variables. */
export function settingsOf(raw: WrittenService["raw"], of: Proposed): Readonly<Record<string, unknown>> {
  const dependsOn = of.dependsOn.ids.length === 0 ? {} : { dependsOn: of.dependsOn.ids };
  const watchPaths = readWatchPaths(raw["watchPaths"]);
  const built = { ...of.build.settings, ...(watchPaths === null ? {} : { watchPaths }) };
  if (of.type === "static")
    return { ...built, ...(raw["singlePageApp"] === true ? { singlePageApp: true } : {}), ...dependsOn };
  const logs = of.logRetentionDays === null ? {} : { logRetentionDays: of.logRetentionDays };
  if (of.type === "scheduler") return { ...built, ...of.size.settings, ...logs, ...dependsOn };
  return {
    ...built,
    ...(of.preDeploy.command === null ? {} : { preDeployCommand: of.preDeploy.command }),
    ...(of.postDeploy.command === null ? {} : { postDeployCommand: of.postDeploy.command }),
    ...(isServer(of.type) ? { port: of.port } : {}),
    ...of.size.settings,
    ...(raw["minInstances"] === undefined ? {} : { minInstances: of.instances.min }),
    ...(raw["maxInstances"] === undefined && of.instances.min === of.instances.max
      ? {}
      : { maxInstances: of.instances.max }),
    ...(isServer(of.type) && raw["healthCheckPath"] !== undefined
      ? { healthCheckPath: of.healthCheckPath }
      : {}),
    ...of.healthTimes,
    ...logs,
    ...(of.autoscaling === null ? {} : { autoscaling: of.autoscaling }),
    ...dependsOn,
  };
}

function decideDependencies(value: unknown, ids: ReadonlyMap<string, string>): Proposed["dependsOn"] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string"))
    return { ids: [], verdict: wrongForm("a list of ids") };
  if (value.length === 0) return { ids: [], verdict: ignored("It is empty.") };
  const kept = [...new Set(value)].flatMap((id) => ids.get(id) ?? []);
  const isSame = kept.length === value.length && kept.every((id, index) => id === value[index]);
  return {
    ids: kept,
    verdict: isSame ? mapped() : changed("It names only services of the environment that are imported."),
  };
}

function readCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value)
    ? Math.min(100, Math.max(1, Math.round(value)))
    : 1;
}

function readPort(value: unknown): number | null {
  const port = typeof value === "string" && /^\d{1,5}$/.test(value) ? Number(value) : value;
  return typeof port === "number" && Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : null;
}

function readPath(value: unknown): string | null {
  const isPath = typeof value === "string" && value.length <= 1024 && /^\/[!-~]*$/.test(value);
  return isPath && !containsSecret(value) ? value : null;
}

/** The next period of CloudWatch. */
function readRetention(logging: unknown): number | null {
  const days = isObject(logging) ? logging["cloudwatchLogsRetentionDays"] : undefined;
  if (typeof days !== "number" || days < 1) return null;
  return LOG_RETENTION_DAYS.find((known) => known >= days) ?? LOG_RETENTION_DAYS.at(-1) ?? null;
}

/** The largest value of each threshold. */
const THRESHOLDS = { cpuThreshold: 100, memoryThreshold: 100, requestsPerTarget: 1_000_000 } as const;

/** Null if there is none, or none that Slipway takes. */
function readAutoscaling(value: unknown, type: Proposed["type"]): Autoscaling | null {
  const found = Object.entries(THRESHOLDS).flatMap(([name, max]) => {
    const threshold = isObject(value) ? value[name] : undefined;
    if (name === "requestsPerTarget" && !isServer(type)) return [];
    if (typeof threshold !== "number" || !(threshold > 0)) return [];
    return [[name, Math.min(max, Math.max(1, Math.round(threshold)))]];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** Null if there are none, or none that Slipway takes. */
export function readWatchPaths(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > 50) return null;
  return value.every((one) => typeof one === "string" && one !== "" && one.length <= 255) ? value : null;
}
