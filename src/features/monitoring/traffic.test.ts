import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pointsOf, stepSecondsOf } from "./traffic.ts";

const at = (time: string) => new Date(`2026-11-20T${time}Z`);

describe("pointsOf", () => {
  it("sums minutes by step, and says that a step without any had no requests", () => {
    const minutes = [
      { at: at("10:01:00"), requests: 3, clientErrors: 1, serverErrors: 0 },
      { at: at("10:04:00"), requests: 4, clientErrors: 0, serverErrors: 2 },
      { at: at("10:10:00"), requests: 5, clientErrors: 0, serverErrors: 0 },
    ];
    assert.deepEqual(pointsOf({ from: at("10:00:30"), until: at("10:10:20"), minutes }, 300), [
      { at: at("10:00:00"), requests: 7, clientErrors: 1, serverErrors: 2 },
      { at: at("10:05:00"), requests: 0, clientErrors: 0, serverErrors: 0 },
      { at: at("10:10:00"), requests: 5, clientErrors: 0, serverErrors: 0 },
    ]);
  });

  it("has no step that begins when nothing is known any more", () => {
    assert.equal(pointsOf({ from: at("10:00:00"), until: at("10:05:00"), minutes: [] }, 300).length, 1);
    assert.deepEqual(pointsOf({ from: at("10:00:00"), until: at("10:00:00"), minutes: [] }, 300), []);
  });
});

describe("stepSecondsOf", () => {
  it("makes at most about a hundred steps", () => {
    for (let hours = 1; hours <= 24; hours += 1) {
      assert.ok((hours * 3_600) / stepSecondsOf(hours) <= 96, `${hours} hours`);
    }
  });
});
