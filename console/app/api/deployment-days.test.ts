import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { summarizeDays } from "./deployment-days.ts";

const DAY = { day: "2026-11-20", succeeded: 2, failed: 1, stopped: 1, unended: 0, maxSeconds: 90 };

describe("the days of deployments in a line", () => {
  it("count them, and say how long they usually took", () => {
    const days = [
      { ...DAY, medianSeconds: 30 },
      { ...DAY, medianSeconds: 70 },
      { ...DAY, medianSeconds: 40 },
    ];
    assert.equal(summarizeDays(days), "12 deployments, 6 succeeded, 3 failed, usually 40 s");
  });

  it("leave out what there is not", () => {
    assert.equal(summarizeDays([]), "no deployment");
    const day = { ...DAY, succeeded: 1, failed: 0, stopped: 0, medianSeconds: null };
    assert.equal(summarizeDays([day]), "1 deployment, 1 succeeded");
  });
});
