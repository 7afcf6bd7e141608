/** The jobs of a scheduler that is imported. Flightcontrol's schedules have the form of AWS's EventBridge. Pure. */
import { escapePointer } from "../../lib/errors.ts";
import { isObject } from "../../lib/json/is-object.ts";
import { isTimeZone, parseCron } from "../../lib/cron/cron.ts";
import { JOBS_MAX } from "../projects/service-settings.ts";
import { chooseIds } from "./choose-ids.ts";
import { classify, type Report, rulesOf } from "./classify.ts";
import { readCommand } from "./command-lines.ts";
import { decideLine } from "./decide-build.ts";
import { blocking, changed, ignored, mapped, type Verdict, wrongForm } from "./flightcontrol-import.ts";
import type { Raw } from "./read-flightcontrol-file.ts";

/** A job that a person has to complete: it ends at once and says why. */
const UNKNOWN_COMMAND = "echo 'Write the command and the schedule of this job in slipway.json' && exit 1";
const UNKNOWN_SCHEDULE = "0 0 1 1 *";
const TIMEOUT_MAX = 1_440;

type Job = {
  readonly schedule: { readonly text: string | null; readonly verdict: Verdict };
  readonly command: ReturnType<typeof decideLine>;
};

const SIZE = changed("All jobs of a service have one size: the largest.");

const RULES = rulesOf<Job>({
  schedule: (_, { schedule }) => schedule.verdict,
  startCommand: (_, { command }) => command.verdict,
  timezone: (value) =>
    isZone(value) ? mapped() : wrongForm("a name of the IANA time zone database, such as Europe/Berlin"),
  timeout: (value) =>
    isTimeout(value)
      ? changed("It is called timeoutMinutes.")
      : wrongForm(`a number of minutes from 1 to ${TIMEOUT_MAX}`),
  cpu: (value) => (value === null ? ignored("It is the service's.") : SIZE),
  memory: (value) => (value === null ? ignored("It is the service's.") : SIZE),
  gpu: (value) =>
    value === null || value === 0
      ? ignored("Slipway does the same.")
      : blocking("Fargate has no GPU.", "Leave this job where it is."),
});

/** The jobs of a service by their ids; null if it has none. */
export function readJobs(raw: Raw): Readonly<Record<string, unknown>> | null {
  const jobs = raw["jobs"];
  return isObject(jobs) && Object.keys(jobs).length > 0 ? jobs : null;
}

/** The lines that its jobs run, to find the language that they need. */
export function linesOfJobs(raw: Raw): readonly string[] {
  return Object.values(readJobs(raw) ?? {}).flatMap((job) => {
    const command = readCommand(isObject(job) ? job["startCommand"] : undefined);
    return command.kind === "command" ? [command.line] : [];
  });
}

/** The largest CPU and memory of the service and its jobs, as the file has them. */
export function sizeOfJobs(raw: Raw): { readonly cpu: unknown; readonly memory: unknown } {
  const largest = (field: "cpu" | "memory"): unknown => {
    const values = [raw, ...Object.values(readJobs(raw) ?? {})].flatMap((of) => {
      const value = isObject(of) ? of[field] : undefined;
      return typeof value === "number" ? [value] : [];
    });
    return values.length === 0 ? raw[field] : Math.max(...values);
  };
  return { cpu: largest("cpu"), memory: largest("memory") };
}

/** @param path the JSON Pointer of the jobs */
export function proposeJobs(raw: Raw, path: string, report: Report): Readonly<Record<string, unknown>> {
  const jobs = Object.entries(readJobs(raw) ?? {});
  const ids = chooseIds(jobs.slice(0, JOBS_MAX).map(([id]) => ({ id })));
  return Object.fromEntries(
    jobs.flatMap(([written, value]): readonly (readonly [string, object])[] => {
      const place = { path: `${path}/${escapePointer(written)}`, field: `jobs.${written}` };
      const id = ids.get(written);
      if (id === undefined) {
        const most = blocking(
          `A service has at most ${JOBS_MAX} jobs.`,
          "Write the others as another service.",
        );
        report(place, most);
        return [];
      }
      if (!isObject(value)) {
        report(place, wrongForm("an object"));
        return [[id, { command: UNKNOWN_COMMAND, schedule: UNKNOWN_SCHEDULE }]];
      }
      const job = readJob(value, written, id);
      classify(value, place.path, RULES, job, (at, verdict) =>
        report({ ...at, field: `${place.field}.${at.field}` }, verdict),
      );
      for (const field of ["schedule", "startCommand"] as const)
        if (value[field] === undefined)
          report(
            { path: `${place.path}/${field}`, field: `${place.field}.${field}` },
            blocking("A job needs it.", "Write it in the proposal."),
          );
      return [[id, settingsOf(value, job)]];
    }),
  );
}

