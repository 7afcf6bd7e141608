/**
 * When a record is looked at. The time follows only from its id and its age, so that the next look is known although no
 * look was written: each record has a place in the hour, its `turn`, and comes up when the time, divided by the length
 * of its cycle, leaves the same remainder. All cycles divide the hour.
 */
import type { DnsRecord } from "../custom-domain.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How often records of a status and an age come up. */
export type Cycle = {
  readonly status: DnsRecord["status"];
  /** The age since its present status, in ms: from this one to below the other. */
  readonly fromAgeMs: number;
  readonly toAgeMs: number;
  readonly everyMs: number;
  /** How many looks a record gets when it comes up, evenly over the cycle. */
  readonly looks: number;
  /** How far ahead the database is asked for what comes up. */
  readonly aheadMs: number;
};

/**
 * Short while a client is probably setting the record, longer the longer it stays the same. A removed record breaks a
 * renewal weeks later, so it is early enough to notice it within an hour. Where several looks are made for one reading
 * of the record, reading it would cost more than the looks.
 */
export const CYCLES: readonly Cycle[] = [
  { status: "PENDING", fromAgeMs: 0, toAgeMs: HOUR_MS, everyMs: 10_000, looks: 5, aheadMs: 1_500 },
  { status: "PENDING", fromAgeMs: HOUR_MS, toAgeMs: DAY_MS, everyMs: 15_000, looks: 1, aheadMs: 2_000 },
  { status: "PENDING", fromAgeMs: DAY_MS, toAgeMs: 4 * DAY_MS, everyMs: MINUTE_MS, looks: 1, aheadMs: 6_000 },
  {
    status: "PENDING",
    fromAgeMs: 4 * DAY_MS,
    toAgeMs: Infinity,
    everyMs: HOUR_MS / 2,
    looks: 1,
    aheadMs: 1_500,
  },
  { status: "OK", fromAgeMs: 0, toAgeMs: HOUR_MS, everyMs: 5 * MINUTE_MS, looks: 1, aheadMs: 10_000 },
  { status: "OK", fromAgeMs: HOUR_MS, toAgeMs: Infinity, everyMs: HOUR_MS, looks: 1, aheadMs: 1_500 },
];

/** The cycle of a record at a time. Pure. */
export function cycleOf({ status, since }: Pick<DnsRecord, "status" | "since">, atMs: number): Cycle {
  const ageMs = Math.max(0, atMs - since.getTime());
  const cycle = CYCLES.find((one) => one.status === status && ageMs >= one.fromAgeMs && ageMs < one.toAgeMs);
  if (cycle === undefined) throw new Error(`No cycle is for ${status} records that are ${ageMs} ms old.`);
  return cycle;
}

/** The first time from `fromMs` on at which a turn comes up. Pure. */
export function comesUpAt(turn: number, everyMs: number, fromMs: number): number {
  return fromMs + ((((turn - fromMs) % everyMs) + everyMs) % everyMs);
}

/** The places in the hour that come up from a time until before another, as ranges without their ends. Pure. */
export function stretchesOf(
  fromMs: number,
  toMs: number,
  everyMs: number,
): readonly (readonly [first: number, ending: number])[] {
  const lengthMs = Math.min(toMs - fromMs, everyMs);
  return Array.from({ length: HOUR_MS / everyMs }, (_, index) => {
    const first = (fromMs % everyMs) + index * everyMs;
    const ending = first + lengthMs;
    if (ending <= HOUR_MS) return [[first, ending] as const];
    return [[first, HOUR_MS] as const, [0, ending - HOUR_MS] as const];
  }).flat();
}

/**
 * When a record was last looked at: what is written of it, or later, when it last came up.
 * @param lookedUntil until when workers have made all looks; null if that is not known. Pure.
 */
export function lastLookAt(
  record: Pick<DnsRecord, "status" | "since" | "turn" | "lastCheckAt">,
  lookedUntil: Date | null,
): Date | null {
  const { lastCheckAt, since, turn } = record;
  if (lastCheckAt === null || lookedUntil === null) return lastCheckAt;
  const untilMs = lookedUntil.getTime();
  const { everyMs } = cycleOf(record, untilMs);
  const cameUpAtMs = comesUpAt(turn, everyMs, untilMs - everyMs + 1);
  return cameUpAtMs > Math.max(lastCheckAt.getTime(), since.getTime()) ? new Date(cameUpAtMs) : lastCheckAt;
}
