import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  decideBatchSize,
  decideFollowing,
  decideHealth,
  decideNews,
  type Outcome,
  readRetryAfter,
  SCHEDULE_SECONDS,
} from "./decide-delivery.ts";
import type { Health } from "./webhook-endpoint.ts";

const NOW = new Date("2026-11-20T09:00:00Z");
const MIDDLE = 0.5;
const HEALTHY: Health = {
  status: "HEALTHY",
  disabledReason: null,
  failures: 0,
  failingSince: null,
  resumeAt: null,
};
const delivered: Outcome = { kind: "delivered" };
const failed = (more: { isGone?: boolean; retryAfterMs?: number } = {}): Outcome => ({
  kind: "failed",
  isGone: false,
  retryAfterMs: null,
  ...more,
});
const auto = (spent: number) => ({ trigger: "auto", attempts: spent, spent, isProbe: false }) as const;
const daysBefore = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000);

describe("a delivery", () => {
  it("is sent eleven times within 75.6 hours, and then given up", () => {
    let hours = 0;
    for (let spent = 1; spent < SCHEDULE_SECONDS.length; spent += 1) {
      const following = decideFollowing(auto(spent), failed(), MIDDLE);
      assert.ok(following.status === "PENDING", String(spent));
      hours += following.afterMs / 3_600_000;
    }
    assert.equal(hours.toFixed(1), "75.6");
    assert.deepEqual(decideFollowing(auto(11), failed(), MIDDLE), { status: "FAILED" });
    assert.deepEqual(decideFollowing(auto(11), delivered, MIDDLE), { status: "DELIVERED" });
  });

  it("waits a fifth less or more, and as long as Retry-After says, up to a day", () => {
    const afterMs = (outcome: Outcome, random: number) => {
      const following = decideFollowing(auto(2), outcome, random);
      return following.status === "PENDING" ? following.afterMs : null;
    };
    assert.deepEqual(
      [0, 0.999_999].map((random) => afterMs(failed(), random)),
      [24_000, 36_000],
    );
    assert.equal(afterMs(failed({ retryAfterMs: 3_600_000 }), MIDDLE), 3_600_000);
    assert.equal(afterMs(failed({ retryAfterMs: 1_000 }), MIDDLE), 30_000, "not less than the schedule");
    assert.equal(afterMs(failed({ retryAfterMs: 30 * 86_400_000 }), MIDDLE), 86_400_000);
  });

  it("that a user asked for is sent once", () => {
    for (const trigger of ["manual", "ping"] as const)
      assert.deepEqual(decideFollowing({ ...auto(1), trigger }, failed(), MIDDLE), { status: "FAILED" });
  });

  it("is never given up while its endpoint is failing", () => {
    const probe = { trigger: "auto", attempts: 400, spent: 3, isProbe: true } as const;
    assert.equal(decideFollowing(probe, failed(), MIDDLE).status, "PENDING");
  });
});

describe("an endpoint", () => {
  it("is failing after five failures in a row, and healthy after a success", () => {
    let health = HEALTHY;
    for (let count = 1; count <= 4; count += 1) health = decideHealth(health, failed(), NOW, MIDDLE);
    assert.deepEqual([health.status, health.resumeAt], ["HEALTHY", null]);
    const before = health;
    health = decideHealth(health, failed(), NOW, MIDDLE);
    assert.deepEqual([health.status, health.failures, health.failingSince], ["FAILING", 5, NOW]);
    assert.equal(health.resumeAt?.getTime(), NOW.getTime() + 5_000);
    assert.equal(decideNews(before, health), "failing");
    const back = decideHealth(health, delivered, NOW, MIDDLE);
    assert.deepEqual(back, HEALTHY);
    assert.equal(decideNews(health, back), "recovered");
  });

  it("is probed less and less often, at least every 15 minutes", () => {
    let health: Health = { ...HEALTHY, status: "FAILING", failures: 5, failingSince: NOW };
    const waits = Array.from({ length: 6 }, () => {
      health = decideHealth({ ...health, resumeAt: null }, failed(), NOW, MIDDLE);
      return ((health.resumeAt?.getTime() ?? 0) - NOW.getTime()) / 1_000;
    });
    assert.deepEqual(waits, [30, 60, 300, 900, 900, 900]);
  });

  it("is disabled by 410 at once, and after five days without a success", () => {
    assert.equal(decideHealth(HEALTHY, failed({ isGone: true }), NOW, MIDDLE).disabledReason, "GONE");
    const since = (days: number): Health => ({ ...HEALTHY, failures: 1, failingSince: daysBefore(days) });
    assert.equal(decideHealth(since(4.99), failed(), NOW, MIDDLE).status, "HEALTHY");
    const disabled = decideHealth(since(5), failed(), NOW, MIDDLE);
    assert.deepEqual([disabled.status, disabled.disabledReason], ["DISABLED", "FAILING"]);
    assert.equal(decideNews(since(5), disabled), "disabled");
    assert.equal(decideHealth(disabled, delivered, NOW, MIDDLE), disabled, "only a user enables it");
  });

  it("gets nothing until the time of its last Retry-After", () => {
    const paused = decideHealth(HEALTHY, failed({ retryAfterMs: 60_000 }), NOW, MIDDLE);
    assert.equal(paused.resumeAt?.getTime(), NOW.getTime() + 60_000);
    const again = decideHealth(paused, failed({ retryAfterMs: 1_000 }), NOW, MIDDLE);
    assert.equal(again.resumeAt?.getTime(), NOW.getTime() + 60_000);
  });

  it("gets fewer at once when it fails, one when it is failing, and no more than it allows a second", () => {
    assert.equal(decideBatchSize(HEALTHY, null), 32);
    assert.equal(decideBatchSize({ ...HEALTHY, failures: 1 }, null), 4);
    assert.equal(decideBatchSize({ ...HEALTHY, status: "FAILING" }, null), 1);
    assert.equal(decideBatchSize(HEALTHY, 3), 3);
  });
});

describe("Retry-After", () => {
  for (const [value, ms] of [
    ["120", 120_000],
    ["Fri, 20 Nov 2026 09:01:00 GMT", 60_000],
    ["Fri, 20 Nov 2026 08:00:00 GMT", 0],
    ["soon", null],
    [undefined, null],
  ] as const) {
    it(`${value} means ${ms} ms`, () => assert.equal(readRetryAfter(value, NOW), ms));
  }
});
