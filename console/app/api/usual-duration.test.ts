import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Step } from "./deployment-rules.ts";
import { progressOf, usualDuration } from "./usual-duration.ts";

const START = Date.parse("2026-11-20T09:30:00.000Z");
const at = (seconds: number) => new Date(START + seconds * 1_000).toISOString();
const took = (
  id: string,
  seconds: number | null,
  rollbackOf: string | null = null,
  restartedServiceId: string | null = null,
) => ({
  id,
  startedAt: at(0),
  endedAt: seconds === null ? null : at(seconds),
  rollbackOf,
  restartedServiceId,
});
const OWN = took("own", null);

describe("the usual duration of a deployment", () => {
  it("is the median of the ones before, without itself, rollbacks and restarts", () => {
    const before = [took("a", 30), took("own", 1), took("b", 90), took("c", 40), took("d", 2, "a")];
    before.push(took("e", 5, null, "svc"));
    assert.equal(usualDuration(before, OWN), 40_000);
    assert.equal(usualDuration(before, took("own", null, "b")), 2_000);
    assert.equal(usualDuration(before, took("own", null, null, "svc")), 5_000);
  });

  it("is not known without any", () => {
    assert.equal(usualDuration([], OWN), null);
    assert.equal(usualDuration([took("own", 3), took("a", null)], OWN), null);
  });
});

describe("the progress of a deployment", () => {
  const steps: readonly Step[] = [
    { name: "Waiting", state: "done", from: at(-5), to: at(0) },
    { name: "Planning", state: "done", from: at(0), to: at(2) },
    { name: "Building", state: "busy", from: at(2), to: null },
    { name: "Releasing", state: "waiting", from: null, to: null },
  ];
  const running = { startedAt: at(0), endedAt: null, status: "BUILDING" } as const;

  it("is what is done of the usual duration", () => {
    const { parts, words } = progressOf(running, steps, 40_000, START + 10_000);
    assert.deepEqual(
      parts.map(({ name, part }) => [name, part]),
      [
        ["Planning", 0.05],
        ["Building", 0.2],
      ],
    );
    assert.equal(words, "10 s so far, usually 40 s");
  });

  it("never looks ended while it is under way", () => {
    const { parts, words } = progressOf(running, steps, 40_000, START + 80_000);
    assert.ok(parts.reduce((sum, { part }) => sum + part, 0) < 1);
    assert.equal(words, "1 min 20 s so far, longer than the usual 40 s");
    assert.equal(progressOf(running, steps, null, START + 10_000).words, "10 s so far");
  });

  it("is the whole bar once it has ended", () => {
    const ended = { startedAt: at(0), endedAt: at(20), status: "SUCCESS" } as const;
    const all = steps.map((step) => ({ ...step, to: step.from === null ? null : (step.to ?? at(20)) }));
    const { parts, words } = progressOf(ended, all, 40_000, START + 999_000);
    assert.equal(
      parts.reduce((sum, { part }) => sum + part, 0),
      1,
    );
    assert.equal(words, "Took 20 s, usually 40 s");
    assert.equal(progressOf({ ...ended, status: "ERROR" }, all, null, START).words, "Ended after 20 s");
  });

  it("has not begun while it waits", () => {
    const waiting = { startedAt: null, endedAt: null, status: "PENDING" } as const;
    assert.deepEqual(progressOf(waiting, steps, 40_000, START), { parts: [], words: "Usually takes 40 s" });
  });
});
