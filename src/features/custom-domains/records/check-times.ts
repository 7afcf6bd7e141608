/**
 * When a record is checked. The time follows only from its id and its age, so that the next check is known although no
 * check was written: each record has a `slot` in the hour, a hash of its id, and is due when the time, divided by the
 * length of its check interval, leaves the same remainder. All intervals divide the hour.
 */
import type { DnsRecord } from "../custom-domain.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How often records of a status and an age are due. */
export type CheckInterval = {
  readonly status: DnsRecord["status"];
  /** The age since its present status, in ms: from this one to below the other. */
  readonly fromAgeMs: number;
  readonly toAgeMs: number;
  readonly everyMs: number;
  /** How many checks a record gets when it is due, evenly over the interval. */
  readonly checks: number;
  /** How far ahead the database is asked for what is due. */
  readonly aheadMs: number;
};

/**
 * Short while a client is probably setting the record, longer the longer it stays the same. A removed record breaks a
 * renewal weeks later, so it is early enough to notice it within an hour. New records get several checks each time they
 * are due, because reading them from the database more often would cost more than the checks.
 */
export const CHECK_INTERVALS: readonly CheckInterval[] = [
  { status: "PENDING", fromAgeMs: 0, toAgeMs: HOUR_MS, everyMs: 10_000, checks: 5, aheadMs: 1_500 },
  { status: "PENDING", fromAgeMs: HOUR_MS, toAgeMs: DAY_MS, everyMs: 15_000, checks: 1, aheadMs: 2_000 },
  {
    status: "PENDING",
    fromAgeMs: DAY_MS,
    toAgeMs: 4 * DAY_MS,
    everyMs: MINUTE_MS,
    checks: 1,
    aheadMs: 6_000,
  },
  {
    status: "PENDING",
    fromAgeMs: 4 * DAY_MS,
    toAgeMs: Infinity,
    everyMs: HOUR_MS / 2,
    checks: 1,
    aheadMs: 1_500,
  },
  { status: "OK", fromAgeMs: 0, toAgeMs: HOUR_MS, everyMs: 5 * MINUTE_MS, checks: 1, aheadMs: 10_000 },
  { status: "OK", fromAgeMs: HOUR_MS, toAgeMs: Infinity, everyMs: HOUR_MS, checks: 1, aheadMs: 1_500 },
];

/** The check interval of a record at a time. Pure. */
export function intervalOf(
  { status, since }: Pick<DnsRecord, "status" | "since">,
  atMs: number,
): CheckInterval {
  const ageMs = Math.max(0, atMs - since.getTime());
  const interval = CHECK_INTERVALS.find(
    (one) => one.status === status && ageMs >= one.fromAgeMs && ageMs < one.toAgeMs,
  );
  if (interval === undefined)
    throw new Error(`No check interval is for ${status} records that are ${ageMs} ms old.`);
  return interval;
}

/** The first time from `fromMs` on at which a slot is due. Pure. */
export function dueAt(slot: number, everyMs: number, fromMs: number): number {
  return fromMs + ((((slot - fromMs) % everyMs) + everyMs) % everyMs);
}

/** The slots that are due from a time until before another, as ranges without their ends. Pure. */
export function dueSlots(
  fromMs: number,
  toMs: number,
  everyMs: number,
): readonly (readonly [first: number, end: number])[] {
  const lengthMs = Math.min(toMs - fromMs, everyMs);
  return Array.from({ length: HOUR_MS / everyMs }, (_, index) => {
    const first = (fromMs % everyMs) + index * everyMs;
    const end = first + lengthMs;
    if (end <= HOUR_MS) return [[first, end] as const];
    return [[first, HOUR_MS] as const, [0, end - HOUR_MS] as const];
  }).flat();
}

/**
 * When a record was last checked: the written time, or the last time at which it was due, if that is later.
 * @param checkedThrough up to when workers have made all checks; null if that is not known. Pure.
 */
export function lastCheckedAt(
  record: Pick<DnsRecord, "status" | "since" | "slot" | "lastCheckAt">,
  checkedThrough: Date | null,
): Date | null {
  const { lastCheckAt, since, slot } = record;
  if (lastCheckAt === null || checkedThrough === null) return lastCheckAt;
  const throughMs = checkedThrough.getTime();
  const { everyMs } = intervalOf(record, throughMs);
  const lastDueMs = dueAt(slot, everyMs, throughMs - everyMs + 1);
  return lastDueMs > Math.max(lastCheckAt.getTime(), since.getTime()) ? new Date(lastDueMs) : lastCheckAt;
}

/** When one of these records is checked next; pending ones count first. Null without records. Pure. */
export function nextCheckAt(records: readonly DnsRecord[], now: Date): Date | null {
  const pending = records.filter(({ status }) => status === "PENDING");
  const times = (pending.length > 0 ? pending : records).map((record) => {
    const { everyMs, checks } = intervalOf(record, now.getTime());
    return dueAt(record.slot, everyMs / checks, now.getTime());
  });
  return times.length === 0 ? null : new Date(Math.min(...times));
}
