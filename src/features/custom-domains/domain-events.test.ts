import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { certificateEvents } from "./domain-events.ts";
import type { DnsRecord } from "./custom-domain.ts";
import { certificate, domain } from "./testing.ts";

const NOW = new Date("2026-11-20T00:00:00Z");
const DAY_MS = 24 * 60 * 60_000;
const inDays = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS);

const told = (
  before: Partial<ReturnType<typeof certificate>>,
  observed: { issuedAt?: Date | null; expiresAt?: Date | null; renewalStatus?: string | null },
  members: Parameters<typeof certificateEvents>[3] = [],
) => {
  const known = { ...certificate("c1", ["www.example.com"]), issuedAt: inDays(-365), ...before };
  const { events, expiryNotifiedDays } = certificateEvents(
    "svc_1",
    known,
    { issuedAt: known.issuedAt, expiresAt: known.expiresAt, renewalStatus: known.renewalStatus, ...observed },
    members,
    NOW,
  );
  const said = events.map(({ type, data }) => {
    const days = (data as { days?: number }).days;
    return days === undefined ? type.type : `${type.type} ${days}`;
  });
  const reasons = events.flatMap(({ data }) => (data as { reasons?: readonly unknown[] }).reasons ?? []);
  return { said, expiryNotifiedDays, reasons };
};

/** A record that was right once. */
function missing(purpose: DnsRecord["purpose"]): DnsRecord {
  return {
    organizationId: "org_1",
    id: "rec_1",
    domainId: "dom_1",
    purpose,
    type: "CNAME",
    name: "www.example.com",
    value: "d1.cdn.example",
    status: "PENDING",
    since: NOW,
    lastCheckAt: NOW,
    lastCheckValue: null,
    lastCheckError: { code: "NOT_FOUND" },
    lastOkAt: NOW,
    slot: 0,
  };
}

describe("the events of a certificate", () => {
  it("is its issue, once", () => {
    const observed = { issuedAt: NOW, expiresAt: inDays(395) };
    assert.deepEqual(told({ issuedAt: null }, observed).said, ["certificate.issued"]);
    assert.deepEqual(told({ expiresAt: inDays(395) }, observed).said, []);
  });

  it("are a renewal, which resets the notified expiry", () => {
    const renewed = told({ expiresAt: inDays(5), expiryNotifiedDays: 7 }, { expiresAt: inDays(395) });
    assert.deepEqual(renewed, { said: ["certificate.renewed"], expiryNotifiedDays: null, reasons: [] });
  });

  it("is a renewal that failed, once", () => {
    const far = { expiresAt: inDays(45) };
    assert.deepEqual(told(far, { renewalStatus: "FAILED" }).said, ["certificate.failed"]);
    assert.deepEqual(told({ ...far, renewalStatus: "FAILED" }, {}).said, []);
  });

  it("is why it cannot be renewed", () => {
    const served = domain("www.example.com", { status: "ATTACHED" });
    const verification = missing("CERTIFICATE_DOMAIN_VERIFICATION");
    const soon = { expiresAt: inDays(5) };
    const reasonsOf = (member: Parameters<typeof certificateEvents>[3][number]) =>
      told(soon, {}, [member]).reasons;
    assert.deepEqual(reasonsOf({ ...served, records: [] }), []);
    assert.deepEqual(reasonsOf({ ...served, records: [verification] }), [
      { code: "VERIFICATION_RECORD_MISSING", domain: "www.example.com" },
    ]);
    const caa = missing("CERTIFICATE_AUTHORITY_AUTHORIZATION");
    assert.deepEqual(reasonsOf({ ...served, records: [caa, missing("SERVICE_CONNECTION")] }), [
      { code: "CAA_REFUSES_RENEWAL", domain: "www.example.com" },
    ]);
    const inUse = [{ code: "NOT_IN_USE", domain: null }];
    assert.deepEqual(reasonsOf({ ...served, status: "PENDING", records: [verification] }), inUse);
    assert.deepEqual(reasonsOf({ ...served, name: "other.example.com", records: [] }), inUse);
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
      const { expiryNotifiedDays } = first;
      assert.deepEqual(told({ expiresAt: inDays(leftDays), expiryNotifiedDays }, {}).said, []);
    });
  }

  it("are nothing while more than a fifth of a short life is left", () => {
    for (const [life, left, said] of [
      [90, 18.1, []],
      [90, 17.9, ["certificate.expiring 30"]],
      [45, 9.1, []],
      [45, 8.9, ["certificate.expiring 14"]],
      [6, 1.3, []],
      [6, 1, ["certificate.expiring 1"]],
    ] as const)
      assert.deepEqual(told({ issuedAt: inDays(left - life), expiresAt: inDays(left) }, {}).said, said);
  });
});
