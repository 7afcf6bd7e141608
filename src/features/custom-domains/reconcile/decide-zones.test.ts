import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DnsRecord, SetRecord, ZoneState } from "../custom-domain.ts";
import { domain, NOW } from "../testing.ts";
import { compareWithZone, counterpartOf, problemOf, staleOf, unsetOf, zoneDueAt } from "./decide-zones.ts";

const WWW = "www.example.com";
const CDN = { type: "CNAME", name: WWW, value: "d1.cdn.example" } as const;

function record(changes: Partial<DnsRecord> = {}): DnsRecord {
  return {
    organizationId: "org_1",
    id: "rec_1",
    domainId: "dom_1",
    purpose: "SERVICE_CONNECTION",
    ...CDN,
    status: "PENDING",
    since: NOW,
    lastCheckAt: null,
    lastCheckValue: null,
    lastCheckError: null,
    lastOkAt: null,
    slot: 0,
    ...changes,
  };
}
const set = (status: SetRecord["status"], value: string = CDN.value): SetRecord => ({
  ...CDN,
  value,
  zoneId: "Z1",
  status,
  since: NOW.toISOString(),
});
const shown = (records: readonly DnsRecord[], zoneState: ZoneState | null = null) => ({
  ...domain(WWW, { zoneState, status: "ATTACHED" }),
  records,
});
const withRecords = (...records: readonly SetRecord[]): ZoneState => ({ records, problem: null });

describe("what is to be set in a zone", () => {
  it("is what the DNS does not have", () => {
    assert.deepEqual(unsetOf(shown([record()])), [CDN]);
    assert.deepEqual(unsetOf(shown([record({ status: "OK" })])), []);
  });
  it("is not a CAA record", () => assert.deepEqual(unsetOf(shown([record({ type: "CAA" })])), []));
  it("is not set again, after it was removed or was there already", () => {
    assert.deepEqual(unsetOf(shown([record()], withRecords(set("SET")))), []);
    assert.deepEqual(unsetOf(shown([record()], withRecords(set("FOUND")))), []);
  });
  it("is looked at again, if the outcome of its creation is unknown", () =>
    assert.deepEqual(unsetOf(shown([record()], withRecords(set("SETTING")))), [CDN]));
  it("replaces what was set with another value", () => {
    const before = set("SET", "d0.cdn.example");
    const changed = shown([record()], withRecords(before));
    assert.deepEqual(unsetOf(changed), [CDN]);
    assert.deepEqual(staleOf(changed), [before]);
  });
});

describe("when a zone is looked at", () => {
  const problem = problemOf(null, "DNS_RECORD_CONFLICT", "there", NOW);
  const after = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);
  const dueAt = (one: typeof problem) => zoneDueAt(shown([record()], { records: [], problem: one }));

  it("is at once, or never if there is nothing to do", () => {
    assert.deepEqual(zoneDueAt(shown([record()])), new Date(0));
    assert.equal(zoneDueAt(shown([record({ status: "OK" })])), null);
    assert.equal(zoneDueAt({ ...shown([record()]), isDesired: false }), null);
  });
  it("is at once if its problem solved itself", () =>
    assert.deepEqual(zoneDueAt(shown([record({ status: "OK" })], { records: [], problem })), new Date(0)));
  it("is ten seconds after a problem, and later the longer it lasts, up to an hour", () => {
    assert.deepEqual(dueAt(problem), after(1 / 6));
    assert.deepEqual(dueAt(problemOf(problem, problem.code, "there", after(60))), after(90));
    assert.deepEqual(dueAt(problemOf(problem, problem.code, "there", after(600))), after(660));
  });
  it("begins anew with another problem", () =>
    assert.deepEqual(dueAt(problemOf(problem, "DNS_ZONE_NOT_FOUND", "gone", after(60))), after(60 + 1 / 6)));
});

describe("a wanted record beside those of its zone", () => {
  it("is absent, equal, or in conflict with all that stands in its way", () => {
    assert.equal(compareWithZone(CDN, []), "absent");
    assert.equal(compareWithZone(CDN, [{ type: "CNAME", values: [CDN.value] }]), "equal");
    const others = [
      { type: "A", values: ["192.0.2.1", "192.0.2.2"] },
      { type: "TXT", values: ["x"] },
    ];
    assert.deepEqual(compareWithZone(CDN, others), { found: "A 192.0.2.1, 192.0.2.2; TXT x" });
  });
  it("is in the way of none but addresses, if it is an alias", () => {
    const apex = { type: "ALIAS", name: "example.com", value: CDN.value } as const;
    const usual = [
      { type: "NS", values: ["ns1.example.net"] },
      { type: "MX", values: ["10 mail.example.net"] },
    ];
    assert.equal(compareWithZone(apex, usual), "absent");
    assert.deepEqual(compareWithZone(apex, [...usual, { type: "A", values: ["192.0.2.1"] }]), {
      found: "A 192.0.2.1",
    });
  });
  it("never conflicts with the NS and SOA of a zone, which must not be removed", () => {
    const ofZone = [
      { type: "NS", values: ["ns1.example.net"] },
      { type: "SOA", values: ["ns1.example.net hostmaster.example.net 1 7200 900 1209600 86400"] },
    ];
    assert.equal(compareWithZone({ ...CDN, type: "ALIAS" }, ofZone), "absent");
    // The provider refuses a CNAME there. The next look at the delegation finds that an ALIAS is wanted.
    assert.equal(compareWithZone(CDN, ofZone), "absent");
    assert.deepEqual(compareWithZone(CDN, [...ofZone, { type: "TXT", values: ["x"] }]), { found: "TXT x" });
  });
});

it("a wildcard and the name that it is below share their verification record", () => {
  assert.equal(counterpartOf({ name: "*.example.com" }), "example.com");
  assert.equal(counterpartOf({ name: "example.com" }), "*.example.com");
});
