import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DomainTimelineEntry } from "../../../sdk/src/generated/types.ts";
import { joinRepeated } from "./timeline-words.ts";

const entry = (kind: DomainTimelineEntry["kind"], hour: number, recordName = "a"): DomainTimelineEntry => ({
  id: `evt_${kind}_${hour}`,
  occurredAt: `2026-11-26T${String(hour).padStart(2, "0")}:00:00.000Z`,
  kind,
  summary: kind,
  action: null,
  recordName,
  eventType: "domain.records_changed",
  actor: { kind: "slipway", id: "slipway" },
});

describe("the timeline of a domain as people read it", () => {
  it("has a record that comes and goes once, with how often and since when", () => {
    const flapping = [9, 8, 7].flatMap((hour) => [
      entry("RECORD_FOUND", hour),
      entry("PROBLEM_ENDED", hour),
      entry("RECORD_LOST", hour),
      entry("PROBLEM_BEGAN", hour),
    ]);
    const lines = joinRepeated([...flapping, entry("ATTACHED", 1)]);
    assert.deepEqual(
      lines.map(({ entry: { kind }, count, since }) => [kind, count, since.slice(11, 13)]),
      [
        ["RECORD_FOUND", 3, "07"],
        ["PROBLEM_ENDED", 3, "07"],
        ["RECORD_LOST", 3, "07"],
        ["PROBLEM_BEGAN", 3, "07"],
        ["ATTACHED", 1, "01"],
      ],
    );
  });

  it("does not join what is about different records, or lies far apart", () => {
    const two = [entry("RECORD_FOUND", 3, "a"), entry("RECORD_FOUND", 2, "b")];
    assert.equal(joinRepeated(two).length, 2);
    const apart = [
      entry("RECORD_FOUND", 9),
      entry("ATTACHED", 8),
      entry("CERTIFICATE_ISSUED", 7),
      entry("RECORD_REQUIRED", 6),
      entry("DOMAIN_ADDED", 5),
      entry("RECORD_FOUND", 4),
    ];
    assert.equal(joinRepeated(apart).length, 6);
  });
});
