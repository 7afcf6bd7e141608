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
    assert.equal(tellJobStart("2026-11-28T02:30:00.000Z", "Europe/Berlin"), "Sat 28 Nov, 03:30");
    assert.equal(tellJobStart("2027-03-28T01:30:00.000Z", "Europe/Berlin"), "Sun 28 Mar, 03:30");
    assert.equal(tellJobStart("2026-11-28T00:00:00.000Z", "UTC"), "Sat 28 Nov, 00:00");
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
