import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { domainColumns, durationColumns, expiryColumns, outcomeColumns, trafficColumns } from "./pictures.ts";

/** A Monday. */
const NOW = Date.parse("2026-11-23T10:00:00Z");
const DAY = {
  day: "2026-11-22",
  succeeded: 3,
  failed: 1,
  stopped: 0,
  unended: 2,
  medianSeconds: 40,
  maxSeconds: 100,
};

describe("the columns of pictures", () => {
  it("have every day up to today, with or without deployments", () => {
    const columns = outcomeColumns([DAY], 3, NOW);
    assert.deepEqual(
      columns.map(({ label }) => label),
      ["21 Nov 2026", "22 Nov 2026", "23 Nov 2026"],
    );
    assert.deepEqual(
      columns.map(({ values }) => values),
      [
        [0, 0, 0, 0],
        [3, 1, 0, 2],
        [0, 0, 0, 0],
      ],
    );
  });

  it("reach from the median to the longest, and say both", () => {
    const [yesterday, today] = durationColumns([DAY], 2, NOW, (seconds) => `${seconds} s`);
    assert.deepEqual(yesterday?.values, [40, 60]);
    assert.deepEqual(yesterday.said, ["40 s", "100 s"]);
    assert.deepEqual(today?.said, ["–", "–"]);
  });

  it("show domains of today as they are now, not as they were counted", () => {
    const counts = { attached: 1, inError: 0, awaitingRecords: 2, inProgress: 0 };
    const days = [
      { ...counts, day: "2026-11-20" },
      { ...counts, day: "2026-11-23" },
    ];
    const columns = domainColumns(days, { ...counts, attached: 3, inError: 4 }, NOW);
    assert.deepEqual(
      columns.map(({ values }) => values),
      [
        [1, 2, 0, 0],
        [3, 2, 0, 4],
      ],
    );
  });

  it("show every week ahead, and all that has expired at once", () => {
    const weeks = [
      { week: "2026-11-09", count: 1 },
      { week: "2026-11-16", count: 2 },
      { week: "2026-11-30", count: 5 },
    ];
    const columns = expiryColumns(weeks, NOW);
    assert.deepEqual(columns.slice(0, 3), [
      { label: "Before this week", values: [3] },
      { label: "Week of 23 Nov 2026", values: [0] },
      { label: "Week of 30 Nov 2026", values: [5] },
    ]);
    assert.equal(columns.length, 14);
    const far = expiryColumns([{ week: "2027-12-20", count: 1 }], NOW);
    assert.deepEqual(far.at(-1), { label: "Week of 20 Dec 2027", values: [1] });
    assert.equal(expiryColumns([], NOW + 6 * 86_400_000)[0]?.label, "Week of 23 Nov 2026");
  });

  it("count each request once, by what became of it", () => {
    const point = { at: "2026-11-20T23:45:00.000Z", requests: 10, clientErrors: 3, serverErrors: 2 };
    assert.deepEqual(trafficColumns([point]), [{ label: "20 Nov 2026, 23:45 UTC", values: [5, 3, 2] }]);
  });
});
