import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assert as check, constantFrom, integer, property } from "fast-check";
import { comesUpAt, CYCLES, cycleOf, HOUR_MS, lastLookAt, stretchesOf } from "./turns.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const HOUR = 3_600;
const ago = (seconds: number): Date => new Date(NOW - seconds * 1_000);
const turns = integer({ min: 0, max: HOUR_MS - 1 });
const cycles = constantFrom(...CYCLES);
const times = integer({ min: NOW, max: NOW + 10 * HOUR_MS });

describe("the time between two looks", () => {
  const secondsOf = (status: "PENDING" | "OK") => (age: number) => {
    const { everyMs, looks } = cycleOf({ status, since: ago(age) }, NOW);
    return everyMs / looks / 1_000;
  };
  it("grows with the time without changes, for awaited records and for set ones", () => {
    const ages = [0, HOUR - 1, HOUR, 24 * HOUR - 1, 24 * HOUR, 4 * 24 * HOUR - 1, 4 * 24 * HOUR];
    assert.deepEqual(ages.map(secondsOf("PENDING")), [2, 2, 15, 15, 60, 60, 1_800]);
    assert.deepEqual(ages.map(secondsOf("OK")), [300, 300, HOUR, HOUR, HOUR, HOUR, HOUR]);
  });
  it("is that of a new record if its time is ahead of ours", () => assert.equal(secondsOf("PENDING")(-5), 2));
  it("divides the hour, so that a turn has one place in it", () => {
    for (const { everyMs } of CYCLES) assert.equal(HOUR_MS % everyMs, 0);
  });
});

describe("a turn", () => {
  it("comes up once in each cycle", () => {
    check(
      property(turns, cycles, times, (turn, { everyMs }, from) => {
        const at = comesUpAt(turn, everyMs, from);
        assert.ok(at >= from && at < from + everyMs);
        assert.equal(comesUpAt(turn, everyMs, at), at);
        assert.equal(comesUpAt(turn, everyMs, at + 1), at + everyMs);
      }),
    );
  });
  it("is in the stretches of a time exactly if it comes up then", () => {
    const lengths = integer({ min: 1, max: 20_000 });
    check(
      property(turns, cycles, times, lengths, (turn, { everyMs }, from, length) => {
        const places = stretchesOf(from, from + length, everyMs).filter(
          ([first, ending]) => turn >= first && turn < ending,
        );
        const comesUp = comesUpAt(turn, everyMs, from) < from + length;
        assert.equal(places.length, comesUp ? 1 : 0);
      }),
    );
  });
});

describe("the last look at a record", () => {
  const right = { status: "OK", since: ago(10 * HOUR), turn: (NOW - 60_000) % HOUR_MS } as const;
  it("is when it last came up, where looks since then found nothing new", () => {
    const record = { ...right, lastCheckAt: ago(5 * HOUR) };
    assert.deepEqual(lastLookAt(record, new Date(NOW)), ago(60));
    assert.deepEqual(lastLookAt(record, ago(61)), ago(60 + HOUR));
  });
  it("is what is written, if that is later", () => {
    assert.deepEqual(lastLookAt({ ...right, lastCheckAt: ago(30) }, new Date(NOW)), ago(30));
  });
  it("is what is written, as long as no worker said until when it looked", () => {
    assert.deepEqual(lastLookAt({ ...right, lastCheckAt: ago(5 * HOUR) }, null), ago(5 * HOUR));
    assert.deepEqual(lastLookAt({ ...right, lastCheckAt: ago(5 * HOUR) }, ago(6 * HOUR)), ago(5 * HOUR));
  });
  it("was not, before the first one", () => {
    assert.equal(lastLookAt({ ...right, lastCheckAt: null }, new Date(NOW)), null);
  });
  it("is never later than the time until which all were made", () => {
    check(
      property(turns, times, constantFrom("PENDING" as const, "OK" as const), (turn, until, status) => {
        const at = lastLookAt({ status, since: ago(0), turn, lastCheckAt: ago(0) }, new Date(until));
        assert.ok(at !== null && at.getTime() <= until);
      }),
    );
  });
});
