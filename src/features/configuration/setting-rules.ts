/** The rules of a service's own settings that a schema cannot say. Pure. */
import { isIP } from "node:net";
import type { Cloud } from "../../cloud/cloud.ts";
import { STORE_TYPES } from "../../cloud/data-stores.ts";
import { HEALTH_CHECK_DEFAULTS } from "../../cloud/platform.ts";
import { COMMON_FAULTS, escapePointer, type Fault } from "../../lib/errors.ts";
import { isTimeZone, parseCron } from "../../lib/cron/cron.ts";
import {
  COMMAND_LENGTH_MAX,
  IS_CONFIG_ID,
  JOBS_MAX,
  SCHEDULE_LENGTH_MAX,
} from "../projects/service-settings.ts";
import { isObject, member } from "../../lib/json/is-object.ts";

/** What a cloud can do with a configuration. */
export type ConfiguredCloud = Pick<
  Cloud,
  | "kind"
  | "sleeps"
  | "keepsLogsByDays"
  | "buildsDockerfiles"
  | "runsImages"
  | "scalesInstances"
  | "joinsValues"
  | "createsStores"
  | "sizesStores"
>;

export type Report = (path: string, fault: Pick<Fault, "code">, message: string) => void;

const { NOT_ALLOWED, REQUIRED, TOO_LARGE, TOO_SMALL, WRONG_FORM } = COMMON_FAULTS;

/** Settings that not every cloud can have: what it needs, and the end of what a user reads without it. */
const OF_SOME_CLOUDS = [
  ["autoscaling", "scalesInstances", ", which runs one instance of each service; remove it"],
  ["logRetentionDays", "keepsLogsByDays", ", which keeps logs by size; remove it"],
  ["dockerfilePath", "buildsDockerfiles", ", which builds no Dockerfiles; remove it, and write buildCommand"],
  ["dockerContext", "buildsDockerfiles", ", which builds no Dockerfiles; remove it, and write buildCommand"],
  ["image", "runsImages", ", which runs no images; remove it, and write buildCommand and startCommand"],
  ["size", "sizesStores", ", which gives data stores no size; remove it"],
  ["storageGb", "sizesStores", ", which limits no storage; remove it"],
  ["backupRetentionDays", "sizesStores", ", which makes no daily backups; remove it"],
] as const;

/** What only a service that is built from the repository has. */
const OF_BUILDS = [
  "installCommand",
  "buildCommand",
  "dockerfilePath",
  "dockerContext",
  "basePath",
  "watchPaths",
] as const;

/** What only a data store that Slipway creates has. */
const OF_CREATED_STORES = [
  "version",
  "size",
  "storageGb",
  "backupRetentionDays",
  "deletionProtection",
  "snapshot",
] as const;

/** @param isTemplate whether previews are made from its environment */
export function checkStore(
  raw: unknown,
  path: string,
  cloud: ConfiguredCloud | null,
  isTemplate: boolean,
  report: Report,
): void {
  const type = STORE_TYPES.find((one) => one === member(raw, "type"));
  if (type === undefined) return;
  if (member(raw, "existing") !== undefined) {
    const message = "is for a data store that Slipway creates; remove it, or remove existing";
    refuseFields(raw, path, OF_CREATED_STORES, message, report);
  } else if (cloud?.createsStores.includes(type) === false) {
    const message = `cannot be created by Slipway in the cloud ${cloud.kind}; adopt an existing one with the field existing, which says where it is`;
    report(`${path}/type`, NOT_ALLOWED, message);
  } else if (isTemplate) {
    if (type === "bucket")
      report(
        `${path}/type`,
        NOT_ALLOWED,
        "needs the field existing in a template of previews: a bucket with files cannot be deleted with its preview",
      );
    if (member(raw, "deletionProtection") === true)
      report(
        `${path}/deletionProtection`,
        NOT_ALLOWED,
        "is not possible in a template of previews, whose data stores are deleted with them; remove it",
      );
  }
}

/** Reports each of some fields that the service has. */
function refuseFields(
  raw: unknown,
  path: string,
  names: readonly string[],
  message: string,
  report: Report,
): void {
  for (const name of names)
    if (member(raw, name) !== undefined) report(`${path}/${name}`, NOT_ALLOWED, message);
}

