/**
 * The times of a schedule in a time zone.
 *
 * Schedules that name hours follow the clock on the wall. A run in a skipped hour starts once, at the first minute after
 * it; a run in a doubled hour starts once, in the first of the two. Schedules of every hour (`*`) follow elapsed time.
 */
import { LRUCache } from "lru-cache";
import { type Cron, namesDays, namesWeekdays } from "./cron.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
/** From one 29 February to the next there are at most eight years. */
const DAYS_MAX = 8 * 366 + 1;

/** The first run after an instant; null if there is none in eight years. Pure. */
export function nextRun(cron: Cron, zone: Zone, after: Date): Date | null {
  const ms = after.getTime();
  const found = cron.hours.length === 24 ? nextElapsed(cron, zone, ms) : nextOnWall(cron, zone, ms);
  return found === null ? null : new Date(found);
}

/** At most `count` runs after an instant. Pure. */
export function nextRuns(cron: Cron, zone: Zone, after: Date, count: number): readonly Date[] {
  const runs: Date[] = [];
  for (let at = nextRun(cron, zone, after); at !== null && runs.length < count; at = nextRun(cron, zone, at))
    runs.push(at);
  return runs;
}

/** The time on the wall, such as `2026-03-29T03:00+02:00`. Pure. */
export function writeLocal(at: Date, zone: Zone): string {
  const offset = zone.offsetAt(at.getTime());
  const minutes = Math.abs(offset) / MINUTE;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const wall = new Date(at.getTime() + offset).toISOString().slice(0, 16);
  return `${wall}${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** All times here that are called `wall` are what the clock shows, as if it showed UTC. */
function nextOnWall(cron: Cron, zone: Zone, after: number): number | null {
  const wall = after + zone.offsetAt(after);
  const firstDay = floor(wall, DAY);
  for (let index = 0; index < DAYS_MAX; index += 1) {
    const day = firstDay + index * DAY;
    if (!matchesDay(cron, day)) continue;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const at = day + hour * HOUR + minute * MINUTE;
        if (at <= wall) continue;
        // In the second of two doubled hours, this is before `after`.
        const instant = instantOf(zone, at);
        if (instant > after) return instant;
      }
    }
  }
  return null;
}

function nextElapsed(cron: Cron, zone: Zone, after: number): number | null {
  let at = floor(after, MINUTE) + MINUTE;
  const end = after + DAYS_MAX * DAY;
  while (at < end) {
    const wall = at + zone.offsetAt(at);
    const day = floor(wall, DAY);
    if (!matchesDay(cron, day)) {
      at = instantOf(zone, day + DAY);
      continue;
    }
    const minute = (wall % HOUR) / MINUTE;
    const next = cron.minutes.find((one) => one >= minute);
    // Clocks change at the end of an hour, so that the rest of an hour has one offset.
    if (next !== undefined) return at + (next - minute) * MINUTE;
    at += HOUR - minute * MINUTE;
  }
  return null;
}

function matchesDay(cron: Cron, wallDay: number): boolean {
  const date = new Date(wallDay);
  if (!cron.months.includes(date.getUTCMonth() + 1)) return false;
  const isDay = cron.days.includes(date.getUTCDate());
  const isWeekday = cron.weekdays.includes(date.getUTCDay());
  // The rule of cron: if both are named, one of them is enough.
  return namesDays(cron) && namesWeekdays(cron) ? isDay || isWeekday : isDay && isWeekday;
}

/** When the clock shows a time first; if it skips the time, the first instant after that. */
function instantOf(zone: Zone, wall: number): number {
  const before = zone.offsetAt(wall - DAY);
  const later = zone.offsetAt(wall + DAY);
  if (zone.offsetAt(wall - before) === before) return wall - before;
  if (zone.offsetAt(wall - later) === later) return wall - later;
  let low = wall - later;
  let high = wall - before;
  while (high - low > MINUTE) {
    const middle = floor((low + high) / 2, MINUTE);
    if (zone.offsetAt(middle) === later) high = middle;
    else low = middle;
  }
  return high;
}

function floor(value: number, unit: number): number {
  return Math.floor(value / unit) * unit;
}

/** A time zone, whose offsets are found with one formatter: to make one takes longer than to find a hundred offsets. */
export type Zone = {
  readonly name: string;
  /** What its clocks show minus UTC, in ms. @param at in ms */
  readonly offsetAt: (at: number) => number;
};

/** @param name for which `isTimeZone` is true */
export function openZone(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = makeZone(name);
  zones.set(name, zone);
  return zone;
}

/** Each step of a schedule needs one for each job, and most jobs have the same. */
const zones = new LRUCache<string, Zone>({ max: 200 });

function makeZone(name: string): Zone {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  return {
    name,
    offsetAt(at) {
      const wall: Record<string, number> = {};
      for (const { type, value } of format.formatToParts(at)) wall[type] = Number(value);
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = wall;
      return Date.UTC(year, month - 1, day, hour, minute) - floor(at, MINUTE);
    },
  };
}