function readJob(value: Raw, written: string, id: string): Job {
  const renamed = written === id ? [] : [`The job's id is ${id}.`];
  return {
    schedule: readSchedule(value["schedule"], renamed),
    command: decideLine(value["startCommand"]),
  };
}

function settingsOf(value: Raw, { schedule, command }: Job): object {
  const isKnown = schedule.text !== null && command.line !== null;
  return {
    command: isKnown ? command.line : UNKNOWN_COMMAND,
    schedule: schedule.text ?? UNKNOWN_SCHEDULE,
    ...(isZone(value["timezone"]) ? { timezone: value["timezone"] } : {}),
    ...(isTimeout(value["timeout"]) ? { timeoutMinutes: value["timeout"] } : {}),
  };
}

function isZone(value: unknown): value is string {
  return typeof value === "string" && value.length <= 60 && isTimeZone(value);
}

function isTimeout(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= TIMEOUT_MAX;
}

/** @param notes what else the verdict says */
function readSchedule(value: unknown, notes: readonly string[]): Job["schedule"] {
  if (typeof value !== "string") return { text: null, verdict: wrongForm("a schedule of cron") };
  const text = toFiveFields(value);
  const cron = parseCron(text);
  if ("fault" in cron)
    return {
      text: null,
      verdict: blocking(
        `The schedule ${cron.fault}.`,
        "Write the job's command and schedule in the proposal.",
      ),
    };
  const says = text === value ? notes : [`It is written as ${text}.`, ...notes];
  return { text, verdict: says.length === 0 ? mapped() : changed(says.join(" ")) };
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const WEEKDAYS = "sun mon tue wed thu fri sat".split(" ");
/** The largest value of minute, hour, day, month and weekday. */
const LARGEST = [59, 23, 31, 12, 6];

/**
 * A schedule of AWS has six fields, the last one for the year; `?` for any day; weekdays from 1, Sunday; names; and
 * `5/15` for 5, 20, 35 and so on. Other fields stay, and the parser of schedules refuses them.
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based
 */
export function toFiveFields(text: string): string {
  const parts = (/^\s*cron\((.*)\)\s*$/i.exec(text)?.[1] ?? text).trim().split(/\s+/);
  const isOfAws = parts.length === 6 && parts[5] === "*";
  const fields = isOfAws ? parts.slice(0, 5) : parts;
  if (fields.length !== 5) return text;
  return fields
    .map((field, index) =>
      field
        .split(",")
        .map((item) => toNumbers(item, index, isOfAws))
        .join(","),
    )
    .join(" ");
}

function toNumbers(item: string, index: number, isOfAws: boolean): string {
  if (item === "?") return "*";
  const [range = "", step] = item.split("/", 2);
  const numbers = range.split("-").map((word) => {
    const name = word.toLowerCase();
    if (index === 3 && MONTHS.includes(name)) return String(MONTHS.indexOf(name) + 1);
    if (index !== 4) return word;
    if (WEEKDAYS.includes(name)) return String(WEEKDAYS.indexOf(name));
    return isOfAws && /^[1-7]$/.test(word) ? String(Number(word) - 1) : word;
  });
  const isOpen = step !== undefined && numbers.length === 1 && numbers[0] !== "*";
  return `${numbers.join("-")}${isOpen ? `-${LARGEST[index]}` : ""}${step === undefined ? "" : `/${step}`}`;
}
