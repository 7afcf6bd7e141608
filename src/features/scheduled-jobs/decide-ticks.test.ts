import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCron } from "../../lib/cron/cron.ts";
import { openZone } from "../../lib/cron/run-times.ts";
import { decideTicks, type JobState, type LatestAttempt, type Ticks } from "./decide-ticks.ts";

const at = (time: string): Date =>
  new Date(time.length === 5 ? `2026-11-20T${time}:00Z` : `2026-11-20T${time}Z`);

type Given = {
  readonly schedule?: string;
  readonly overlap?: "forbid" | "queue" | "replace";
  readonly missed?: "skip" | "runOnce";
  readonly retries?: number;
  readonly from: string | Date;
  readonly waitingFor?: Date | null;
  readonly isUnderWay?: boolean;
  readonly latest?: LatestAttempt | null;
  readonly now: string;
};

function decide({
  schedule = "*/5 * * * *",
  overlap = "forbid",
  missed = "skip",
  retries = 0,
  ...given
}: Given): Ticks {
  const cron = parseCron(schedule);
  if ("fault" in cron) throw new Error(cron.fault);
  const { from, waitingFor = null, isUnderWay = false, latest = null, now } = given;
  const state: JobState = { handledUntil: typeof from === "string" ? at(from) : from, waitingFor };
  const rules = { overlap, missed, retries };
  return decideTicks(rules, { cron, zone: openZone("UTC") }, state, { isUnderWay, latest }, at(now));
}

/** What happens, in short. */
function tell({ start, skipped, missed, missedCount, cancels, endsRetries, state, nextAt }: Ticks) {
  const time = (date: Date | null) => date?.toISOString().slice(11, 16) ?? null;
  return {
    ...(start === null ? {} : { start: `${time(start.scheduledFor)} #${start.attempt}` }),
    ...(skipped.length === 0 ? {} : { skipped: skipped.map(time) }),
    ...(missed.length === 0 ? {} : { missed: missed.map(time), of: missedCount }),
    ...(cancels ? { cancels } : {}),
    ...(endsRetries ? { endsRetries } : {}),
    ...(state.waitingFor === null ? {} : { waiting: time(state.waitingFor) }),
    next: time(nextAt),
  };
}

const failed = (attempt: number, endedAt: string, isRepeated: boolean | null = null): LatestAttempt => ({
  scheduledFor: at("10:00"),
  attempt,
  endedAt: at(endedAt),
  hasFailed: true,
  isRepeated,
});

