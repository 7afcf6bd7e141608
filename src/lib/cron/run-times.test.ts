import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Cron, parseCron } from "./cron.ts";
import { nextRun, nextRuns, openZone, writeLocal } from "./run-times.ts";

function cronOf(text: string): Cron {
  const cron = parseCron(text);
  if ("fault" in cron) throw new Error(cron.fault);
  return cron;
}

/** The runs in UTC, as `DD HH:MM`. */
function runs(schedule: string, zone: string, after: string, count: number): readonly string[] {
  const found = nextRuns(cronOf(schedule), openZone(zone), new Date(after), count);
  return found.map((at) => at.toISOString().slice(8, 16).replace("T", " "));
}

describe("runs at a change of the clocks", () => {
  const BERLIN = "Europe/Berlin";
  const NEW_YORK = "America/New_York";
  // The clocks: Berlin 29 March 2026 02:00 → 03:00 (01:00 UTC) and 25 October 03:00 → 02:00 (01:00 UTC);
  // New York 8 March 2026 02:00 → 03:00 (07:00 UTC) and 1 November 02:00 → 01:00 (06:00 UTC).
  for (const [what, schedule, zone, after, expected] of [
    [
      "starts a run of a skipped hour at the next minute",
      "30 2 * * *",
      BERLIN,
      "2026-03-28T12:00Z",
      ["29 01:00", "30 00:30"],
    ],
    [
      "starts several runs of a skipped hour once",
      "0,15,30 2 * * *",
      BERLIN,
      "2026-03-28T12:00Z",
      ["29 01:00", "30 00:00"],
    ],
    [
      "starts once if the next minute has a run, too",
      "0 2,3 * * *",
      BERLIN,
      "2026-03-28T12:00Z",
      ["29 01:00", "30 00:00"],
    ],
    [
      "leaves the runs before and after it as they are",
      "30 1-4 * * *",
      BERLIN,
      "2026-03-28T23:00Z",
      ["29 00:30", "29 01:00", "29 01:30", "29 02:30"],
    ],
    [
      "starts a run of a doubled hour once",
      "30 2 * * *",
      BERLIN,
      "2026-10-24T12:00Z",
      ["25 00:30", "26 01:30"],
    ],
    [
      "starts each of several runs of a doubled hour once",
      "0,30 2,3 * * *",
      BERLIN,
      "2026-10-24T12:00Z",
      ["25 00:00", "25 00:30", "25 02:00", "25 02:30", "26 01:00"],
    ],
    [
      "starts none in the second of two doubled hours",
      "*/30 0-6 * * *",
      BERLIN,
      "2026-10-25T00:10Z",
      ["25 00:30", "25 02:00", "25 02:30"],
    ],
    ["starts none of it if asked within that hour", "45 2 * * *", BERLIN, "2026-10-25T01:10Z", ["26 01:45"]],
    [
      "starts a run of a skipped hour at the next minute",
      "30 2 * * *",
      NEW_YORK,
      "2026-03-07T12:00Z",
      ["08 07:00", "09 06:30"],
    ],
    [
      "starts several runs of a skipped hour once",
      "*/20 2 * * *",
      NEW_YORK,
      "2026-03-08T00:00Z",
      ["08 07:00", "09 06:00"],
    ],
    [
      "starts a run of a doubled hour once",
      "30 1 * * *",
      NEW_YORK,
      "2026-10-31T12:00Z",
      ["01 05:30", "02 06:30"],
    ],
    [
      "starts none in the second of two doubled hours",
      "15,45 1 * * *",
      NEW_YORK,
      "2026-11-01T05:30Z",
      ["01 05:45", "02 06:15"],
    ],
    [
      "starts each hour where an hour is skipped",
      "30 * * * *",
      BERLIN,
      "2026-03-28T23:00Z",
      ["28 23:30", "29 00:30", "29 01:30"],
    ],
    [
      "starts each hour where an hour is doubled",
      "30 * * * *",
      BERLIN,
      "2026-10-24T23:00Z",
      ["24 23:30", "25 00:30", "25 01:30", "25 02:30"],
    ],
    [
      "starts each quarter of an hour",
      "*/15 * * * *",
      NEW_YORK,
      "2026-11-01T05:40Z",
      ["01 05:45", "01 06:00", "01 06:15"],
    ],
    [
      "knows clocks that move by half an hour",
      "15 2 * * *",
      "Australia/Lord_Howe",
      "2026-10-03T00:00Z",
      ["03 15:30", "04 15:15"],
    ],
    [
      "knows clocks that move at midnight",
      "30 0 * * *",
      "America/Santiago",
      "2026-09-05T12:00Z",
      ["06 04:00", "07 03:30"],
    ],
    [
      "knows a zone without one of its days",
      "0 12 * * *",
      "Pacific/Apia",
      "2011-12-29T23:00Z",
      ["30 10:00", "30 22:00"],
    ],
  ] as const)
    it(`${what}: ${schedule} in ${zone}`, () => {
      assert.deepEqual(runs(schedule, zone, after, expected.length), expected);
    });

  it("starts each minute of a year once, in order", () => {
    for (const zone of [BERLIN, NEW_YORK]) {
      const every = nextRuns(cronOf("7 * * * *"), openZone(zone), new Date("2025-12-31T23:59Z"), 8760);
      assert.ok(
        every.every(
          (at, index) => index === 0 || at.getTime() - (every[index - 1]?.getTime() ?? 0) === 3_600_000,
        ),
      );
      const daily = nextRuns(cronOf("30 1,2 * * *"), openZone(zone), new Date("2025-12-31T23:59Z"), 730);
      assert.ok(daily.every((at, index) => index === 0 || at > (daily[index - 1] ?? at)));
      assert.equal(new Set(daily.map((at) => writeLocal(at, openZone(zone)).slice(0, 10))).size, 365);
    }
  });
});

describe("runs of a schedule", () => {
  for (const [schedule, after, expected] of [
    ["0 3 29 2 *", "2097-01-01T00:00Z", "2104-02-29T03:00"],
    ["0 0 31 4,5 *", "2026-01-01T00:00Z", "2026-05-31T00:00"],
    // Day and weekday: one of them is enough.
    ["0 0 13 * 5", "2026-01-09T12:00Z", "2026-01-13T00:00"],
    ["0 0 * * 7", "2026-01-01T00:00Z", "2026-01-04T00:00"],
    ["5-20/5 8 * * 1-5", "2026-01-02T08:20Z", "2026-01-05T08:05"],
    ["* * * * *", "2026-01-02T08:20:30Z", "2026-01-02T08:21"],
    ["0 0 1 1 *", "2026-01-01T00:00Z", "2027-01-01T00:00"],
    ["*/10 * 1 */3 *", "2026-01-01T23:50Z", "2026-04-01T00:00"],
  ] as const)
    it(`finds the run of ${schedule} after ${after}`, () => {
      const next = nextRun(cronOf(schedule), openZone("UTC"), new Date(after));
      assert.equal(next?.toISOString().slice(0, 16), expected);
    });

  it("writes the time on the wall with its offset", () => {
    assert.equal(
      writeLocal(new Date("2026-03-29T01:00Z"), openZone("Europe/Berlin")),
      "2026-03-29T03:00+02:00",
    );
    assert.equal(
      writeLocal(new Date("2026-01-01T00:10Z"), openZone("America/St_Johns")),
      "2025-12-31T20:40-03:30",
    );
  });
});
