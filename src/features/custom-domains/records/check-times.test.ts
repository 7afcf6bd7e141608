import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assert as check, constantFrom, integer, property } from "fast-check";
import { dueAt, CHECK_INTERVALS, intervalOf, HOUR_MS, lastCheckedAt, dueSlots } from "./check-times.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const HOUR = 3_600;
const ago = (seconds: number): Date => new Date(NOW - seconds * 1_000);
const slots = integer({ min: 0, max: HOUR_MS - 1 });
const intervals = constantFrom(...CHECK_INTERVALS);
const times = integer({ min: NOW, max: NOW + 10 * HOUR_MS });

describe("the time between two checks", () => {
  const secondsOf = (status: "PENDING" | "OK") => (age: number) => {
    const { everyMs, checks } = intervalOf({ status, since: ago(age) }, NOW);
    return everyMs / checks / 1_000;
  };
  it("grows with the time without changes, for awaited records and for set ones", () => {
    const ages = [0, HOUR - 1, HOUR, 24 * HOUR - 1, 24 * HOUR, 4 * 24 * HOUR - 1, 4 * 24 * HOUR];
    assert.deepEqual(ages.map(secondsOf("PENDING")), [2, 2, 15, 15, 60, 60, 1_800]);
    assert.deepEqual(ages.map(secondsOf("OK")), [300, 300, HOUR, HOUR, HOUR, HOUR, HOUR]);
  });
  it("is that of a new record if its time is ahead of ours", () => assert.equal(secondsOf("PENDING")(-5), 2));
  it("divides the hour, so that a slot has one place in it", () => {
    for (const { everyMs } of CHECK_INTERVALS) assert.equal(HOUR_MS % everyMs, 0);
  });
});

describe("a slot", () => {
  it("is due once in each interval", () => {
    check(
      property(slots, intervals, times, (slot, { everyMs }, from) => {
        const at = dueAt(slot, everyMs, from);
        assert.ok(at >= from && at < from + everyMs);
        assert.equal(dueAt(slot, everyMs, at), at);
        assert.equal(dueAt(slot, everyMs, at + 1), at + everyMs);
      }),
    );
  });
  it("is in the due slots of a time exactly if it is due then", () => {
    const lengths = integer({ min: 1, max: 20_000 });
    check(
      property(slots, intervals, times, lengths, (slot, { everyMs }, from, length) => {
        const places = dueSlots(from, from + length, everyMs).filter(
          ([first, ending]) => slot >= first && slot < ending,
        );
        const isDue = dueAt(slot, everyMs, from) < from + length;
        assert.equal(places.length, isDue ? 1 : 0);
      }),
    );
  });
});

describe("the last check of a record", () => {
  const right = { status: "OK", since: ago(10 * HOUR), slot: (NOW - 60_000) % HOUR_MS } as const;
  it("is the last time it was due, if checks since then found nothing new", () => {
    const record = { ...right, lastCheckAt: ago(5 * HOUR) };
    assert.deepEqual(lastCheckedAt(record, new Date(NOW)), ago(60));
    assert.deepEqual(lastCheckedAt(record, ago(61)), ago(60 + HOUR));
  });
  it("is the written time, if that is later", () => {
    assert.deepEqual(lastCheckedAt({ ...right, lastCheckAt: ago(30) }, new Date(NOW)), ago(30));
  });
  it("is the written time, as long as no worker reported its checks", () => {
    assert.deepEqual(lastCheckedAt({ ...right, lastCheckAt: ago(5 * HOUR) }, null), ago(5 * HOUR));
    assert.deepEqual(lastCheckedAt({ ...right, lastCheckAt: ago(5 * HOUR) }, ago(6 * HOUR)), ago(5 * HOUR));
  });
  it("is unknown before the first one", () => {
    assert.equal(lastCheckedAt({ ...right, lastCheckAt: null }, new Date(NOW)), null);
  });
  it("is never later than the time through which all were made", () => {
    check(
      property(slots, times, constantFrom("PENDING" as const, "OK" as const), (slot, until, status) => {
        const at = lastCheckedAt({ status, since: ago(0), slot, lastCheckAt: ago(0) }, new Date(until));
        assert.ok(at !== null && at.getTime() <= until);
      }),
    );
  });
});
