import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dueRecord } from "../testing.ts";
import { createUnchangedChecks } from "./unchanged-checks.ts";

const FIRST = new Date("2026-01-01T00:00:00Z");
const SECOND = new Date("2026-01-01T00:00:02Z");

describe("checks that found nothing new", () => {
  let nowMs = 0;
  const idsOf = (checks: readonly { record: { id: string } }[]): string[] =>
    checks.map(({ record }) => record.id);

  it("are written down a second later, each once", () => {
    const checks = createUnchangedChecks(() => nowMs);
    checks.add({ record: dueRecord("a"), checkedAt: FIRST });
    nowMs += 999;
    checks.add({ record: dueRecord("b"), checkedAt: FIRST });
    assert.deepEqual(idsOf(checks.takeOld(false)), []);
    nowMs += 1;
    assert.deepEqual(idsOf(checks.takeOld(false)), ["a"]);
    assert.deepEqual(idsOf(checks.takeOld(false)), []);
    nowMs += 999;
    assert.deepEqual(idsOf(checks.takeOld(false)), ["b"]);
  });

  it("are kept for ten seconds while more is due than can be checked", () => {
    const checks = createUnchangedChecks(() => nowMs);
    checks.add({ record: dueRecord("a"), checkedAt: FIRST });
    nowMs += 9_999;
    assert.deepEqual(idsOf(checks.takeOld(true)), []);
    nowMs += 1;
    assert.deepEqual(idsOf(checks.takeOld(true)), ["a"]);
  });

  it("are written with the next taking of their record, and then no longer kept", () => {
    const checks = createUnchangedChecks(() => nowMs);
    const record = dueRecord("a");
    checks.add({ record, checkedAt: FIRST });
    assert.equal(checks.checkedAt(record), FIRST);
    checks.drop(record, FIRST);
    assert.equal(checks.checkedAt(record), null);
  });

  it("stay if a later one came while the earlier was being written", () => {
    const checks = createUnchangedChecks(() => nowMs);
    const record = dueRecord("a");
    checks.add({ record, checkedAt: FIRST });
    checks.add({ record, checkedAt: SECOND });
    checks.drop(record, FIRST);
    assert.equal(checks.checkedAt(record), SECOND);
  });

  it("are dropped if the record's value or status has changed since", () => {
    const checks = createUnchangedChecks(() => nowMs);
    checks.add({ record: dueRecord("a"), checkedAt: FIRST });
    assert.equal(checks.checkedAt(dueRecord("a", { value: "other.cdn.example" })), null);
    assert.equal(checks.checkedAt(dueRecord("a", { status: "OK" })), null);
    assert.equal(checks.checkedAt(dueRecord("b")), null);
  });
});