const CASES: readonly (readonly [says: string, given: Given, expected: object])[] = [
  ["nothing is due", { from: "10:01", now: "10:02" }, { next: "10:05" }],
  ["it is due now", { from: "10:01", now: "10:05" }, { start: "10:05 #1", next: "10:10" }],
  ["the same minute is not due again", { from: "10:05", now: "10:05:30" }, { next: "10:10" }],
  ["60 s late still starts", { from: "10:01", now: "10:06" }, { start: "10:05 #1", next: "10:10" }],
  ["more is missed", { from: "10:01", now: "10:06:01" }, { missed: ["10:05"], of: 1, next: "10:10" }],
  [
    "several are missed, and the one on time starts",
    { from: "10:01", now: "10:20:10" },
    { missed: ["10:05", "10:10", "10:15"], of: 3, start: "10:20 #1", next: "10:25" },
  ],
  [
    "runOnce catches up the last one only",
    { missed: "runOnce", from: "10:01", now: "10:17" },
    { missed: ["10:05", "10:10"], of: 2, start: "10:15 #1", next: "10:20" },
  ],
  [
    "runOnce catches up none if one is on time",
    { missed: "runOnce", from: "10:01", now: "10:15" },
    { missed: ["10:05", "10:10"], of: 2, start: "10:15 #1", next: "10:20" },
  ],
  [
    "a caught-up start is skipped during another",
    { missed: "runOnce", from: "10:01", now: "10:08", isUnderWay: true },
    { skipped: ["10:05"], next: "10:10" },
  ],
  [
    "a long gap has ten records, and the last is the last",
    { schedule: "* * * * *", from: "10:00", now: "12:00:01" },
    {
      missed: ["10:01", "10:02", "10:03", "10:04", "10:05", "10:06", "10:07", "10:08", "10:09", "11:59"],
      of: 119,
      start: "12:00 #1",
      next: "12:01",
    },
  ],
  ["forbid skips", { from: "10:01", now: "10:05", isUnderWay: true }, { skipped: ["10:05"], next: "10:10" }],
  [
    "queue waits",
    { overlap: "queue", from: "10:01", now: "10:05", isUnderWay: true },
    { waiting: "10:05", next: "10:10" },
  ],
  [
    "at most one waits",
    { overlap: "queue", from: "10:06", now: "10:10", waitingFor: at("10:05"), isUnderWay: true },
    { waiting: "10:05", skipped: ["10:10"], next: "10:15" },
  ],
  [
    "what waits starts after the end",
    { overlap: "queue", from: "10:06", now: "10:08", waitingFor: at("10:05") },
    { start: "10:05 #1", next: "10:10" },
  ],
  [
    "replace cancels, and waits for the end",
    { overlap: "replace", from: "10:01", now: "10:05", isUnderWay: true },
    { cancels: true, waiting: "10:05", next: "10:10" },
  ],
  [
    "a newer one replaces what waits",
    { overlap: "replace", from: "10:06", now: "10:10", waitingFor: at("10:05"), isUnderWay: true },
    { cancels: true, waiting: "10:10", skipped: ["10:05"], next: "10:15" },
  ],
  [
    "without retries, a failure stays",
    { from: "10:01", now: "10:02", latest: failed(1, "10:01") },
    { next: "10:05" },
  ],
  [
    "a retry is due after 30 s",
    { retries: 1, from: "10:01", now: "10:01", latest: failed(1, "10:01") },
    { next: "10:01" },
  ],
  [
    "a retry starts",
    { retries: 1, from: "10:01", now: "10:01:30", latest: failed(1, "10:01") },
    { start: "10:00 #2", next: "10:05" },
  ],
  [
    "the next retry waits twice as long",
    { retries: 2, from: "10:01", now: "10:01:59", latest: failed(2, "10:01") },
    { next: "10:02" },
  ],
  [
    "the last failure stays",
    { retries: 2, from: "10:01", now: "10:04", latest: failed(3, "10:01") },
    { next: "10:05" },
  ],
  [
    "the last attempt stays the last with more retries",
    { retries: 5, from: "10:01", now: "10:04", latest: failed(1, "10:01", false) },
    { next: "10:05" },
  ],
  [
    "with fewer retries, an attempt that was to be repeated is the last",
    { retries: 1, from: "10:01", now: "10:01:10", latest: failed(2, "10:01", true) },
    { endsRetries: true, next: "10:05" },
  ],
  [
    "with retries left, it is repeated",
    { retries: 2, from: "10:01", now: "10:02", latest: failed(2, "10:01", true) },
    { start: "10:00 #3", next: "10:05" },
  ],
  [
    "a new start takes the place of a retry",
    { retries: 5, from: "10:04", now: "10:05", latest: failed(5, "10:04") },
    { start: "10:05 #1", endsRetries: true, next: "10:10" },
  ],
  [
    "so does a start that waited for the end of the failure",
    {
      overlap: "queue",
      retries: 1,
      from: "10:06",
      now: "10:08",
      waitingFor: at("10:05"),
      latest: failed(1, "10:08"),
    },
    { start: "10:05 #1", endsRetries: true, next: "10:10" },
  ],
  [
    "none ends what was repeated often enough",
    { retries: 1, from: "10:04", now: "10:05", latest: failed(2, "10:04") },
    { start: "10:05 #1", next: "10:10" },
  ],
  [
    "no retry during another execution",
    { retries: 1, from: "10:01", now: "10:02", latest: failed(1, "10:01"), isUnderWay: true },
    { next: "10:05" },
  ],
  ["a clock that goes back repeats nothing", { from: "10:05", now: "10:04" }, { next: "10:05" }],
];

describe("decideTicks", () => {
  for (const [says, given, expected] of CASES)
    it(says, () => assert.deepEqual(tell(decide(given)), expected));

  it("does not count the starts of a very long gap", () => {
    const from = new Date("2025-11-20T09:00:00Z");
    const { missed, missedCount, start } = decide({ schedule: "* * * * *", from, now: "10:00:30" });
    assert.equal(missedCount, null);
    assert.equal(missed.length, 10);
    assert.deepEqual(missed.at(-1), at("09:59"));
    assert.deepEqual(start, { scheduledFor: at("10:00"), attempt: 1 });
  });

  it("never handles a start twice when its clock went back", () => {
    const { state } = decide({ from: "10:05", now: "10:04" });
    assert.deepEqual(state.handledUntil, at("10:05"));
  });
});
