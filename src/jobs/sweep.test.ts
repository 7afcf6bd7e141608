import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Database } from "../db/database.ts";
import { createLogger } from "../lib/log.ts";
import { createWake } from "../lib/pace/wake.ts";
import { restUntil, runSweep } from "./sweep.ts";

const HOUR_MS = 3_600_000;
/** A sweep needs the database for its scope only. */
const db = { acrossOrganizations: <T>(work: () => Promise<T>) => work() } as Database;
const log = createLogger("silent");

describe("a sweep", () => {
  for (const [nextMs, restMs] of [
    [null, 1_000],
    [HOUR_MS, 1_000],
    [700, 700],
    [0, 250],
    [-HOUR_MS, 250],
  ] as const) {
    it(`rests ${restMs} ms if more is due in ${nextMs} ms`, () => {
      assert.equal(restUntil(nextMs), restMs);
    });
  }

  it("that is woken ends a long rest, also a rest that begins after it was woken", async () => {
    const stopping = new AbortController();
    const woken = createWake(stopping.signal);
    let runs = 0;
    const run = (): Promise<number> => {
      runs += 1;
      if (runs === 3) stopping.abort();
      woken.wake();
      return Promise.resolve(HOUR_MS);
    };
    await runSweep({ name: "test", run }, { db, log, signal: stopping.signal, woken });
    assert.equal(runs, 3);
  });

  it("that is not woken ends its rest, and runs again after it failed", async () => {
    const stopping = new AbortController();
    let runs = 0;
    const run = (): Promise<number> => {
      runs += 1;
      if (runs === 1) return Promise.reject(new Error("not yet"));
      if (runs === 3) stopping.abort();
      return Promise.resolve(0);
    };
    await runSweep({ name: "test", run }, { db, log, signal: stopping.signal, woken: null });
    assert.equal(runs, 3);
  });
});
