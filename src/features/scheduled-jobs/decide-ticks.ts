/** What happens with the starts of a job's schedule that have become due. */
import type { Cron } from "../../lib/cron/cron.ts";
import { nextRun, type Zone } from "../../lib/cron/run-times.ts";
import type { JobSettings } from "../projects/service-settings.ts";

/** A start that is later than this is missed. */
const LATE_MS = 60_000;
/** Of one gap. */
const MISSED_RECORDS_MAX = 10;
/** More are not counted: of a job of every minute, a week has as many. */
const COUNTED_MAX = 10_000;
const RETRY_MS = 30_000;

export type JobState = {
  /** All starts until then have been handled. */
  readonly handledUntil: Date;
  /** A start that waits for the end of another; null if none does. */
  readonly waitingFor: Date | null;
};

/** The newest attempt of a start that the schedule made. */
export type LatestAttempt = {
  readonly scheduledFor: Date;
  readonly attempt: number;
  /** Null while it is under way. */
  readonly endedAt: Date | null;
  readonly hasFailed: boolean;
  /** As its execution has it. */
  readonly isRepeated: boolean | null;
};

export type Ticks = {
  /** At most one. */
  readonly start: { readonly scheduledFor: Date; readonly attempt: number } | null;
  readonly skipped: readonly Date[];
  /** Those to record: of many, some and the last. */
  readonly missed: readonly Date[];
  /** All of them; null if they are more than `COUNTED_MAX`. */
  readonly missedCount: number | null;
  /** Whether what is under way must be cancelled. */
  readonly cancels: boolean;
  /** Whether the failure of the newest attempt stays: a start takes the place of its retry, or the job has fewer. */
  readonly endsRetries: boolean;
  readonly state: JobState;
  /** When the next one is due; null for never. */
  readonly nextAt: Date | null;
};

/**
 * Pure.
 * @param isUnderWay whether an execution of the job is, by its schedule or a request
 */
export function decideTicks(
  { overlap, missed, retries }: Pick<Required<JobSettings>, "overlap" | "missed" | "retries">,
  { cron, zone }: { readonly cron: Cron; readonly zone: Zone },
  { handledUntil, waitingFor }: JobState,
  { isUnderWay, latest }: { readonly isUnderWay: boolean; readonly latest: LatestAttempt | null },
  now: Date,
): Ticks {
  const late = listLate(cron, zone, handledUntil, now);
  const fresh = listFresh(cron, zone, handledUntil, now);
  const caughtUp = missed === "runOnce" && fresh.length === 0 ? late.last : null;
  const passed = caughtUp === null ? late.first : late.first.filter((at) => +at !== +caughtUp);
  const isLastPassed = late.last !== null && caughtUp === null;
  const recorded = isLastPassed ? replaceLast(passed, late.last) : passed.slice(0, MISSED_RECORDS_MAX);
  const due = caughtUp === null ? fresh : [caughtUp];

  let waiting = waitingFor;
  const skipped: Date[] = [];
  for (const at of due) {
    if (waiting === null && (!isUnderWay || overlap !== "forbid")) waiting = at;
    else if (waiting !== null && overlap === "replace") {
      skipped.push(waiting);
      waiting = at;
    } else skipped.push(at);
  }
  const retryAt = decideRetry(latest, retries);
  const isRetried = waiting === null && !isUnderWay && retryAt !== null && retryAt <= now;
  const start = isUnderWay
    ? null
    : waiting !== null
      ? { scheduledFor: waiting, attempt: 1 }
      : isRetried && latest !== null
        ? { scheduledFor: latest.scheduledFor, attempt: latest.attempt + 1 }
        : null;
  const isAnyDue = fresh.length > 0 || late.count !== 0;
  const next = nextRun(cron, zone, now);
  const awaited = start === null && !isUnderWay && retryAt !== null ? retryAt : null;
  return {
    start,
    skipped,
    missed: recorded,
    missedCount: late.count === null ? null : late.count - (caughtUp === null ? 0 : 1),
    cancels: isUnderWay && waiting !== null && overlap === "replace",
    endsRetries: retryAt === null ? latest?.isRepeated === true : start?.attempt === 1,
    state: {
      // Unchanged if nothing was due, because most jobs of a service are not, and each change is a write.
      handledUntil: isAnyDue ? now : handledUntil,
      waitingFor: start === null ? waiting : null,
    },
    nextAt: awaited !== null && (next === null || awaited < next) ? awaited : next,
  };
}

/** When a failed attempt is repeated; null for never. The last one of its failure stays the last. Pure. */
export function decideRetry(latest: LatestAttempt | null, retries: number): Date | null {
  if (latest === null || latest.endedAt === null || !latest.hasFailed) return null;
  if (latest.isRepeated === false || latest.attempt > retries) return null;
  return new Date(latest.endedAt.getTime() + RETRY_MS * 2 ** (latest.attempt - 1));
}

type Late = {
  /** The first of them. */
  readonly first: readonly Date[];
  readonly last: Date | null;
  readonly count: number | null;
};

function listLate(cron: Cron, zone: Zone, after: Date, now: Date): Late {
  const end = new Date(now.getTime() - LATE_MS);
  const first: Date[] = [];
  let last: Date | null = null;
  let count = 0;
  for (let at = nextRun(cron, zone, after); at !== null && at < end; at = nextRun(cron, zone, at)) {
    if (count === COUNTED_MAX) return { first, last: findLast(cron, zone, last ?? after, end), count: null };
    if (count < MISSED_RECORDS_MAX) first.push(at);
    last = at;
    count += 1;
  }
  return { first, last, count };
}

/** The last one before a time, where there are too many to go through all. */
function findLast(cron: Cron, zone: Zone, from: Date, end: Date): Date {
  for (let windowMs = LATE_MS; ; windowMs *= 2) {
    const begin = new Date(Math.max(from.getTime(), end.getTime() - windowMs));
    let last: Date | null = null;
    for (let at = nextRun(cron, zone, begin); at !== null && at < end; at = nextRun(cron, zone, at))
      last = at;
    if (last !== null) return last;
    if (+begin === +from) return from;
  }
}

/** The starts that are not too late. */
function listFresh(cron: Cron, zone: Zone, handledUntil: Date, now: Date): readonly Date[] {
  const fresh: Date[] = [];
  // 1 ms earlier, because a run is after a time, and one at that time still starts.
  const begin = new Date(Math.max(handledUntil.getTime(), now.getTime() - LATE_MS - 1));
  for (let at = nextRun(cron, zone, begin); at !== null && at <= now; at = nextRun(cron, zone, at))
    fresh.push(at);
  return fresh;
}

function replaceLast(passed: readonly Date[], last: Date | null): readonly Date[] {
  if (last === null || passed.length < MISSED_RECORDS_MAX) return passed;
  return [...passed.slice(0, MISSED_RECORDS_MAX - 1), last];
}