/** @param raw the service as it was written, of any shape */
export function checkSettings(
  raw: unknown,
  path: string,
  cloud: ConfiguredCloud | null,
  report: Report,
): void {
  const min = member(raw, "minInstances") ?? 1;
  const max = member(raw, "maxInstances");
  if (typeof min === "number" && typeof max === "number" && min > max) {
    report(`${path}/maxInstances`, TOO_SMALL, `must be at least minInstances (${min})`);
  }
  if (member(raw, "autoscaling") !== undefined && typeof min === "number" && (max ?? min) === min) {
    report(
      `${path}/autoscaling`,
      NOT_ALLOWED,
      `needs a maxInstances above minInstances (${min}): otherwise the number of instances never changes`,
    );
  }
  checkImage(raw, path, report);
  checkHealthCheckTimes(raw, path, report);
  checkJobs(member(raw, "jobs"), `${path}/jobs`, report);
  for (const name of ["startCommand", "preDeployCommand", "postDeployCommand"])
    checkWords(member(raw, name), `${path}/${name}`, report);
  for (const [name, ability, more] of OF_SOME_CLOUDS)
    if (member(raw, name) !== undefined && cloud?.[ability] === false)
      report(`${path}/${name}`, NOT_ALLOWED, `is not possible in the cloud ${cloud.kind}${more}`);
  const directory = member(raw, "outputDirectory");
  if (typeof directory === "string" && !isInsideRepository(directory)) {
    report(
      `${path}/outputDirectory`,
      WRONG_FORM,
      "must be a folder inside the repository, such as dist/site: no leading /, no .., no backslash",
    );
  }
  const hostname = member(raw, "hostname");
  if (typeof hostname === "string" && !isOriginHost(hostname)) {
    report(
      `${path}/hostname`,
      WRONG_FORM,
      "must be a host name such as app.example.com, with a port if it needs one; no scheme, no path, no IP address",
    );
  }
}

/** An image is not built, and has a command of its own. */
function checkImage(raw: unknown, path: string, report: Report): void {
  if (member(raw, "image") !== undefined) {
    const message = "is for a service that is built from the repository; remove it, or remove image";
    refuseFields(raw, path, OF_BUILDS, message, report);
  } else if (
    ["web", "web-private", "worker"].includes(String(member(raw, "type"))) &&
    member(raw, "startCommand") === undefined
  )
    report(`${path}/startCommand`, REQUIRED, "is required");
}

/** A command that is a list. */
function checkWords(command: unknown, path: string, report: Report): void {
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return;
  if (command[0] === "")
    report(`${path}/0`, WRONG_FORM, "must be the program; the list begins with an empty text");
  if (command.join(" ").length > COMMAND_LENGTH_MAX)
    report(
      path,
      TOO_LARGE,
      `must have at most ${COMMAND_LENGTH_MAX} characters in all its words; put it into a script of the repository`,
    );
}

/** Ids, schedules and time zones. */
function checkJobs(jobs: unknown, path: string, report: Report): void {
  if (!isObject(jobs)) return;
  for (const [id, job] of Object.entries(jobs).slice(0, JOBS_MAX)) {
    const at = `${path}/${escapePointer(id)}`;
    if (!IS_CONFIG_ID.test(id))
      report(
        at,
        WRONG_FORM,
        "must have an id of 1 to 60 letters, digits, _ and -, which begins with a letter or digit",
      );
    const schedule = member(job, "schedule");
    if (typeof schedule === "string" && schedule.length <= SCHEDULE_LENGTH_MAX) {
      const cron = parseCron(schedule);
      if ("fault" in cron) report(`${at}/schedule`, WRONG_FORM, cron.fault);
    }
    const timezone = member(job, "timezone");
    if (typeof timezone === "string" && !isTimeZone(timezone))
      report(
        `${at}/timezone`,
        WRONG_FORM,
        "must be a name of the IANA time zone database, such as Europe/Berlin or UTC",
      );
  }
}

/** Load balancers need a time-out that is shorter than the interval. */
function checkHealthCheckTimes(raw: unknown, path: string, report: Report): void {
  const { intervalSeconds, timeoutSeconds } = HEALTH_CHECK_DEFAULTS;
  const interval = member(raw, "healthCheckIntervalSeconds") ?? intervalSeconds;
  const timeout = member(raw, "healthCheckTimeoutSeconds") ?? timeoutSeconds;
  if (typeof interval !== "number" || typeof timeout !== "number" || interval > timeout) return;
  report(
    `${path}/healthCheckIntervalSeconds`,
    TOO_SMALL,
    `must be more than healthCheckTimeoutSeconds (${timeout}); it is ${interval}`,
  );
}

function isInsideRepository(directory: string): boolean {
  if (/[\\\p{Cc}]/u.test(directory)) return false;
  const segments = directory.replace(/\/$/, "").split("/");
  return segments.every((segment) => segment !== "" && segment !== "..");
}

/** Only names: an AWS distribution accepts no IP addresses. `localhost` is for the sandbox, whose edge is local. */
function isOriginHost(text: string): boolean {
  const [, hostname = "", port] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  if (hostname === "localhost") return true;
  const labels = hostname.split(".");
  return (
    isIP(hostname) === 0 &&
    hostname.length <= 253 &&
    labels.length >= 2 &&
    labels.every((label) => /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(label)) &&
    // The last label of a name never has only digits (RFC 3696, section 2); the last label of `0x7f.1` does.
    !/^(?:\d+|0x[0-9a-f]*)$/i.test(labels.at(-1) ?? "")
  );
}
