import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  reasonAgainstCancel,
  reasonAgainstRun,
  tellJobStart,
  tellStart,
  tellTimeLimit,
} from "./execution-words.ts";

describe("the words of executions", () => {
  it("say what started one", () => {
    const nightly = { jobId: "nightly", attempt: 1 };
    assert.equal(tellStart({ trigger: "run", jobId: null, attempt: 1 }), "one-off");
    assert.equal(tellStart({ trigger: "deploy", jobId: null, attempt: 1 }), "after a release");
    assert.equal(tellStart({ trigger: "schedule", ...nightly }), "schedule of nightly");
    assert.equal(
      tellStart({ trigger: "schedule", ...nightly, attempt: 2 }),
      "schedule of nightly, attempt 2",
    );
    assert.equal(tellStart({ trigger: "request", ...nightly }), "job nightly, on request");
  });

  it("say the time limit in the largest whole unit", () => {
    const told = [60, 300, 3_600, 5_400, 86_400].map((timeLimitSeconds) =>
      tellTimeLimit({ timeLimitSeconds }),
    );
    assert.deepEqual(told, ["1 minute", "5 minutes", "1 hour", "90 minutes", "24 hours"]);
  });

  it("say when a job starts on the clocks of its time zone, also after they change", () => {
    const tell = (at: string, timezone: string, now = "2026-11-20T12:00:00.000Z") =>
      tellJobStart(at, timezone, Date.parse(now));
    assert.equal(tell("2026-11-28T02:30:00.000Z", "Europe/Berlin"), "Sat 28 Nov, 03:30");
    assert.equal(
      tell("2027-03-28T01:30:00.000Z", "Europe/Berlin", "2027-01-02T12:00:00.000Z"),
      "Sun 28 Mar, 03:30",
    );
    assert.equal(tell("2026-11-28T00:00:00.000Z", "UTC"), "Sat 28 Nov, 00:00");
  });

  it("say the year of a start that is in another one, on the same clocks", () => {
    const tell = (at: string, timezone: string, now: string) => tellJobStart(at, timezone, Date.parse(now));
    const [newYear, eve] = ["2027-01-01T02:30:00.000Z", "2026-12-31T23:30:00.000Z"];
    assert.equal(tell(newYear, "UTC", eve), "Fri 1 Jan 2027, 02:30");
    assert.equal(tell(newYear, "Europe/Berlin", eve), "Fri 1 Jan, 03:30");
    assert.equal(tell(newYear, "America/New_York", eve), "Thu 31 Dec, 21:30");
    assert.equal(tell("2027-11-28T02:30:00.000Z", "UTC", eve), "Sun 28 Nov 2027, 02:30");
  });

  it("refuse to cancel what has ended, or is being cancelled", () => {
    assert.equal(reasonAgainstCancel({ endedAt: null, isCancelRequested: false }), null);
    assert.match(
      reasonAgainstCancel({ endedAt: "2026-11-20T10:12:19.000Z", isCancelRequested: false }) ?? "",
      /ended/,
    );
    assert.match(reasonAgainstCancel({ endedAt: null, isCancelRequested: true }) ?? "", /already/);
  });

  it("refuse to run where nothing is live, or a second person has to agree", () => {
    const open = { deployers: "developer", approval: null } as const;
    assert.equal(reasonAgainstRun({ protection: open }, true), null);
    assert.equal(reasonAgainstRun({ protection: open }, null), null);
    assert.match(reasonAgainstRun({ protection: open }, false) ?? "", /Deploy it first/);
    const held = { deployers: "developer", approval: { approvers: "developer", timeoutHours: 24 } } as const;
    assert.match(reasonAgainstRun({ protection: held }, true) ?? "", /requires an approval/);
  });
});
