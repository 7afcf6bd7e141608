import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DnsRecord, type Domain, DOMAIN_STATUSES } from "./custom-domain.ts";
import { domain, NOW } from "./testing.ts";
import { warningsOf } from "./warnings.ts";

function record(purpose: DnsRecord["purpose"], changes: Partial<DnsRecord> = {}): DnsRecord {
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
    ...changes,
  };
}

describe("the warnings of a domain", () => {
  const attached = domain("www.example.com", { status: "ATTACHED" });
  const codes = (...records: readonly DnsRecord[]) => warningsOf(attached, records).map(({ code }) => code);

  it("report a verification record that was removed", () =>
    assert.deepEqual(codes(record("CERTIFICATE_DOMAIN_VERIFICATION")), ["VERIFICATION_RECORD_MISSING"]));
  it("report a verification record that our own check never found", () =>
    assert.deepEqual(codes(record("CERTIFICATE_DOMAIN_VERIFICATION", { lastOkAt: null })), [
      "VERIFICATION_RECORD_MISSING",
    ]));
  it("report a connection record that was removed", () =>
    assert.deepEqual(codes(record("SERVICE_CONNECTION")), ["CONNECTION_RECORD_MISSING"]));
  it("do not report a connection record that was not set yet", () =>
    assert.deepEqual(codes(record("SERVICE_CONNECTION", { lastOkAt: null })), []));
  it("report CAA records that refuse the renewal", () =>
    assert.deepEqual(codes(record("CERTIFICATE_AUTHORITY_AUTHORIZATION")), ["CAA_REFUSES_RENEWAL"]));
  it("report a CAA record before its first check, because it is shown only after a refusal was found", () =>
    assert.deepEqual(codes(record("CERTIFICATE_AUTHORITY_AUTHORIZATION", { lastCheckAt: null })), [
      "CAA_REFUSES_RENEWAL",
    ]));
  it("do not report other records that are right, or not checked yet", () =>
    assert.deepEqual(
      codes(
        record("SERVICE_CONNECTION", { status: "OK" }),
        record("CERTIFICATE_DOMAIN_VERIFICATION", { lastCheckAt: null, lastOkAt: null }),
      ),
      [],
    ));
  it("do not call a record missing that is there and cannot be used", () => {
    const message = "The DNSSEC signature of example.com is broken. Remove the DS records.";
    const [warning] = warningsOf(attached, [
      record("CERTIFICATE_DOMAIN_VERIFICATION", { lastCheckError: { code: "DNSSEC_BROKEN", message } }),
    ]);
    assert.equal(warning?.code, "VERIFICATION_RECORD_MISSING");
    assert.match(warning.message, /cannot be used\. The DNSSEC signature .* Without it the certificate/);
    assert.doesNotMatch(`${warning.message} ${warning.action}`, /no longer set|Set the record again/);
  });
  it("are about records only of served domains", () => {
    for (const status of DOMAIN_STATUSES.filter((one) => one !== "ATTACHED")) {
      const other = { status, isApexRefused: false, zoneState: null };
      assert.deepEqual(warningsOf(other, [record("CERTIFICATE_DOMAIN_VERIFICATION")]), []);
    }
  });
  it("say from the start that an apex cannot lead here, until a record leads here or it leaves", () => {
    const refused = (status: Domain["status"], ...records: readonly DnsRecord[]) =>
      warningsOf({ status, isApexRefused: true, zoneState: null }, records).map(({ code }) => code);
    assert.deepEqual(refused("PENDING"), ["APEX_NOT_SUPPORTED"]);
    assert.deepEqual(refused("ATTACHED", record("SERVICE_CONNECTION", { lastOkAt: null })), [
      "APEX_NOT_SUPPORTED",
    ]);
    assert.deepEqual(refused("ATTACHED", record("SERVICE_CONNECTION", { status: "OK" })), []);
    assert.deepEqual(refused("DETACHING"), []);
  });
});
