/** Jobs of schedulers whose commands write a line each, and what must be true of their starts. */
import { JOB_DEFAULTS, type JobSettings } from "../../../src/features/projects/service-settings.ts";

const MINUTE_MS = 60_000;
/** A start that is later than this is missed. */
const LATE_MS = 60_000;
/** A worker may stand still between the begin of its transaction, which a record has, and its decision. */
const STANDSTILL_MS = 30_000;
/** Longer than a minute: the next start finds it under way. */
const LONG_SECONDS = 75;

export type TickingJob = {
  /** Ids in the configuration. */
  readonly service: string;
  readonly jobId: string;
  /** It is due in each minute of the hour that this divides. */
  readonly everyMinutes: number;
  readonly settings: Pick<Required<JobSettings>, "overlap" | "missed">;
  readonly seconds: number;
};

/** What the database has of a start that a schedule made. */
export type TickRecord = {
  readonly id: string;
  readonly service: string;
  readonly jobId: string;
  readonly scheduledFor: Date;
  readonly status: string;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly createdAt: Date;
};

/** That a command of a job really ran. */
export type WrittenLine = { readonly service: string; readonly jobId: string; readonly atMs: number };

/** All minutes from one to another. */
type Window = { readonly firstMs: number; readonly lastMs: number };

/** Of ten jobs of a service. By default, a job is due each minute. */
const KINDS: readonly (Partial<TickingJob["settings"]> & { readonly everyMinutes?: number })[] = [
  {},
  { overlap: "replace" },
  {},
  {},
  { missed: "runOnce" },
  {},
  { overlap: "queue" },
  { everyMinutes: 3 },
  { everyMinutes: 3, missed: "runOnce" },
  {},
];
const LONG_JOBS = 7;

/** The first jobs of the first service run longer than a minute. */
export function createTickingJobs(services: number, jobsOfEach: number): readonly TickingJob[] {
  return Array.from({ length: services * jobsOfEach }, (_, index) => {
    const number = index % jobsOfEach;
    const { everyMinutes = 1, ...rules } = KINDS[number % KINDS.length] ?? {};
    const service = `jobs-${Math.floor(index / jobsOfEach)}`;
    const seconds = index < LONG_JOBS ? LONG_SECONDS : 0;
    return {
      service,
      jobId: `job-${number}`,
      everyMinutes,
      settings: { ...JOB_DEFAULTS, ...rules },
      seconds,
    };
  });
}

/** The services of the configuration. @param file gets the lines @param schedule by default, each job's own */
export function servicesOf(jobs: readonly TickingJob[], file: string, schedule?: string): readonly object[] {
  return [...Map.groupBy(jobs, ({ service }) => service)].map(([id, own]) => {
    const settings = own.map(
      ({ jobId, everyMinutes, settings: { overlap, missed }, seconds }): JobSettings & { id: string } => {
        const line = `echo "${id} ${jobId} $(date +%s%3N)" >> ${file}`;
        const command = seconds === 0 ? line : `${line}; sleep ${seconds}`;
        return { id: jobId, command, schedule: schedule ?? `*/${everyMinutes} * * * *`, overlap, missed };
      },
    );
    return {
      id,
      type: "scheduler",
      jobs: Object.fromEntries(settings.map(({ id: jobId, ...job }) => [jobId, job])),
    };
  });
}

export function readLines(text: string): readonly WrittenLine[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [service = "", jobId = "", at = ""] = line.split(" ");
      return { service, jobId, atMs: Number(at) };
    });
}

function isDue({ everyMinutes }: TickingJob, atMs: number): boolean {
  return new Date(atMs).getUTCMinutes() % everyMinutes === 0;
}

/** The minutes in which a job is due, in ms. */
export function minutesOf(job: TickingJob, { firstMs, lastMs }: Window): readonly number[] {
  const all = Array.from(
    { length: (lastMs - firstMs) / MINUTE_MS + 1 },
    (_, index) => firstMs + index * MINUTE_MS,
  );
  return all.filter((atMs) => isDue(job, atMs));
}

type OfJob = { readonly service: string; readonly jobId: string };
const keyOf = ({ service, jobId }: OfJob): string => `${service} ${jobId}`;

