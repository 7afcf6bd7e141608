import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  decideBackup,
  decideCertificates,
  decideClock,
  decideCloudAccounts,
  decideDisk,
  decideEvents,
  decideSchema,
  decideWebhooks,
  decideWork,
  decideWorkers,
  failed,
  ok,
  skipped,
  sumUp,
  warning,
} from "./decide-health.ts";
import type { Outcome } from "./health.ts";

const GIB = 2 ** 30;
const DAY_S = 86_400;
const NOW = new Date("2026-11-23T12:00:00Z");
const disk = (freeBytes: number, totalBytes: number) => [
  { variable: "SLIPWAY_DATA_DIR", freeBytes, totalBytes },
];
const webhooks = (backlog: number) => [{ status: "HEALTHY", endpoints: 1, backlog }];

const CASES: readonly (readonly [what: string, found: Outcome, status: Outcome["status"]])[] = [
  ["all migrations and no other", decideSchema([], []), "ok"],
  ["a migration that has not run", decideSchema(["0002_b.sql"], []), "failed"],
  ["a newer migration, during an upgrade", decideSchema([], ["0099_z.sql"]), "warning"],
  ["clocks that differ by 4 s", decideClock(4_000), "ok"],
  ["clocks that differ by 5 s", decideClock(5_000), "warning"],
  ["clocks that differ by a minute, either way", decideClock(-60_000), "failed"],
  ["no due work", decideWork(null), "ok"],
  ["work due for 59 s", decideWork(59), "ok"],
  ["work due for a minute", decideWork(60), "warning"],
  ["work due for ten minutes", decideWork(600), "failed"],
  ["claims, however long the rest waits", decideWorkers(1, 6_000), "ok"],
  ["no claim and no work", decideWorkers(0, null), "ok"],
  ["no claim just now", decideWorkers(0, 59), "ok"],
  ["no claim and work that waits", decideWorkers(0, 60), "failed"],
  ["events numbered soon", decideEvents(59), "ok"],
  ["events not numbered", decideEvents(60), "failed"],
  ["no endpoints", decideWebhooks([]), "ok"],
  ["a small backlog", decideWebhooks(webhooks(99_999)), "ok"],
  ["a large backlog", decideWebhooks(webhooks(100_000)), "warning"],
  ["no certificates", decideCertificates(null), "ok"],
  ["30 days left", decideCertificates(30 * DAY_S), "ok"],
  ["less than 30 days left", decideCertificates(30 * DAY_S - 1), "warning"],
  ["less than 7 days left", decideCertificates(7 * DAY_S - 1), "failed"],
  ["an expired certificate", decideCertificates(-1), "failed"],
  ["no accounts", decideCloudAccounts({ connected: 0, failing: 0, disconnected: 0 }), "ok"],
  [
    "an account that its customer disconnected",
    decideCloudAccounts({ connected: 1, failing: 0, disconnected: 1 }),
    "ok",
  ],
  ["some accounts that fail", decideCloudAccounts({ connected: 2, failing: 1, disconnected: 0 }), "warning"],
  ["all accounts that fail", decideCloudAccounts({ connected: 2, failing: 2, disconnected: 0 }), "failed"],
  ["a disk with room", decideDisk(disk(2 * GIB, 100 * GIB)), "ok"],
  ["a small disk that is mostly free", decideDisk(disk(GIB, 2 * GIB)), "ok"],
  ["a disk with little room", decideDisk(disk(2 * GIB - 1, 100 * GIB)), "warning"],
  ["a full disk", decideDisk(disk(GIB / 4 - 1, GIB)), "failed"],
  ["a backup of a week ago", decideBackup({ madeAt: "2026-11-15T12:00:01Z" }, NOW), "ok"],
  ["a backup of more than a week ago", decideBackup({ madeAt: "2026-11-15T12:00:00Z" }, NOW), "warning"],
  ["no backup", decideBackup(null, NOW), "warning"],
];

describe("the health of", () => {
  for (const [what, { status, fix }, wanted] of CASES) {
    it(`${what} is ${wanted}`, () => {
      assert.equal(status, wanted);
      assert.equal(fix === null, wanted === "ok", "what is not well says what to do");
    });
  }

  it("all is the worst of each", () => {
    const of = (...outcomes: readonly Outcome[]) =>
      sumUp(outcomes.map((outcome) => ({ code: "CLOCK", ...outcome })));
    assert.equal(of(ok("a"), skipped("b")), "ok");
    assert.equal(of(ok("a"), warning("b", "c"), skipped("d")), "warning");
    assert.equal(of(warning("a", "b"), failed("c", "d"), ok("e")), "failed");
  });
});
