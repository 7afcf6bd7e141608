import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Clock } from "../clock.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** A clock that stands still until it is told otherwise. */
export function createTestClock(start = "2026-03-01T12:00:00.000Z"): Clock & { advance(ms: number): void } {
  let nowMs = Date.parse(start);
  return {
    now: () => new Date(nowMs),
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** A path for a key folder that does not exist yet; removed after the test. */
export async function temporaryKeyFolder(t: TestContext): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "slipway-sealing-"));
  t.after(() => rm(parent, { recursive: true, force: true }));
  return join(parent, "keys");
}