/** Compares the starts of jobs with their rules, when all have ended. Pure. @param window in which none may be missing */
export function findBreachesOfTicks(
  jobs: readonly TickingJob[],
  records: readonly TickRecord[],
  lines: readonly WrittenLine[],
  window: Window,
): readonly string[] {
  const recordsOf = Map.groupBy(records, keyOf);
  const linesOf = Map.groupBy(lines, keyOf);
  return jobs.flatMap((job) => {
    const key = keyOf(job);
    const own = recordsOf.get(key) ?? [];
    return [
      ...findWrongRecords(job, own, window),
      ...findWrongRules(job, own),
      ...findWrongRuns(own, linesOf.get(key) ?? []),
    ].map((breach) => `${key}: ${breach}`);
  });
}

/** Minutes in the window without a record, minutes with two, and records of minutes that were not due. */
function findWrongRecords(
  job: TickingJob,
  records: readonly TickRecord[],
  window: Window,
): readonly string[] {
  const byMinute = Map.groupBy(records, ({ scheduledFor }) => scheduledFor.getTime());
  const without = minutesOf(job, window).filter((atMs) => !byMinute.has(atMs));
  const doubled = [...byMinute].filter(([, own]) => own.length > 1);
  const notDue = [...byMinute.keys()].filter((atMs) => atMs % MINUTE_MS !== 0 || !isDue(job, atMs));
  return [
    ...without.map((atMs) => `${minute(atMs)} has no record`),
    ...doubled.map(
      ([atMs, own]) => `${minute(atMs)} has ${own.length} records: ${own.map(describe).join(", ")}`,
    ),
    ...notDue.map((atMs) => `${minute(atMs)} was not due`),
    ...records.filter(({ endedAt }) => endedAt === null).map((one) => `${describe(one)} has not ended`),
  ];
}

/** Records that the rules for late starts do not allow. */
function findWrongRules(
  { settings: { overlap, missed } }: TickingJob,
  records: readonly TickRecord[],
): readonly string[] {
  const lateMs = ({ createdAt, scheduledFor }: TickRecord): number => +createdAt - +scheduledFor;
  const isMissed = ({ status }: TickRecord): boolean => status === "MISSED";
  const early = records.filter((one) => isMissed(one) && lateMs(one) < LATE_MS - STANDSTILL_MS);
  const startsInTime = overlap === "forbid" && missed === "skip";
  const late = records.filter((one) => startsInTime && !isMissed(one) && lateMs(one) > LATE_MS);
  // The last start is caught up in the same transaction, and so has the same time.
  const catchesUp = overlap === "forbid" && missed === "runOnce";
  const lost = records.filter(
    (one) =>
      catchesUp &&
      isMissed(one) &&
      !records.some(
        (other) =>
          !isMissed(other) && +other.createdAt === +one.createdAt && other.scheduledFor > one.scheduledFor,
      ),
  );
  return [
    ...early.map((one) => `${describe(one)} was missed after ${lateMs(one)} ms`),
    ...late.map((one) => `${describe(one)} was not missed after ${lateMs(one)} ms`),
    ...lost.map((one) => `${describe(one)} was missed, and nothing was caught up`),
  ];
}

/** Each line was written during one execution, each execution wrote at most one, and each that succeeded wrote one. */
function findWrongRuns(records: readonly TickRecord[], lines: readonly WrittenLine[]): readonly string[] {
  const ran = records.map((record) => {
    const from = record.startedAt?.getTime() ?? Number.POSITIVE_INFINITY;
    const to = record.endedAt?.getTime() ?? Number.POSITIVE_INFINITY;
    return { record, own: lines.filter(({ atMs }) => atMs >= from && atMs <= to) };
  });
  const known = new Set(ran.flatMap(({ own }) => own));
  const isWrong = ({ record, own }: (typeof ran)[number]): boolean =>
    own.length > 1 || (record.status === "SUCCEEDED" && own.length === 0);
  return [
    ...ran.filter(isWrong).map(({ record, own }) => `${describe(record)} ran ${own.length} times`),
    ...lines
      .filter((line) => !known.has(line))
      .map(({ atMs }) => `ran at ${new Date(atMs).toISOString()} without an execution`),
  ];
}

const minute = (atMs: number): string => new Date(atMs).toISOString().slice(11, 16);

function describe({ id, scheduledFor, status }: TickRecord): string {
  return `${id} of ${minute(+scheduledFor)}, ${status}`;
}
