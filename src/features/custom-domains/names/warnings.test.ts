import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DnsRecord, DOMAIN_STATUSES } from "../custom-domain.ts";
import { domain, NOW } from "../testing.ts";
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
    ...changes,
  };
}

describe("the warnings of a domain", () => {
  const attached = domain("www.example.com", { status: "ATTACHED" });
  const codes = (...records: readonly DnsRecord[]) => warningsOf(attached, records).map(({ code }) => code);

  it("tell of a verification record that is gone", () =>
    assert.deepEqual(codes(record("CERTIFICATE_DOMAIN_VERIFICATION")), ["VERIFICATION_RECORD_MISSING"]));
  it("tell of one that our own look never found", () =>
    assert.deepEqual(codes(record("CERTIFICATE_DOMAIN_VERIFICATION", { lastOkAt: null })), [
      "VERIFICATION_RECORD_MISSING",
    ]));
  it("tell of a connection record that is gone", () =>
    assert.deepEqual(codes(record("SERVICE_CONNECTION")), ["CONNECTION_RECORD_MISSING"]));
  it("do not tell of one that was not set yet", () =>
    assert.deepEqual(codes(record("SERVICE_CONNECTION", { lastOkAt: null })), []));
  it("tell of CAA records that refuse the renewal", () =>
    assert.deepEqual(codes(record("CERTIFICATE_AUTHORITY_AUTHORIZATION")), ["CAA_REFUSES_RENEWAL"]));
  it("do not tell of records that are right, or not looked at yet", () =>
    assert.deepEqual(
      codes(
        record("SERVICE_CONNECTION", { status: "OK" }),
        record("CERTIFICATE_DOMAIN_VERIFICATION", { lastCheckAt: null }),
      ),
      [],
    ));
  it("are of served domains alone", () => {
    for (const status of DOMAIN_STATUSES.filter((one) => one !== "ATTACHED"))
      assert.deepEqual(warningsOf({ status }, [record("CERTIFICATE_DOMAIN_VERIFICATION")]), []);
  });
});
