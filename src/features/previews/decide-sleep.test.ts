import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideSleep, type SleepFacts, type SleepStep, WATCH_MS } from "./decide-sleep.ts";

const NOW = new Date("2026-11-26T12:00:00Z");
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const wait = (ms: number | null): SleepStep => ({ kind: "wait", ms });
const MINUTE_MS = 60_000;

const ACTIVITIES = {
  "nothing live": null,
  "used now": { usedAt: NOW, asleepSince: null },
  "used 29 minutes ago": { usedAt: ago(29), asleepSince: null },
  "used 30 minutes ago": { usedAt: ago(30), asleepSince: null },
  "used a day ago": { usedAt: ago(1_440), asleepSince: null },
  asleep: { usedAt: ago(40), asleepSince: ago(10) },
  "used in the future of another clock": { usedAt: ago(-5), asleepSince: null },
} satisfies Record<string, SleepFacts["activity"]>;

const TABLE: Readonly<
  Record<keyof typeof ACTIVITIES, { readonly 30: SleepStep; readonly never: SleepStep }>
> = {
  "nothing live": { 30: wait(30 * MINUTE_MS), never: wait(null) },
  "used now": { 30: wait(30 * MINUTE_MS), never: wait(null) },
  "used 29 minutes ago": { 30: wait(MINUTE_MS), never: wait(null) },
  "used 30 minutes ago": { 30: { kind: "sleep" }, never: wait(null) },
  "used a day ago": { 30: { kind: "sleep" }, never: wait(null) },
  asleep: { 30: wait(WATCH_MS), never: wait(WATCH_MS) },
  "used in the future of another clock": { 30: wait(35 * MINUTE_MS), never: wait(null) },
};

describe("the sleep of a preview", () => {
  for (const [given, { 30: of30, never }] of Object.entries(TABLE))
    it(`${given}: ${of30.kind} with sleepAfterMinutes, ${never.kind} without`, () => {
      const activity = ACTIVITIES[given as keyof typeof ACTIVITIES];
      assert.deepEqual(decideSleep({ sleepAfterMinutes: 30, activity, now: NOW }), of30);
      assert.deepEqual(decideSleep({ sleepAfterMinutes: null, activity, now: NOW }), never);
    });
});
