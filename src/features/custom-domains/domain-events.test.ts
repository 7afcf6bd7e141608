import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seenEvents } from "./domain-events.ts";
import { certificate } from "./testing.ts";

const NOW = new Date("2026-11-20T00:00:00Z");
const DAY_MS = 24 * 60 * 60_000;
const inDays = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS);

const told = (
  before: Partial<ReturnType<typeof certificate>>,
  seen: { issuedAt?: Date | null; expiresAt?: Date | null; renewalStatus?: string | null },
) => {
  const known = { ...certificate("c1", ["www.example.com"]), issuedAt: NOW, ...before };
  const { events, expiryToldDays } = seenEvents(
    "svc_1",
    known,
    { issuedAt: known.issuedAt, expiresAt: known.expiresAt, renewalStatus: known.renewalStatus, ...seen },
    NOW,
  );
  const said = events.map(({ type, data }) => {
    const days = (data as { days?: number }).days;
    return days === undefined ? type.type : `${type.type} ${days}`;
  });
  return { said, expiryToldDays };
};

describe("what is told of a certificate", () => {
  it("is its issue, once", () => {
    const seen = { issuedAt: NOW, expiresAt: inDays(395) };
    assert.deepEqual(told({ issuedAt: null }, seen).said, ["certificate.issued"]);
    assert.deepEqual(told({ expiresAt: inDays(395) }, seen).said, []);
  });

  it("is a renewal, which ends what was told of its expiry", () => {
    const renewed = told({ expiresAt: inDays(5), expiryToldDays: 7 }, { expiresAt: inDays(395) });
    assert.deepEqual(renewed, { said: ["certificate.renewed"], expiryToldDays: null });
  });

  it("is a renewal that failed, once", () => {
    const far = { expiresAt: inDays(45) };
    assert.deepEqual(told(far, { renewalStatus: "FAILED" }).said, ["certificate.failed"]);
    assert.deepEqual(told({ ...far, renewalStatus: "FAILED" }, {}).said, []);
  });

  for (const [leftDays, days] of [
    [31, null],
    [30, 30],
    [20, 30],
    [14, 14],
    [7, 7],
    [6.5, 7],
    [1, 1],
    [-1, 1],
  ] as const) {
    it(`is with ${leftDays} days left ${days === null ? "nothing" : `that it expires within ${days}`}`, () => {
      const first = told({ expiresAt: inDays(leftDays) }, {});
      assert.deepEqual(first.said, days === null ? [] : [`certificate.expiring ${days}`]);
      const { expiryToldDays } = first;
      assert.deepEqual(told({ expiresAt: inDays(leftDays), expiryToldDays }, {}).said, []);
    });
  }
});
