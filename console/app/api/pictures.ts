/** What the columns of pictures are, from the numbers of the API. Pure. */
import type {
  DeploymentDay,
  DomainCounts,
  DomainDay,
  ExpiryWeek,
  TrafficPoint,
} from "../../../sdk/src/generated/types.ts";

/** A column: when it was, and a value for each series. */
export type Column = {
  readonly label: string;
  readonly values: readonly number[];
  readonly said?: readonly string[];
};

const DAY_MS = 86_400_000;
const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const minute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
/** The least number of weeks: fewer would not show what is ahead. */
const WEEKS_LEAST = 13;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, "2026-11-20".length);
const tellDay = (day: string): string => date.format(Date.parse(day));

/** The last `count` days, up to today, in UTC. */
function lastDays(count: number, now: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => dayOf(now - (count - 1 - index) * DAY_MS));
}

/** Deployments by their outcome: succeeded, failed, cancelled or replaced, still under way. Every day is there. */
export function outcomeColumns(
  days: readonly DeploymentDay[],
  count: number,
  now: number,
): readonly Column[] {
  const byDay = new Map(days.map((one) => [one.day, one]));
  return lastDays(count, now).map((day) => {
    const { succeeded = 0, failed = 0, stopped = 0, unended = 0 } = byDay.get(day) ?? {};
    return { label: tellDay(day), values: [succeeded, failed, stopped, unended] };
  });
}

/** How long successful deployments took: the median, and from there up to the longest. In seconds. */
export function durationColumns(
  days: readonly DeploymentDay[],
  count: number,
  now: number,
  tell: (seconds: number) => string,
): readonly Column[] {
  const byDay = new Map(days.map((one) => [one.day, one]));
  return lastDays(count, now).map((day) => {
    const { medianSeconds = null, maxSeconds = null } = byDay.get(day) ?? {};
    if (medianSeconds === null || maxSeconds === null)
      return { label: tellDay(day), values: [0, 0], said: ["–", "–"] };
    return {
      label: tellDay(day),
      values: [medianSeconds, maxSeconds - medianSeconds],
      said: [tell(medianSeconds), tell(maxSeconds)],
    };
  });
}

/** Domains by what they wait for: served, waiting for records, being worked on, failed. Today is as it is now. */
export function domainColumns(
  days: readonly DomainDay[],
  current: DomainCounts,
  now: number,
): readonly Column[] {
  const today = dayOf(now);
  const past = days.filter(({ day }) => day !== today);
  return [...past, { ...current, day: today }].map(
    ({ day, attached, awaitingRecords, inProgress, inError }) => ({
      label: tellDay(day),
      values: [attached, awaitingRecords, inProgress, inError],
    }),
  );
}

/** Certificates by the week of their expiry, from this week on; what has expired is the first column, if any has. */
export function expiryColumns(weeks: readonly ExpiryWeek[], now: number): readonly Column[] {
  const today = Date.parse(dayOf(now));
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY_MS;
  const byWeek = new Map(weeks.map(({ week, count }) => [week, count]));
  const last = Math.max(monday, ...weeks.map(({ week }) => Date.parse(week)));
  const ahead = Math.max(WEEKS_LEAST, Math.round((last - monday) / (7 * DAY_MS)) + 1);
  const before = weeks
    .filter(({ week }) => Date.parse(week) < monday)
    .reduce((sum, { count }) => sum + count, 0);
  const columns = Array.from({ length: ahead }, (_, index): Column => {
    const week = dayOf(monday + index * 7 * DAY_MS);
    return { label: `Week of ${tellDay(week)}`, values: [byWeek.get(week) ?? 0] };
  });
  return before === 0 ? columns : [{ label: "Before this week", values: [before] }, ...columns];
}

/** Requests by what became of them: answered, refused as faulty, failed. In UTC, which has no hour twice. */
export function trafficColumns(points: readonly TrafficPoint[]): readonly Column[] {
  return points.map(({ at, requests, clientErrors, serverErrors }) => ({
    label: `${minute.format(Date.parse(at))} UTC`,
    values: [requests - clientErrors - serverErrors, clientErrors, serverErrors],
  }));
}
