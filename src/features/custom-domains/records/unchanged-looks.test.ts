import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dueRecord } from "../testing.ts";
import { createUnchangedLooks } from "./unchanged-looks.ts";

const FIRST = new Date("2026-01-01T00:00:00Z");
const SECOND = new Date("2026-01-01T00:00:02Z");

describe("checks that found nothing new", () => {
  let nowMs = 0;
  const idsOf = (looks: readonly { record: { id: string } }[]): string[] =>
    looks.map(({ record }) => record.id);

  it("are written down a second later, each once", () => {
    const looks = createUnchangedLooks(() => nowMs);
    looks.add({ record: dueRecord("a"), lookedAt: FIRST });
    nowMs += 999;
    looks.add({ record: dueRecord("b"), lookedAt: FIRST });
    assert.deepEqual(idsOf(looks.takeOld(false)), []);
    nowMs += 1;
    assert.deepEqual(idsOf(looks.takeOld(false)), ["a"]);
    assert.deepEqual(idsOf(looks.takeOld(false)), []);
    nowMs += 999;
    assert.deepEqual(idsOf(looks.takeOld(false)), ["b"]);
  });

  it("are kept for ten seconds while more is due than can be checked", () => {
    const looks = createUnchangedLooks(() => nowMs);
    looks.add({ record: dueRecord("a"), lookedAt: FIRST });
    nowMs += 9_999;
    assert.deepEqual(idsOf(looks.takeOld(true)), []);
    nowMs += 1;
    assert.deepEqual(idsOf(looks.takeOld(true)), ["a"]);
  });

  it("are written with the next taking of their record, and then no longer kept", () => {
    const looks = createUnchangedLooks(() => nowMs);
    const record = dueRecord("a");
    looks.add({ record, lookedAt: FIRST });
    assert.equal(looks.lookedAt(record), FIRST);
    looks.drop(record, FIRST);
    assert.equal(looks.lookedAt(record), null);
  });

  it("stay if a later one came while the earlier was being written", () => {
    const looks = createUnchangedLooks(() => nowMs);
    const record = dueRecord("a");
    looks.add({ record, lookedAt: FIRST });
    looks.add({ record, lookedAt: SECOND });
    looks.drop(record, FIRST);
    assert.equal(looks.lookedAt(record), SECOND);
  });

  it("are dropped if the record's value or status has changed since", () => {
    const looks = createUnchangedLooks(() => nowMs);
    looks.add({ record: dueRecord("a"), lookedAt: FIRST });
    assert.equal(looks.lookedAt(dueRecord("a", { value: "other.cdn.example" })), null);
    assert.equal(looks.lookedAt(dueRecord("a", { status: "OK" })), null);
    assert.equal(looks.lookedAt(dueRecord("b")), null);
  });
});
